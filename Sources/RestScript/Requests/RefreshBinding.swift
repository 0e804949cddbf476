import LuaRuntime
import RestEngine

/// `rest.refresh_on(predicate, fn)`. ``RefreshGate`` has the rules.
struct RefreshBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: [refreshOn]) }

    private var refreshOn: ModuleFunction {
        ModuleFunction(
            "refresh_on",
            "(predicate: integer | function(err) -> boolean, fn: function(partition: string?) -> (true | nil, error)) "
                + "-> function(resource, request) -> request",
            "A decorator that renews a token: fn runs once for all requests that were refused together, and each is "
                + "repeated once. Each partition has a refresh of its own."
        ) { call in
            let predicate = try refreshPredicate(call)
            let function = try call.scriptFunction(2, "fn")
            let gate =
                context.blocks.current?.gate(for: call.place, context.declarations) ?? RefreshGate()
            let decorate = gate.decorator(
                when: predicate, refreshOf: { refresh(function, ofPartition: $0) })
            call.lua.push(
                function: hostFunction { call in
                    let resource = try call.object(1, "resource", as: Resource.self, expected: "resource")
                    let request = try call.object(2, "request", as: Request.self, expected: "request")
                    values.push(try decorate(resource, request), on: call.lua)
                    return .one
                }, name: "rest.refresh_on(…)", keeping: 512)
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
        return { [weak context] error in
            guard let context else { throw ScriptContext.closed }
            return try context.runner.call(function, phase: phases.refreshPredicate) { lua in
                values.pushError(error, on: lua)
                return 1
            } read: { lua in
                lua.isTruthy(-1)
            }
        }
    }

    private func refresh(_ function: ScriptFunction, ofPartition partition: String?) -> RefreshGate.Refresh {
        { [weak context] done in
            guard let context, !context.isClosed else {
                return done(.failed(RequestError(thrown: ScriptContext.closed, timestamp: 0)))
            }
            context.runner.run(
                function.reference,
                arguments: { lua in
                    guard let partition else { return 0 }
                    lua.push(partition)
                    return 1
                }
            ) { [context] lua, result in
                if case .success(0) = result { Self.warnOfMissingReturn(function, context) }
                done(RefreshBinding(context: context).outcome(lua, result))
            }
        }
    }

    /// A function that returns nothing probably forgot to; a failure is reported by nil or false.
    private static func warnOfMissingReturn(_ function: ScriptFunction, _ context: ScriptContext) {
        context.options.log(
            ScriptLogEntry(
                level: .warn,
                text:
                    "the function of rest.refresh_on returned nothing, which counts as a failure: 'return true' "
                    + "says that the token is new",
                place: function.place))
    }

    /// A true value means success. After nil or false, an error or its message may follow.
    private func outcome(_ lua: Lua, _ result: Result<Int32, LuaError>) -> RefreshGate.Outcome {
        switch result {
        case .failure(let error): return .failed(values.requestError(of: error))
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
