import LuaRuntime
import Platform
import RestEngine

/// The Lua classes of endpoints and of makers of definitions, `rest.request` and `rest.raw`.
struct EndpointBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "request",
                    "(method: string, url: string, properties?) -> definition",
                    "Defines a request of any URL. Its service has all defaults."
                ) { call in try requestOfURL(call) },
                ModuleFunction(
                    "raw", "(text: string) -> raw",
                    "Marks text as escaped already, for a path component, a parameter value, or resource:child."
                ) { call in
                    let text = try call.text(1, "text", .url)
                    values.push(ScriptEscapedText(try defining { try EscapedText(text) }), on: call.lua)
                    return .one
                },
            ],
            classes: [
                show(ScriptEndpoint.self, as: makeEndpointClass),
                show(ScriptDefinitionMaker.self, as: makeMakerClass),
                show(ScriptEscapedText.self, as: makeRawClass),
            ])
    }

    /// The methods `endpoint` and `define`, which services and endpoints share.
    func methods(of base: @escaping @EngineActor (Arguments) throws -> EndpointDefinition) -> [LuaMethod] {
        [
            method(
                "endpoint", "(path: string, properties?) -> endpoint",
                "Defines the common properties of requests below a path, which may be empty (see properties)."
            ) { call in
                let outer = try base(call)
                let path = try call.text(1, "path", .path)
                context.services.adviseOnQuery(in: path, of: "endpoint", call)
                var made = outer
                try context.declarations.declare(call) {
                    let properties = try PropertiesBinding(context: context).properties(call, 2)
                    made = try defining { try outer.endpoint(path, properties, origin: call.place) }
                }
                values.push(ScriptEndpoint(made), on: call.lua)
                return .one
            },
            method(
                "define",
                "(method: string, template?: string, properties?: properties | function(...) -> properties) "
                    + "-> definition | definition_maker",
                "Defines a request. With names in the template, as in `{login}/repos`, or with a function that returns "
                    + "properties, the result is called with the values and returns a definition."
            ) { call in try define(call, try base(call)) },
        ]
    }

    func makeEndpointClass() -> LuaClass {
        LuaClass(
            "endpoint",
            documentation: "A path of a service, with the common properties of its requests. It is a value.",
            methods: methods { try $0.receiver(as: ScriptEndpoint.self).endpoint },
            properties: [
                property("url", "string", "The URL: base URL and paths.") { call in
                    call.lua.push(try call.receiver(as: ScriptEndpoint.self).endpoint.url.string)
                    return .one
                },
                property("service", "service", "The service that it belongs to.") { call in
                    values.push(try call.receiver(as: ScriptEndpoint.self).endpoint.service, on: call.lua)
                    return .one
                },
            ],
            tostring: { ($0 as? ScriptEndpoint).map { "endpoint \($0.endpoint.url)" } ?? "endpoint" },
            equals: { a, b in
                (a as? ScriptEndpoint)?.endpoint == (b as? ScriptEndpoint)?.endpoint
            },
            elsewhere: Dictionary(
                uniqueKeysWithValues: ["send", "get", "request", "resource", "adding"].map {
                    ($0, "a definition has it: endpoint:define(\"GET\"):\($0)(…)")
                }))
    }

    func makeMakerClass() -> LuaClass {
        LuaClass(
            "definition_maker",
            documentation:
                "Returns a definition when it is called with the values of its template or the arguments of its function.",
            tostring: { ($0 as? ScriptDefinitionMaker)?.description ?? "definition_maker" },
            call: hostFunction { call in try make(call) },
            elsewhere: Dictionary(
                uniqueKeysWithValues: [
                    "send", "get", "resource", "curl", "adding", "setting", "setting_header", "adding_header",
                    "removing_header", "setting_query", "removing_query", "with_method", "with_configuration",
                    "url",
                    "headers", "query", "path", "body_kind", "method", "service",
                ].map {
                    (
                        $0,
                        "call it first, with its values: one(\"a\").\($0), or one(\"a\"):\($0)(…) of a method"
                    )
                }))
    }

    func makeRawClass() -> LuaClass {
        LuaClass(
            "raw", documentation: "Text of a URL that is escaped already; made by rest.raw.",
            tostring: { ($0 as? ScriptEscapedText)?.text.text ?? "raw" },
            equals: { a, b in
                (a as? ScriptEscapedText)?.text == (b as? ScriptEscapedText)?.text
            })
    }

    // MARK: Defining

    private func requestOfURL(_ call: Arguments) throws -> CallResult {
        let method = try call.string(1, "method")
        let url = try call.text(2, "url", .url)
        let service = context.services.ofRequests
        var made: RequestDefinition?
        try context.declarations.declare(call) {
            let properties = try PropertiesBinding(context: context).properties(call, 3)
            made = try defining {
                try EndpointDefinition(service, url: url).request(method, properties, origin: call.place)
            }
        }
        // During a check, the script goes on with a value of the same kind.
        values.push(
            try made ?? EndpointDefinition(service, url: "http://localhost/").request("GET"), on: call.lua)
        return .one
    }

    /// `define(method [, template] [, properties or function])`.
    private func define(_ call: Arguments, _ endpoint: EndpointDefinition) throws -> CallResult {
        let hasTemplate = call.type(2) == .string
        let last: Int32 = hasTemplate ? 3 : 2
        let isFunction = call.type(last) == .function
        var made: RequestDefinition?
        var maker: ScriptDefinitionMaker?
        try context.declarations.declare(call) {
            guard call.count <= last || (last + 1...call.count).allSatisfy({ call.type($0) == .nil }) else {
                throw LuaUsageError(
                    "'define' takes a method, a template, and properties or a function, in this order")
            }
            let text = hasTemplate ? try call.text(2, "template", .path) : ""
            if !hasTemplate, !call.isAbsent(2), !isFunction, call.type(2) != .table {
                throw call.wrongType(2, "template", "string, or table of properties or function")
            }
            context.services.adviseOnQuery(in: text, of: "define", call)
            // Errors of method and path are raised here, not when the maker is called.
            let method = try defining { try endpoint.request(try call.string(1, "method")).method }
            let template = try defining { try PathTemplate(text) }
            let function = isFunction ? try call.scriptFunction(last, "fn") : nil
            let properties =
                isFunction
                ? RequestProperties() : try PropertiesBinding(context: context).properties(call, last)
            let origin = call.place
            context.declarations.note(endpoint, method, text, origin: origin)
            if function != nil || !template.names.isEmpty {
                maker = ScriptDefinitionMaker(
                    endpoint, method, template, properties, function, origin: origin)
                // This finds errors in the other properties, too.
                if function == nil { _ = try defining { try endpoint.request(method, properties) } }
            } else {
                made = try defining {
                    try endpoint.request(
                        method, path: try template.filled([:]), properties, name: text, origin: origin)
                }
            }
        }
        if let maker {
            values.push(maker, on: call.lua)
        } else if made == nil, isFunction {
            // During a check, the script goes on with a value of the same kind.
            values.push(
                ScriptDefinitionMaker(
                    endpoint, "GET", nil, RequestProperties(), try call.scriptFunction(last, "fn"),
                    origin: nil),
                on: call.lua)
        } else {
            values.push(try made ?? endpoint.request("GET"), on: call.lua)
        }
        return .one
    }

    // MARK: Making

    private func make(_ call: Arguments) throws -> CallResult {
        let maker = try call.receiver(as: ScriptDefinitionMaker.self)
        let definition = try defining {
            let path = try maker.template.map { try $0.filled(try templateValues(maker, $0, call)) }
            let defined = try maker.endpoint.request(
                maker.method, path: path, maker.properties, name: maker.template?.description ?? "",
                origin: maker.origin)
            guard let function = maker.function else { return defined }
            let lua = call.lua
            let count = call.count
            lua.push(function.reference)
            for index in 0..<count { lua.pushValue(at: call.slot(index + 1)) }
            // An error of the function is the caller's error, unchanged.
            try lua.call(arguments: count, results: 1, phase: phases.definition)
            defer { lua.pop() }
            let properties = try PropertiesBinding(context: context).properties(
                returnedOn: lua, to: "define")
            return try maker.endpoint.request(
                maker.method, path: path, properties, name: maker.template?.description ?? "",
                origin: maker.origin)
        }
        values.push(definition, on: call.lua)
        return .one
    }

    /// The values for the names of a template: a table, or one argument for each name. When there is also a
    /// function, further arguments are for it.
    private func templateValues(
        _ maker: ScriptDefinitionMaker, _ template: PathTemplate, _ call: Arguments
    ) throws -> [String: PathComponent] {
        let reader = PropertiesBinding(context: context)
        var found: [String: PathComponent] = [:]
        guard !template.names.isEmpty else { return found }
        func read(_ name: String, _ place: Int32) throws {
            found[name] = try reader.component(call.lua, place, "the value of '\(name)'")
        }
        if call.type(1) == .table {
            try call.lua.forEachPair(call.slot(1)) { lua in
                let name = lua.string(-2)
                if let name, template.names.contains(name) { return try read(name, -1) }
                if maker.function != nil { return }
                let shown = try name ?? lua.tostring(-2)
                throw LuaUsageError(
                    "the template '\(template)' has no name '\(shown)'"
                        + NearestName.advice(shown, among: template.names))
            }
            guard maker.function != nil || call.count <= 1 else {
                throw LuaUsageError("the template '\(template)' takes one table of its values")
            }
            return found
        }
        guard maker.function != nil || call.count <= Int32(template.names.count) else {
            throw LuaUsageError(
                "the template '\(template)' takes \(template.names.count) values, but got \(call.count)")
        }
        for (index, name) in template.names.enumerated() where !call.isAbsent(Int32(index) + 1) {
            try read(name, call.slot(Int32(index) + 1))
        }
        return found
    }
}
