import LuaRuntime
import Platform
import RestEngine

/// `rest.service{ … }`, and the Lua class of services.
struct ServiceBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "service", "(options: { ... }) -> service", "Declares a service.",
                    surplusAdvice: #"write rest.service { name = "api", base_url = … }"#,
                    options: ServiceOptions.schema.descriptions
                ) { call in try makeService(call) }
            ],
            classes: [
                show(Service.self, as: makeServiceClass),
                show(DeclaredTexts.self, isListed: false) { LuaClass("declarations") },
            ])
    }

    func makeServiceClass() -> LuaClass {
        LuaClass(
            "service", documentation: "An API: a base URL, configuration blocks, and resources.",
            methods: EndpointBinding(context: context).methods(of: { call in
                let service = try call.receiver(as: Service.self)
                return try defining { try EndpointDefinition(service) }
            }) + [
                method(
                    "resource", "(path: string, options?: { ... }) -> resource",
                    "The resource at base URL and path; the path is text, never read as a URL.",
                    options: PartitionOptions.ofResource.descriptions
                ) { call in
                    let path = try call.text(1, "path", .path)
                    context.services.adviseOnQuery(in: path, of: "service:resource", call)
                    var options = PartitionOptions()
                    try call.options(2).read(PartitionOptions.ofResource, into: &options)
                    values.push(
                        try call.receiver(as: Service.self)
                            .resource(path, partition: options.partition).limited(), on: call.lua)
                    return .one
                },
                method(
                    "resource_at", "(url: string?, path: string?) -> resource",
                    "The resource at an absolute URL, or at a path below another base."
                ) { call in
                    let service = try call.receiver(as: Service.self)
                    let url = try call.optionalText(1, "url", .url)
                    let path = try call.optionalText(2, "path", .path)
                    let resource =
                        path.map { service.resource(baseURL: url ?? "", path: $0) }
                        ?? service.resource(absoluteURL: url)
                    values.push(try resource.limited(), on: call.lua)
                    return .one
                },
                declaration(
                    "configure",
                    "(pattern?, options?: { ... }, fn: function(c)) -> service",
                    "Adds a configuration block.", options: BlockOptions.schema.descriptions
                ) { call in try BlockBinding(context: context).add(call) },
                declaration(
                    "configure_transformer", "(pattern, options?: { ... }, transformer) -> service",
                    "Adds a transformer for the content of matching resources.",
                    options: ConfiguredTransformerOptions.schema.descriptions
                ) { call in try TransformerBinding(context: context).addTransformer(call) },
                declaration(
                    "computed", "(path: string, options?: { ... }, fn) -> service",
                    """
                    Makes the content of a path's resources from other resources: `fn(params, resource)` reads them, and \
                    returns a content, or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its \
                    end for all others: `params.name`.
                    """, options: ComputedBinding.options.descriptions
                ) { call in try ComputedBinding(context: context).add(call) },
                declaration(
                    "use", "(plugin: function | string | table, options?) -> service",
                    """
                    Runs a plugin: a function of service and options, a table with one in `use`, or the name of a module \
                    that returns either. Without such a module in the script's folders, it is a plugin of the program: \
                    see [Plugins](plugins.md).
                    """
                ) { call in try usePlugin(call) },
                method("invalidate_configuration", "()", "Makes blocks run again when they are next needed.")
                {
                    call in
                    try call.receiver(as: Service.self).invalidateConfiguration()
                    return .none
                },
                method(
                    "wipe_resources",
                    "(matches?: string | regex | resource | { ... } | function(resource) -> boolean)",
                    """
                    Wipes all live resources, or those that match. With a table also entries in caches whose resources \
                    are not in memory.
                    """, options: PartitionOptions.ofWipe.descriptions
                ) { call in
                    try wipeResources(call)
                    return .none
                },
                method(
                    "flush_unused_resources", "()", "Drops resources that have no holders and no observers."
                ) { call in
                    let service = try call.receiver(as: Service.self)
                    return context.runner.unwound(call) { context.services.collectAndFlush([service]) }
                },
            ],
            properties: [
                property("name", "string", "The name, which is unique in a script.") { call in
                    call.lua.push(try call.receiver(as: Service.self).name)
                    return .one
                },
                property("base_url", "string?", "The base URL, with a slash at its end.") { call in
                    call.lua.push(optional: try call.receiver(as: Service.self).baseURL?.url.string)
                    return .one
                },
                limit(
                    "cached_resource_count_limit", .count,
                    "The number of live resources from which each new one replaces an unused one: first one without data, "
                        + "then the one that was not used for longest.",
                    { $0.cachedResourceCountLimit }
                ) { $0.cachedResourceCountLimit = $1 },
                limit(
                    "cached_resource_bytes_limit", .bytes,
                    "The most bytes of its resources; beyond it those not used for longest are dropped. Default: the "
                        + "host's limit, which it can only lower.", { $0.contentLimit }
                ) { $0.cachedResourceBytesLimit = $1 },
            ],
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated { (object as? Service).map { "service \($0.name)" } ?? "service" }
            }, elsewhere: Self.elsewhere)
    }

    /// A method that declares something of a service and returns the service. In a script that was replaced
    /// it does nothing.
    private func declaration(
        _ name: String, _ signature: String, _ documentation: String,
        options: @autoclosure @escaping () -> [OptionDescription] = [],
        _ declare: @escaping @EngineActor (Arguments) throws -> Void
    ) -> LuaMethod {
        method(name, signature, documentation, options: options()) { call in
            if context.generation.hasSay(name, at: call.place) {
                try context.declarations.declare(call) { try declare(call) }
            }
            call.lua.pushValue(at: 1)
            return .one
        }
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
                guard context.generation.hasSay(name, at: call.place) else { return .none }
                let service = try call.receiver(as: Service.self)
                write(service, Int(value))
                context.services.note(limit, of: service)
                return .none
            })
    }

    private func usePlugin(_ call: Arguments) throws {
        let lua = call.lua
        let hasOptions = !call.isAbsent(2)
        switch call.type(1) {
        case .string: try pushPlugin(named: try call.string(1, "plugin"), on: lua)
        case .function, .table: lua.pushValue(at: call.slot(1))
        default: throw call.wrongType(1, "plugin", "function, name of a plugin or module, or a module")
        }
        if lua.type(-1) == .table {
            lua.rawGet(-1, "use")
            lua.remove(-2)
        }
        guard lua.type(-1) == .function else {
            let name = call.type(1) == .string ? "module '\(try call.string(1, "plugin"))'" : "the table"
            throw LuaUsageError(
                "\(name) is no plugin: it is neither a function(service, options) nor a table with one in 'use'"
            )
        }
        lua.pushValue(at: 1)
        if hasOptions { lua.pushValue(at: call.slot(2)) } else { lua.newTable() }
        try lua.call(arguments: 2, results: 0, phase: phases.load)
    }

    /// Pushes the value of a module: one of the script's folders, or one that comes with the program, whose
    /// name may be without `resthost.`.
    private func pushPlugin(named name: String, on lua: Lua) throws {
        let bundled = "resthost.\(name)"
        do { try sandbox.pushModule(name, on: lua, phase: phases.load) } catch let error as LuaUsageError {
            // A module of the script's that can't be loaded, such as one that requires itself.
            if (try? sandbox.file(ofModule: name)) != nil { throw error }
            if BundledModules.source(bundled) != nil {
                return try sandbox.pushModule(bundled, on: lua, phase: phases.load)
            }
            throw LuaUsageError(error.message + NearestName.advice(name, among: BundledModules.names))
        }
    }

    private func wipeResources(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        if call.type(1) == .table {
            var options = PartitionOptions()
            try call.options(1).read(PartitionOptions.ofWipe, into: &options)
            guard let text = options.pattern else {
                guard let partition = options.partition else {
                    throw call.bad(1, "matches", "the table has neither a partition nor a pattern")
                }
                service.wipeResources(inPartition: partition)
                return
            }
            let pattern: GlobPattern
            do throws(PatternError) {
                pattern = try GlobPattern(text, base: service.baseURL).forPaths()
            } catch {
                throw LuaUsageError("bad option 'pattern' (\(error))")
            }
            service.wipeResources(inPartition: options.partition, pattern)
            return
        }
        let (matches, glob) = try wipedResources(call, service)
        let lua = call.lua
        try service.wipeResources(glob: glob, where: matches, polling: { try lua.poll() })
    }

    /// The function, and the glob that it stands for; nil for another function.
    private func wipedResources(
        _ call: Arguments, _ service: Service
    ) throws -> (matches: (Resource) throws -> Bool, glob: String?) {
        guard call.count > 0 else { return ({ _ in true }, nil) }
        if call.type(1) == .function {
            let matches = try call.function(1, "fn")
            let lua = call.lua
            let asked: (Resource) throws -> Bool = { [values, phases] resource in
                lua.push(matches)
                values.push(resource, on: lua)
                // An error of the function is the caller's error, unchanged.
                try lua.call(arguments: 1, results: 1, phase: phases.predicate)
                defer { lua.pop() }
                return lua.isTruthy(-1)
            }
            return (asked, nil)
        }
        var text: String?
        let pattern = try PatternBinding(context: context).pattern(call, 1, service)
        if case .glob(let glob) = pattern {
            do throws(PatternError) { _ = try glob.forPaths() } catch {
                throw LuaUsageError("bad pattern: \(error.description)")
            }
            text = glob.text
        }
        return (
            { resource in try resource.url.map { try pattern.matches($0) { _ in false } } ?? false }, text
        )
    }

    /// Advice for names that a service does not have.
    private static let elsewhere = Dictionary(
        uniqueKeysWithValues: ["get", "load", "load_if_needed", "request", "child", "with_param"].map {
            ($0, "a resource has it: service:resource(\"/path\"):\($0)(…)")
        }
            + ["post", "put", "patch", "delete"].map {
                ($0, "write service:resource(\"/path\"):request(\"\($0.uppercased())\", { json = … })")
            })
}
