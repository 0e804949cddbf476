import LuaRuntime
import RestEngine

extension ScriptContext {
    func push(_ request: Request, on lua: Lua) { lua.push(object: request, class: requestClass) }

    func makeRequestClass() -> LuaClass {
        LuaClass(
            "request", documentation: "One request: it starts once, ends once, and tells those who asked.",
            methods: hookMethods + [
                method("start", "() -> request", "Starts it, if it has not started.") { call in
                    try call.receiver(as: Request.self).start()
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method("cancel", "()", "Ends it as cancelled; no effect on one that has ended.") { call in
                    try call.receiver(as: Request.self).cancel()
                    return .none
                },
                method("repeated", "() -> request", "A new request for the same call, not started.") {
                    [unowned self] call in
                    push(try call.receiver(as: Request.self).repeated(), on: call.lua)
                    return .one
                },
                chainMethod,
                method("await", "() -> entity | nil, error", "Waits for the end.") { [unowned self] call in
                    let request = try call.receiver(as: Request.self)
                    return .wait { waiter in self.resume(waiter, with: request) }
                },
            ],
            properties: [
                property("state", "string", "`not_started`, `in_progress` or `completed`.") { call in
                    call.lua.push(try call.receiver(as: Request.self).state.rawValue)
                    return .one
                },
                property("is_cancelled", "boolean", "It was cancelled before it ended.") { call in
                    call.lua.push(try call.receiver(as: Request.self).isCancelled)
                    return .one
                },
                property("progress", "number", "0 to 1; 1 for every request that has ended.") { call in
                    call.lua.push(try call.receiver(as: Request.self).progress)
                    return .one
                },
                property("response", "response?", "The outcome; nil before the end.") { [unowned self] call in
                    if let info = try call.receiver(as: Request.self).info {
                        push(info.response, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
            ],
            tostring: { object in
                EngineActor.assumeIsolated {
                    (object as? Request).map { "request \($0.description)" } ?? "request"
                }
            }, elsewhere: Elsewhere.ofRequests)
    }

    /// The methods that attach a hook; each gives the request back.
    private var hookMethods: [LuaMethod] {
        func hook(
            _ name: String, _ gets: String, _ when: String,
            _ attach: @escaping @EngineActor (ScriptContext, Request, LuaReference) -> Void
        ) -> LuaMethod {
            method(name, "(fn: function(\(gets))) -> request", when) { [unowned self] call in
                attach(self, try call.receiver(as: Request.self), try call.callable(1, "fn"))
                call.lua.pushValue(at: 1)
                return .one
            }
        }
        return [
            hook("on_completion", "info", "Runs when the request has ended, however it did.") {
                context, request, fn in
                request.onCompletion { [weak request] info in
                    context.runHook(fn, "on_completion", request) { lua in
                        lua.push(object: ScriptInfo(info), class: context.infoClass)
                        return 1
                    }
                }
            },
            hook("on_success", "entity", "Runs after a success, new data or not.") { context, request, fn in
                request.onSuccess { [weak request] entity in
                    context.runHook(fn, "on_success", request) { lua in
                        context.push(entity, on: lua)
                        return 1
                    }
                }
            },
            hook("on_new_data", "entity", "Runs after a success that brought data.") { context, request, fn in
                request.onNewData { [weak request] entity in
                    context.runHook(fn, "on_new_data", request) { lua in
                        context.push(entity, on: lua)
                        return 1
                    }
                }
            },
            hook("on_not_modified", "", "Runs when a 304 confirmed the data.") { context, request, fn in
                request.onNotModified { [weak request] in
                    context.runHook(fn, "on_not_modified", request) { _ in 0 }
                }
            },
            hook("on_failure", "error", "Runs after a failure, cancellation included.") {
                context, request, fn in
                request.onFailure { [weak request] error in
                    context.runHook(fn, "on_failure", request) { lua in
                        context.pushError(error, on: lua)
                        return 1
                    }
                }
            },
            hook("on_progress", "fraction", "Runs as the request goes on, with 1 at its end.") {
                context, request, fn in
                request.onProgress { [weak request] fraction in
                    context.runHook(fn, "on_progress", request) { lua in
                        lua.push(fraction)
                        return 1
                    }
                }
            },
        ]
    }

    /// A hook must not hold its request: one that never starts would never be let go of.
    private func runHook(
        _ function: LuaReference, _ name: String, _ request: Request?, arguments: (Lua) -> Int32
    ) {
        guard !isClosed else { return }
        runner.run(
            function, as: "\(name) of \(EngineActor.assumeIsolated { request?.description ?? "a request" })",
            arguments: arguments)
    }

    /// Resumes a script with what `:await` gives: the entity, or nil and the error.
    func resume(_ waiter: LuaWaiter, with request: Request) {
        request.onCompletion { [self] info in
            waiter.resume(
                onLoop { (lua: Lua) in self.pushOutcome(info.response, on: lua) })
        }
    }

    func pushOutcome(_ response: Response, on lua: Lua) -> Int32 {
        switch response {
        case .success(let entity):
            push(entity, on: lua)
            return 1
        case .failure(let error):
            lua.pushNil()
            pushError(error, on: lua)
            return 2
        }
    }
}
