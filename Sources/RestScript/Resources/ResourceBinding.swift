import LuaRuntime
import RestEngine

extension ScriptContext {
    func push(_ resource: Resource, on lua: Lua) { lua.push(object: resource, class: resourceClass) }

    func makeResourceClass() -> LuaClass {
        LuaClass(
            "resource",
            documentation: "Something at a URL: its latest data and error, and how to ask for more.",
            methods: loadMethods + navigationMethods + observingMethods + localMethods,
            properties: resourceProperties,
            tostring: { object in
                EngineActor.assumeIsolated {
                    (object as? Resource).map { "resource \($0.summaryText)" } ?? "resource"
                }
            }, elsewhere: Elsewhere.ofResources)
    }

    private var loadMethods: [LuaMethod] {
        [
            method("load", "() -> request", "Always a new GET.") { [unowned self] call in
                push(try call.receiver(as: Resource.self).load(), on: call.lua)
                return .one
            },
            method("load_if_needed", "() -> request?", "A load, or the one in flight; nil when up to date.") {
                [unowned self] call in
                if let request = try call.receiver(as: Resource.self).loadIfNeeded() {
                    push(request, on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            method("load_using", "(request) -> request", "Makes any request a load of this resource.") {
                [unowned self] call in
                let request = try call.object(1, "request", as: Request.self, expected: "request")
                push(try call.receiver(as: Resource.self).load(using: request), on: call.lua)
                return .one
            },
            method(
                "request",
                "(method: string, options?: { body | text | json | form | multipart | file, content_type?, charset?, "
                    + "headers?, query?, mutate?, idempotency_key? }) -> request",
                "A started request; the resource's state is untouched. Paths of files are relative to the script's folder."
            ) {
                [unowned self] call in
                let resource = try call.receiver(as: Resource.self)
                push(try request(resource, try call.string(1, "method"), call), on: call.lua)
                return .one
            },
            method("get", "() -> content | nil, error", "Waits for up-to-date content.") {
                [unowned self] call in
                let resource = try call.receiver(as: Resource.self)
                return .wait { waiter in
                    resource.read { result in
                        waiter.resume(
                            onLoop { (lua: Lua) in
                                switch result {
                                case .success(let entity):
                                    self.push(entity.content, on: lua)
                                    return 1
                                case .failure(let error):
                                    lua.pushNil()
                                    self.pushError(error, on: lua)
                                    return 2
                                }
                            })
                    }
                }
            },
        ]
    }

    private var navigationMethods: [LuaMethod] {
        [
            method("child", "(text: string) -> resource", "The resource below this one.") {
                [unowned self] call in
                push(try call.receiver(as: Resource.self).child(try call.string(1, "text")), on: call.lua)
                return .one
            },
            method("relative", "(href: string) -> resource", "Where a link on this one would lead.") {
                [unowned self] call in
                push(try call.receiver(as: Resource.self).relative(try call.string(1, "href")), on: call.lua)
                return .one
            },
            method("optional_relative", "(href: string?) -> resource?", "The same; nil gives nil.") {
                [unowned self] call in
                let href = trees.isNull(call.lua, call.slot(1)) ? nil : try call.optionalString(1, "href")
                if let resource = try call.receiver(as: Resource.self).optionalRelative(href) {
                    push(resource, on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            method(
                "with_param", "(name: string, value) -> resource",
                "Sets a parameter; nil removes it, a list repeats it."
            ) {
                [unowned self] call in
                let name = try call.string(1, "name")
                let values = try paramValues(call.lua, call.slot(2), name)
                push(try call.receiver(as: Resource.self).withParam(name, values), on: call.lua)
                return .one
            },
            method("with_params", "(params: table) -> resource", "Sets several parameters at once.") {
                [unowned self] call in
                let params = try params(call.lua, try call.table(1, "params"))
                push(try call.receiver(as: Resource.self).withParams(params), on: call.lua)
                return .one
            },
        ]
    }

    /// Without room for it, that is an error of the script, which goes on with what there was.
    private func override(_ resource: Resource, _ entity: Entity) throws -> Verdict {
        if let refusal = resource.refusal(of: entity) { throw LuaUsageError(refusal.reason) }
        resource.overrideLocalData(entity)
        return .none
    }

    private var localMethods: [LuaMethod] {
        [
            method("override_local_data", "(entity)", "Puts an entity in place as it is.") {
                [unowned self] call in
                let entity = try call.object(1, "entity", as: ScriptEntity.self, expected: "entity").entity
                return try override(try call.receiver(as: Resource.self), entity)
            },
            method("override_local_content", "(content)", "Replaces the content alone.") {
                [unowned self] call in
                guard let content = try content(call.lua, try call.any(1, "content")) else {
                    throw call.bad(1, "content", "content can't be nil; wipe() removes it")
                }
                let resource = try call.receiver(as: Resource.self)
                return try override(resource, resource.entity(withLocal: content))
            },
            method("invalidate", "()", "The next use loads again.") { call in
                try call.receiver(as: Resource.self).invalidate()
                return .none
            },
            method("wipe", "()", "Forgets data and error and cancels what is in flight.") { call in
                try call.receiver(as: Resource.self).wipe()
                return .none
            },
            method(
                "configuration_for", "(method: string) -> configuration",
                "The frozen configuration for a method."
            ) {
                [unowned self] call in
                let name = try call.string(1, "method")
                guard let method = Method.normalized(name) else {
                    throw call.bad(1, "method", "'\(name)' is not a method")
                }
                try pushConfiguration(of: call.receiver(as: Resource.self), method, on: call.lua)
                return .one
            },
        ]
    }
}
