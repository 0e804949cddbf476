import LuaRuntime
import RestEngine

/// `rest.service{ … }`, and services.
struct ServiceBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "service",
                    "(options: { base_url?, name?, standard_transformers?, transport? }) -> service",
                    "Declares a service."
                ) { call in try makeService(call) }
            ],
            classes: [show(Service.self, as: makeServiceClass)])
    }

    /// `rest.service{ name=, base_url=, standard_transformers=, transport= }`. A check goes on with a service that nobody
    /// else sees, to find what else is wrong.
    func makeService(_ call: Arguments) throws -> Verdict {
        var made: Service?
        try context.declarations.declare(call) { made = try service(call) }
        let stand = try BaseURL("http://localhost/")
        values.push(made ?? Service(engine: engine, name: "unnamed", baseURL: stand), on: call.lua)
        return .one
    }

    private func service(_ call: Arguments) throws -> Service {
        let options = try call.options(1, example: "rest.service { base_url = \"https://…\" }")
        let base = try options.string("base_url")
        let givenName = try options.string("name")
        let standard = try standardTransformers(options)
        var baseURL: BaseURL?
        if let base {
            do throws(BaseURL.Failure) { baseURL = try BaseURL(base) } catch {
                throw LuaUsageError("base_url \(error)")
            }
        }
        let settings = try options.options("transport").map { try transportOptions($0, baseURL?.url) }
        try options.finish()
        let name = givenName ?? baseURL?.url.host ?? context.services.nameOfBareService
        guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/") else {
            throw LuaUsageError(
                "'\(name)' can't name a service: a name is not empty, has no '/' and doesn't begin with '-'")
        }
        guard context.services[name] == nil else {
            throw LuaUsageError("a service named '\(name)' exists already: give this one a name of its own")
        }
        let service =
            context.generation.takeOver(name, baseURL, standard, settings)
            ?? Service(
                engine: engine, name: name, baseURL: baseURL, standardTransformers: standard,
                transport: context.services.transport(for: settings))
        context.services.add(service, at: call.lua.callerPlace, transport: settings)
        return service
    }

    /// `transport = { http2=, proxy=, ca_file=, unix_socket=, max_connections_per_host=, … }`.
    private func transportOptions(_ options: OptionTable, _ base: URLText?) throws -> TransportOptions {
        var settings = TransportOptions()
        settings.http2 = try options.boolean("http2") ?? settings.http2
        settings.proxy = try options.string("proxy").map {
            try context.grants.proxy($0, for: base, declared: context.services.bases)
        }
        settings.caFile = try options.string("ca_file").map { try context.grants.readablePath($0) }
        settings.unixSocket = try options.string("unix_socket").map { try context.grants.socketPath($0) }
        settings.maxConnectionsPerHost = try count(options, "max_connections_per_host")
        settings.maxTotalConnections = try count(options, "max_connections")
        settings.userAgent = try options.string("user_agent") ?? settings.userAgent
        try options.finish()
        return settings
    }

    private func count(_ options: OptionTable, _ key: String) throws -> Int? {
        guard let value = try options.integer(key) else { return nil }
        guard value >= 1 else { throw LuaUsageError("option 'transport.\(key)' is 1 or more, got \(value)") }
        return Int(value)
    }

    private func standardTransformers(_ options: OptionTable) throws -> [StandardTransformer] {
        guard let place = try options.table("standard_transformers") else {
            return StandardTransformer.allCases
        }
        defer { options.lua.pop() }
        return try options.lua.strings(place, "standard_transformers").map { name in
            guard let standard = StandardTransformer(rawValue: name) else {
                let known = StandardTransformer.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw LuaUsageError("unknown standard transformer '\(name)': there are \(known)")
            }
            return standard
        }
    }

    func makeServiceClass() -> LuaClass {
        LuaClass(
            "service", documentation: "An API: a base URL, configuration blocks, and resources.",
            methods: [
                method(
                    "resource", "(path: string) -> resource",
                    "The resource at base URL and path; the path is text, never read as a URL."
                ) {
                    call in
                    values.push(
                        try call.receiver(as: Service.self).resource(try call.string(1, "path")), on: call.lua
                    )
                    return .one
                },
                method(
                    "resource_at", "(url: string?, path: string?) -> resource",
                    "The resource at an absolute URL, or at a path below another base."
                ) {
                    call in
                    let service = try call.receiver(as: Service.self)
                    let url = try call.optionalString(1, "url")
                    if let path = try call.optionalString(2, "path") {
                        values.push(service.resource(baseURL: url ?? "", path: path), on: call.lua)
                    } else {
                        values.push(service.resource(absoluteURL: url), on: call.lua)
                    }
                    return .one
                },
                method(
                    "configure",
                    "(pattern?, options?: { methods?, description? }, fn: function(c)) -> service",
                    "Adds a configuration block."
                ) {
                    call in
                    if context.generation.hasSay("configure", at: call.place) {
                        try context.declarations.declare(call) {
                            try BlockBinding(context: context).add(call)
                        }
                    }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method(
                    "configure_transformer",
                    "(pattern, options?: { stage?, action?, methods?, content_types?, input?, output?, on_mismatch?, "
                        + "transform_errors?, empty?, description? }, transformer) -> service",
                    "Adds a transformer for the content of matching resources."
                ) {
                    call in
                    if context.generation.hasSay("configure_transformer", at: call.place) {
                        try context.declarations.declare(call) {
                            try TransformerBinding(context: context).addTransformer(call)
                        }
                    }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method(
                    "use", "(plugin: function | string, options?) -> service",
                    "Runs a plugin: a function of service and options, or the name of a module that returns one."
                ) {
                    call in
                    if context.generation.hasSay("use", at: call.place) {
                        try context.declarations.declare(call) { try usePlugin(call) }
                    }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method("invalidate_configuration", "()", "Blocks run again when they are next needed.") {
                    call in
                    try call.receiver(as: Service.self).invalidateConfiguration()
                    return .none
                },
                method(
                    "wipe_resources", "(matches?: string | regex | resource | function(resource) -> boolean)",
                    "Wipes all live resources, or those that match."
                ) {
                    call in
                    try wipeResources(call)
                    return .none
                },
                method(
                    "flush_unused_resources", "()", "Drops resources that nobody holds and nobody observes."
                ) {
                    call in
                    let service = try call.receiver(as: Service.self)
                    return context.runner.unwound(call) { context.services.collectAndFlush([service]) }
                },
            ],
            properties: [
                property("name", "string", "Unique in a script.") { call in
                    call.lua.push(try call.receiver(as: Service.self).name)
                    return .one
                },
                property("base_url", "string?", "With a slash at its end.") { call in
                    call.lua.push(optional: try call.receiver(as: Service.self).baseURL?.url.string)
                    return .one
                },
                limit(
                    "cached_resource_count_limit", .count,
                    "When so many resources are live, adding one drops those that nobody holds.",
                    { $0.cachedResourceCountLimit }
                ) { $0.cachedResourceCountLimit = $1 },
                limit(
                    "cached_resource_bytes_limit", .bytes,
                    "Bytes of content that its resources hold at the most; beyond it what was not used for longest goes. The "
                        + "host's limit, unless it is set to less.", { $0.contentLimit }
                ) { $0.cachedResourceBytesLimit = $1 },
            ],
            tostring: { object in
                EngineActor.assumeIsolated { (object as? Service).map { "service \($0.name)" } ?? "service" }
            }, elsewhere: Self.elsewhere)
    }

    private func limit(
        _ name: String, _ limit: ServiceRegistry.Limit, _ documentation: String,
        _ read: @escaping @EngineActor (Service) -> Int,
        _ write: @escaping @EngineActor (Service, Int) -> Void
    ) -> LuaProperty {
        property(
            name, "integer", documentation,
            { call in
                call.lua.push(read(try call.receiver(as: Service.self)))
                return .one
            },
            set: { call in
                let value = try call.integer(1, "limit")
                guard value >= 1 else { throw call.bad(1, "limit", "it is 1 or more") }
                let service = try call.receiver(as: Service.self)
                write(service, Int(value))
                context.services.note(limit, of: service)
                return .none
            })
    }

    private func usePlugin(_ call: Arguments) throws {
        let lua = call.lua
        let hasOptions = !call.isAbsent(2)
        if call.type(1) == .string {
            realm.pushGlobals(on: lua)
            try lua.get(-1, "require")
            lua.remove(-2)
            lua.push(try call.string(1, "plugin"))
            try lua.call(arguments: 1, results: 1, phase: phases.load)
            guard lua.type(-1) == .function else {
                throw LuaUsageError(
                    "module '\(try call.string(1, "plugin"))' is no plugin: it returns a \(lua.typeName(-1)), not a function(service, options)"
                )
            }
        } else {
            guard call.type(1) == .function else {
                throw call.wrongType(1, "plugin", "function or name of a module")
            }
            lua.pushValue(at: call.slot(1))
        }
        lua.pushValue(at: 1)
        if hasOptions { lua.pushValue(at: call.slot(2)) } else { lua.newTable() }
        try lua.call(arguments: 2, results: 0, phase: phases.load)
    }

    private func wipeResources(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        guard call.count > 0 else { return service.wipeResources() }
        if call.type(1) == .function {
            let matches = try call.function(1, "fn")
            let lua = call.lua
            try service.wipeResources { resource in
                lua.push(matches)
                values.push(resource, on: lua)
                // What it raises is the caller's, as it is.
                try lua.call(arguments: 1, results: 1, phase: phases.predicate)
                defer { lua.pop() }
                return lua.isTruthy(-1)
            }
            return
        }
        let pattern = try PatternBinding(context: context).pattern(call, 1, service)
        try service.wipeResources { resource in
            try resource.url.map { try pattern.matches($0) { _ in false } } ?? false
        }
    }

    /// What people look for on a service and find elsewhere.
    private static let elsewhere = Dictionary(
        uniqueKeysWithValues: ["get", "load", "load_if_needed", "request", "child", "with_param"].map {
            ($0, "a resource has it: service:resource(\"/path\"):\($0)(…)")
        })
}
