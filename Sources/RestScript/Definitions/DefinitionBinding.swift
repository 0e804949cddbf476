import LuaRuntime
import Platform
import RestEngine

/// The Lua class of definitions: their fields, their modifiers, and how they are sent.
struct DefinitionBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ScriptDefinition.self, as: makeDefinitionClass)])
    }

    func makeDefinitionClass() -> LuaClass {
        LuaClass(
            "definition",
            documentation:
                "A request as a value: its method, URL, headers, body and configuration. Modifiers return a new one; `==` compares all of it.",
            methods: sending + [explaining] + modifiers, properties: fields,
            tostring: {
                ($0 as? ScriptDefinition).map { "\($0.definition.method) \($0.definition.url)" }
                    ?? "definition"
            },
            equals: { a, b in
                (a as? ScriptDefinition)?.definition == (b as? ScriptDefinition)?.definition
            },
            elsewhere: Self.elsewhere)
    }

    private func definition(_ call: Arguments) throws -> RequestDefinition {
        try call.receiver(as: ScriptDefinition.self).definition
    }

    // MARK: Sending

    private var sending: [LuaMethod] {
        [
            method(
                "send", "() -> request",
                "Sends it with the blocks, decorators and pipeline of its service. The resource keeps its state."
            ) { call in
                values.push(try definition(call).send(), on: call.lua)
                return .one
            },
            method(
                "get", "() -> content | nil, error",
                "Waits for fresh content of its resource, and loads it with this request if necessary; for GET only."
            ) { call in
                let definition = try definition(call)
                guard definition.method == "GET" else {
                    throw LuaUsageError(
                        "'get' is for a definition of GET, and this is one of \(definition.method): write :send():await()"
                    )
                }
                return .wait(isForWork: true) { waiter in
                    do throws(DefinitionError) {
                        try definition.read { [context] result in
                            switch result {
                            case .failure(let error): context.runner.fail(waiter, error)
                            case .success(let entity):
                                waiter.resume(
                                    onLoop { (lua: Lua) in
                                        context.values.push(entity.content, on: lua)
                                        return 1
                                    })
                            }
                        }
                    } catch {
                        context.runner.fail(
                            waiter, RequestError(userMessage: error.message, timestamp: values.now))
                    }
                }
            },
            method("resource", "() -> resource", "The resource at its URL.") { call in
                values.push(try definition(call).resource, on: call.lua)
                return .one
            },
            method(
                "curl", "(options?: { ... }) -> string | nil, error",
                "A command line for a POSIX shell, with the headers of blocks, secrets masked and files by reference.",
                options: Self.curlOptions.descriptions
            ) { call in
                var showsSecrets = false
                try call.options(1).read(Self.curlOptions, into: &showsSecrets)
                do {
                    let command = try definition(call).curl(mask: showsSecrets ? nil : .standard)
                    call.lua.push(command.description)
                    return .one
                } catch let error as RequestError {
                    call.lua.pushNil()
                    values.pushError(error, on: call.lua)
                    return .results(2)
                } catch let error as DefinitionError { throw LuaUsageError(error.message) }
            },
        ]
    }

    private nonisolated static let curlOptions = ScriptSchema<Bool>([
        .flag("with_secrets", default: "false", "Shows secrets unmasked.") { $0 = $1 }
    ])

    /// The explanation of the resource, and for each property the level that set it.
    private var explaining: LuaMethod {
        method(
            "explain", "() -> table",
            "Explains its requests: blocks, properties with their levels, and the request. It sends nothing."
        ) { call in
            trees.push(try definition(call).explain(poll: call.lua.poll).tree, on: call.lua)
            return .one
        }
    }

    // MARK: Modifiers

    /// Returns a new definition. During a check, an error leaves the old one in its place.
    private func modifier(
        _ name: String, _ signature: String, _ documentation: String,
        _ change: @escaping @EngineActor (RequestDefinition, Arguments) throws -> RequestDefinition
    ) -> LuaMethod {
        method(name, "\(signature) -> definition", documentation) { call in
            var definition = try definition(call)
            try context.declarations.declare(call) {
                definition = try defining { try change(definition, call) }
            }
            values.push(definition, on: call.lua)
            return .one
        }
    }

    private var modifiers: [LuaMethod] {
        let reader = PropertiesBinding(context: context)
        let properties = "(properties)"
        return [
            modifier(
                "adding", properties,
                "Adds properties. List headers are joined; other headers and the body are replaced."
            ) { definition, call in
                _ = try call.table(1, "properties")
                return try definition.adding(try reader.properties(call, 1), origin: call.place)
            },
            modifier("setting", properties, "Replaces each given property as a whole.") {
                definition, call in
                _ = try call.table(1, "properties")
                return try definition.setting(try reader.properties(call, 1), origin: call.place)
            },
            modifier("setting_header", "(name: string, value?: string)", "Replaces a header; nil removes it.")
            {
                definition, call in
                try definition.settingHeader(
                    try call.string(1, "name"), try headerValues(call), origin: call.place)
            },
            modifier(
                "adding_header", "(name: string, value: string)",
                "Appends a value to a list header, and replaces any other header."
            ) { definition, call in
                let values = try headerValues(call)
                guard !values.isEmpty else { throw call.wrongType(2, "value", "string") }
                return try definition.addingHeader(
                    try call.string(1, "name"), values, origin: call.place)
            },
            modifier("removing_header", "(name: string)", "Removes a header; blocks may still set it.") {
                definition, call in
                try definition.removingHeader(try call.string(1, "name"), origin: call.place)
            },
            modifier(
                "setting_query", "(name: string, value)",
                "Replaces all parameters of a name, at the place of the first one; nil removes them."
            ) { definition, call in
                let name = try call.string(1, "name")
                var count = 0
                let value = try reader.queryValue(call.lua, call.slot(2), name, &count)
                return try definition.settingQuery(name, value, origin: call.place)
            },
            modifier("removing_query", "(name: string)", "Removes all parameters of a name.") {
                definition, call in
                try definition.removingQuery(try call.string(1, "name"), origin: call.place)
            },
            modifier("with_method", "(method: string)", "The same with another method.") { definition, call in
                try definition.withMethod(try call.string(1, "method"))
            },
            modifier(
                "with_configuration", "(fn: function(c))",
                "Adds a configuring function, which runs after the inherited ones."
            ) { definition, call in
                let function = try call.scriptFunction(1, "fn")
                return try definition.withConfiguration(
                    reader.configuration(function, call.lua.identity(call.slot(1))), origin: call.place)
            },
        ]
    }

    private func headerValues(_ call: Arguments) throws -> [String] {
        try call.lua.headerValues(call.slot(2), name: try call.string(1, "name"))
    }

    // MARK: Fields

    private var fields: [LuaProperty] {
        [
            property("method", "string", "The method of the request.") { call in
                call.lua.push(try definition(call).method)
                return .one
            },
            property("url", "string", "The URL: base URL, paths and query.") { call in
                call.lua.push(try definition(call).url.string)
                return .one
            },
            property("headers", "headers", "The headers that it adds to those of blocks; read only.") {
                call in
                values.push(ScriptHeaders(reading: try definition(call).headers), on: call.lua)
                return .one
            },
            property("query", "table", "The parameters, as a new list of pairs of name and value.") { call in
                let query = try definition(call).query
                call.lua.newTable(array: Int32(query.count))
                for (index, item) in query.enumerated() {
                    call.lua.newTable(array: 2)
                    call.lua.push(item.name)
                    call.lua.rawSet(-2, 1)
                    push(item, on: call.lua)
                    call.lua.rawSet(-2, 2)
                    call.lua.rawSet(-2, index + 1)
                }
                return .one
            },
            property(
                "path", "table", "The components of its path, as a new list without the paths of endpoints."
            ) {
                call in
                let path = try definition(call).path
                call.lua.newTable(array: Int32(path.count))
                for (index, component) in path.enumerated() {
                    call.lua.push(component.text)
                    call.lua.rawSet(-2, index + 1)
                }
                return .one
            },
            property(
                "body_kind", "string?",
                "The kind of body: `body`, `text`, `json`, `form`, `multipart` or `file`; nil without a body."
            ) { call in
                call.lua.push(optional: try definition(call).body?.kind.rawValue)
                return .one
            },
            property("service", "service", "The service whose blocks, decorators and pipeline apply.") {
                call in
                values.push(try definition(call).service, on: call.lua)
                return .one
            },
        ]
    }

    /// Pushes the value of a parameter: its text, null for a bare name, a table for a list.
    private func push(_ item: QueryItem, on lua: Lua) {
        func push(_ text: String?) {
            if let text { lua.push(text) } else { trees.push(.null, on: lua) }
        }
        let texts = item.values
        guard item.isList else { return push(texts.first ?? nil) }
        lua.newTable(array: Int32(texts.count))
        for (index, text) in texts.enumerated() {
            push(text)
            lua.rawSet(-2, index + 1)
        }
    }

    /// Advice for names that a definition does not have.
    private static let elsewhere: [String: String] = [
        "await": "send it first: definition:send():await()",
        "start": "write definition:send()",
        "load": "write definition:get(), or definition:resource():load_using(definition:send())",
        "request": "write definition:send()",
        "body": "body_kind names its kind; :setting{ … } replaces it",
        "json": ":setting{ json = … } replaces the body",
        "with_param": "write definition:setting_query(name, value)",
    ]
}
