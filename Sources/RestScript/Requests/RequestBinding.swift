import LuaRuntime
import RestEngine

/// Requests, and the hooks that scripts attach to them.
struct RequestBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "failed_request", "(error: error | string) -> request",
                    "A request that has failed already."
                ) { call in
                    let error: RequestError
                    if let known = call.lua.object(call.slot(1), as: ScriptErrorBox.self)?.error {
                        error = known
                    } else if let text = call.lua.string(call.slot(1)) {
                        error = RequestError(userMessage: text, timestamp: values.now)
                    } else {
                        throw call.wrongType(1, "error", "error or string")
                    }
                    values.push(Request(engine: engine, failedWith: error), on: call.lua)
                    return .one
                }
            ],
            classes: [show(Request.self, as: makeRequestClass)])
    }

    func makeRequestClass() -> LuaClass {
        LuaClass(
            "request", documentation: "One request: it starts once, ends once, and then runs its hooks.",
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
                method("repeated", "() -> request", "A new request for the same call, not started.") { call in
                    values.push(try call.receiver(as: Request.self).repeated(), on: call.lua)
                    return .one
                },
                ChainBinding(context: context).chainMethod,
                method("await", "() -> entity | nil, error", "Waits for the end.") { call in
                    let request = try call.receiver(as: Request.self)
                    return .wait(isForWork: true) { waiter in
                        request.onCompletion { [context] info in
                            if let error = info.response.error { return context.runner.fail(waiter, error) }
                            waiter.resume(
                                onLoop { (lua: Lua) in context.values.pushOutcome(info.response, on: lua) })
                        }
                    }
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
                property("response", "response?", "The outcome; nil before the end.") { call in
                    let request = try call.receiver(as: Request.self)
                    if let info = request.info {
                        values.push(ScriptResponse(info.response, request.attempts), on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
            ],
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated {
                    (object as? Request).map { "request \(SecretMask.standard.line($0.description))" }
                        ?? "request"
                }
            }, elsewhere: Self.elsewhere)
    }

    /// The methods that attach a hook. Each returns the request.
    private var hookMethods: [LuaMethod] {
        func hook(
            _ name: String, _ gets: String, _ when: String,
            _ attach: @escaping @EngineActor (ScriptContext, Request, LuaReference) -> Void
        ) -> LuaMethod {
            method(name, "(fn: function(\(gets))) -> request", when) { call in
                attach(context, try call.receiver(as: Request.self), try call.callable(1, "fn"))
                call.lua.pushValue(at: 1)
                return .one
            }
        }
        return [
            hook("on_completion", "info", "Runs when the request has ended, after success and failure.") {
                context, request, fn in
                request.onCompletion { [weak request] info in
                    Self.runHook(context, fn, "on_completion", request) { lua in
                        values.push(ScriptInfo(info, of: request), on: lua)
                        return 1
                    }
                }
            },
            hook("on_success", "entity", "Runs after a success, with or without new data.") {
                context, request, fn in
                request.onSuccess { [weak request] entity in
                    Self.runHook(context, fn, "on_success", request) { lua in
                        context.values.push(entity, on: lua)
                        return 1
                    }
                }
            },
            hook("on_new_data", "entity", "Runs after a success that brought data.") { context, request, fn in
                request.onNewData { [weak request] entity in
                    Self.runHook(context, fn, "on_new_data", request) { lua in
                        context.values.push(entity, on: lua)
                        return 1
                    }
                }
            },
            hook("on_not_modified", "", "Runs when a 304 confirmed the data.") { context, request, fn in
                request.onNotModified { [weak request] in
                    Self.runHook(context, fn, "on_not_modified", request) { _ in 0 }
                }
            },
            hook("on_failure", "error", "Runs after a failure, cancellation included.") {
                context, request, fn in
                request.onFailure { [weak request] error in
                    Self.runHook(context, fn, "on_failure", request) { lua in
                        context.values.pushError(error, on: lua)
                        return 1
                    }
                }
            },
            hook("on_progress", "fraction", "Runs as the request goes on, with 1 at its end.") {
                context, request, fn in
                request.onProgress { [weak request] fraction in
                    Self.runHook(context, fn, "on_progress", request) { lua in
                        lua.push(fraction)
                        return 1
                    }
                }
            },
        ]
    }

    /// The hook must not hold its request, because a request that never starts would never be released.
    private static func runHook(
        _ context: ScriptContext, _ function: LuaReference, _ name: String, _ request: Request?,
        arguments: @escaping (Lua) -> Int32
    ) {
        guard !context.isClosed else { return }
        if context.runner.isLate {
            return context.runner.later { [weak request] in
                runHook(context, function, name, request, arguments: arguments)
            }
        }
        context.runner.run(
            function, as: "\(name) of \(EngineActor.assumeIsolated { request?.description ?? "a request" })",
            arguments: arguments)
    }

    /// Advice for names of entities and errors, which a request has only after its end.
    private static let elsewhere: [String: String] = {
        let first = "await it: local entity, err = request:await(), then"
        var advice = ["then": "write request:on_completion(fn), or local entity, err = request:await()"]
        for name in [
            "content", "content_kind", "content_type", "charset", "headers", "etag", "timestamp", "text",
            "json", "status", "url",
        ] {
            advice[name] = "\(first) entity.\(name)"
        }
        for name in ["data", "body"] { advice[name] = "\(first) entity.content" }
        for name in ["user_message", "http_status_code", "cause", "attempt", "attempts"] {
            advice[name] = "\(first) err.\(name)"
        }
        for name in ["entity", "error"] { advice[name] = "local entity, err = request:await() gives it" }
        return advice
    }()
}
