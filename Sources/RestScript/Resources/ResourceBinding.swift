import LuaRuntime
import Platform
import RestEngine

/// The Lua class of resources: the methods that request and change them.
struct ResourceBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(Resource.self, as: makeResourceClass)])
    }

    func makeResourceClass() -> LuaClass {
        LuaClass(
            "resource",
            documentation: "Something at a URL: its latest data and error, and how to ask for more.",
            methods: loadMethods + navigationMethods + ObservingBinding(context: context).methods
                + localMethods,
            properties: resourceProperties,
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated {
                    (object as? Resource).map { "resource \(SecretMask.standard.line($0.summaryText))" }
                        ?? "resource"
                }
            }, elsewhere: Self.elsewhere)
    }

    private var loadMethods: [LuaMethod] {
        [
            method("load", "() -> request", "Always a new GET.", surplusAdvice: Self.otherRequests) { call in
                values.push(try call.receiver(as: Resource.self).load(), on: call.lua)
                return .one
            },
            method(
                "load_if_needed", "() -> request?", "A load, or the one in flight; nil when up to date.",
                surplusAdvice: Self.otherRequests
            ) { call in
                if let request = try call.receiver(as: Resource.self).loadIfNeeded() {
                    values.push(request, on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            method("load_using", "(request) -> request", "Makes any request a load of this resource.") {
                call in
                let request = try call.object(1, "request", as: Request.self, expected: "request")
                values.push(try call.receiver(as: Resource.self).load(using: request), on: call.lua)
                return .one
            },
            method(
                "request", "(method: string, options?: { ... }) -> request",
                "Starts a request. The resource keeps its state. Paths of files are relative to the script's folder.",
                options: GivenRequest.schema.descriptions
            ) { call in
                let resource = try call.receiver(as: Resource.self)
                values.push(
                    try RequestOptionsBinding(context: context).request(
                        resource, try call.string(1, "method"), call), on: call.lua)
                return .one
            },
            method(
                "get", "(options?: { ... }) -> content | nil, error", "Waits for up-to-date content.",
                surplusAdvice: Self.otherRequests, options: Self.getOptions.descriptions
            ) { call in
                let resource = try call.receiver(as: Resource.self)
                var isOnlyIfCached = false
                try call.options(1).read(Self.getOptions, into: &isOnlyIfCached)
                let isCached = isOnlyIfCached
                return .wait(isForWork: true) { waiter in
                    let read = isCached ? resource.readCached : { resource.read($0) }
                    read { [context] result in
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
                }
            },
        ]
    }

    private nonisolated static let getOptions = ScriptSchema<Bool>([
        .flag(
            "only_if_cached", default: "false",
            "Sends nothing, and gives the data in memory or in a cache, whatever its age."
        ) { $0 = $1 }
    ])

    private static let otherRequests =
        "request(method, options) takes method, headers and body; it leaves the resource as it is"

    private var navigationMethods: [LuaMethod] {
        [
            method(
                "child", "(text: string | raw) -> resource",
                "The resource below this one; in rest.raw(…) a slash inside a segment is `%2F`."
            ) { call in
                if let raw = call.lua.object(call.slot(1), as: ScriptEscapedText.self) {
                    values.push(
                        try call.receiver(as: Resource.self).child(raw: raw.text).limited(), on: call.lua)
                    return .one
                }
                let text = try call.text(1, "text", .path)
                context.services.adviseOnQuery(in: text, of: "resource:child", call)
                values.push(try call.receiver(as: Resource.self).child(text).limited(), on: call.lua)
                return .one
            },
            method("relative", "(href: string) -> resource", "Where a link on this one would lead.") { call in
                let href = try call.text(1, "href", .url)
                values.push(try call.receiver(as: Resource.self).relative(href).limited(), on: call.lua)
                return .one
            },
            method("optional_relative", "(href: string?) -> resource?", "The same; nil gives nil.") { call in
                let href =
                    trees.isNull(call.lua, call.slot(1)) ? nil : try call.optionalText(1, "href", .url)
                if let resource = try call.receiver(as: Resource.self).optionalRelative(href) {
                    values.push(try resource.limited(), on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            method(
                "with_param", "(name: string, value) -> resource",
                "Sets a parameter; nil removes it, a list repeats it."
            ) { call in
                let name = try call.text(1, "name", .url)
                let given = try values.paramValues(call.lua, call.slot(2), name) ?? []
                values.push(
                    try call.receiver(as: Resource.self).withParam(name, given).limited(), on: call.lua)
                return .one
            },
            method("with_params", "(params: table) -> resource", "Sets several parameters at once.") { call in
                let params = try values.params(call.lua, try call.table(1, "params"))
                values.push(
                    try call.receiver(as: Resource.self).withParams(params).limited(), on: call.lua)
                return .one
            },
        ]
    }

    /// Raises an error when there is no room for the entity. The resource then keeps its data.
    private func override(_ resource: Resource, _ entity: Entity) throws -> CallResult {
        if let refusal = resource.refusal(of: entity) { throw LuaUsageError(refusal.reason) }
        resource.overrideLocalData(entity)
        return .none
    }

    private var localMethods: [LuaMethod] {
        [
            method("override_local_data", "(entity)", "Sets the resource's data to this entity, unchanged.") {
                call in
                let entity = try call.object(1, "entity", as: ScriptEntity.self, expected: "entity").entity
                return try override(try call.receiver(as: Resource.self), entity)
            },
            method("override_local_content", "(content)", "Replaces only the content.") { call in
                guard let content = try values.content(call.lua, try call.any(1, "content")) else {
                    throw call.bad(1, "content", "content can't be nil; wipe() removes it")
                }
                let resource = try call.receiver(as: Resource.self)
                return try override(resource, resource.entity(withLocal: content))
            },
            method("invalidate", "()", "Marks the data as stale, so that the next use loads it again.") {
                call in
                try call.receiver(as: Resource.self).invalidate()
                return .none
            },
            method("wipe", "()", "Removes data and error, and cancels requests in flight.") { call in
                try call.receiver(as: Resource.self).wipe()
                return .none
            },
            method(
                "configuration_for", "(method: string) -> configuration",
                "The frozen configuration for a method."
            ) { call in
                let name = try call.string(1, "method")
                guard let method = Method.normalized(name) else {
                    throw call.bad(1, "method", "'\(name)' is not a method")
                }
                try pushConfiguration(of: call.receiver(as: Resource.self), method, on: call.lua)
                return .one
            },
        ]
    }

    /// Advice for names that a resource does not have.
    private static let elsewhere: [String: String] = {
        let latest = "resource.latest_data, which is nil before a load,"
        var advice = [
            "content": "resource:get() gives it, and \(latest) has the latest",
            "headers": "\(latest) has those of the answer; a block sets those of requests, c.headers",
            "await": "a request has it: resource:load():await()",
        ]
        for name in [
            "on_success", "on_failure", "on_completion", "on_new_data", "on_not_modified", "on_progress",
        ] {
            advice[name] = "a request has it: resource:load():\(name)(fn)"
        }
        // Other libraries have a method for each HTTP method.
        for name in ["post", "put", "patch", "delete"] {
            advice[name] = "write resource:request(\"\(name.uppercased())\", { json = … })"
        }
        advice["head"] = "write resource:request(\"HEAD\")"
        return advice
    }()
}
