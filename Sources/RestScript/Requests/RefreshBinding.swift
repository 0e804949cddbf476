import LuaRuntime
import RestEngine

/// `rest.refresh_on(predicate, fn)`; the rules are ``RefreshGate``'s.
extension ScriptContext {
    var refreshOn: ModuleFunction {
        ModuleFunction(
            "refresh_on",
            "(predicate: integer | function(err) -> boolean, fn: function() -> (true | nil, error)) "
                + "-> function(resource, request) -> request",
            "A decorator that renews a token: fn runs once for all requests that were refused together, and each is "
                + "repeated once."
        ) { [unowned self] call in
            let predicate = try refreshPredicate(call)
            let refresh = refresh(try call.scriptFunction(2, "fn"))
            let gate =
                blocks.current?.gate(for: call.lua.callerPlace.map { "\($0.file):\($0.line)" })
                ?? RefreshGate()
            let decorate = gate.decorator(when: predicate, refresh: refresh)
            call.lua.push(
                function: hostFunction { [unowned self] call in
                    let resource = try call.object(1, "resource", as: Resource.self, expected: "resource")
                    let request = try call.object(2, "request", as: Request.self, expected: "request")
                    push(try decorate(resource, request), on: call.lua)
                    return .one
                }, name: "rest.refresh_on(…)")
            return .one
        }
    }

    private func refreshPredicate(_ call: Arguments) throws -> RefreshGate.Predicate {
        if call.type(1) == .number {
            let status = try call.integer(1, "predicate")
            guard (100...599).contains(status) else {
                throw call.bad(1, "predicate", "a status is 100 to 599")
            }
            return { $0.httpStatusCode == Int(status) }
        }
        guard call.lua.isCallable(call.slot(1)) else {
            throw call.wrongType(1, "predicate", "status or function of the error")
        }
        let function = try call.scriptFunction(1, "predicate")
        return { [weak self] error in
            guard let self else { throw ScriptContext.closed }
            return try runner.call(function, phase: phases.refreshPredicate) { lua in
                pushError(error, on: lua)
                return 1
            } read: { lua in
                lua.isTruthy(-1)
            }
        }
    }

    private func refresh(_ function: ScriptFunction) -> RefreshGate.Refresh {
        { [weak self] done in
            guard let self, !isClosed else {
                return done(.failed(RequestError(thrown: ScriptContext.closed, timestamp: 0)))
            }
            runner.run(function.reference, arguments: { _ in 0 }) { [self] lua, result in
                done(outcome(lua, result))
            }
        }
    }

    /// True, or anything like it, is a success; nil or false may be followed by an error, or by its message.
    private func outcome(_ lua: Lua, _ result: Result<Int32, LuaError>) -> RefreshGate.Outcome {
        switch result {
        case .failure(let error): return .failed(requestError(of: error))
        case .success(let count):
            let place = lua.top - count + 1
            if count > 0, lua.isTruthy(place) { return .renewed }
            guard count > 1 else { return .failed(nil) }
            if let box = lua.object(place + 1, as: ScriptErrorBox.self) { return .failed(box.error) }
            return .failed(
                lua.string(place + 1).map { RequestError(userMessage: $0, timestamp: engine.scheduler.now) })
        }
    }
}
