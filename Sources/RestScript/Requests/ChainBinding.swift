import LuaRuntime
import RestEngine

/// What the function of a chain returns.
final class ScriptAction {
    let action: ChainAction
    init(_ action: ChainAction) { self.action = action }
}

/// `request:chained(fn)` and the actions that fn may return (siesta-semantics 10).
extension ScriptContext {
    var chainMethod: LuaMethod {
        method(
            "chained", "(fn: function(info) -> action) -> request",
            "A request that waits for this one and then does what fn says; fn may wait. Cancelling it cancels what it "
                + "waits for."
        ) { [unowned self] call in
            let request = try call.receiver(as: Request.self)
            let function = try call.scriptFunction(1, "fn")
            push(request.chained(deciding: decider(function)), on: call.lua)
            return .one
        }
    }

    var chainFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "use_response", "(response: response | info | entity | error) -> action",
                "Ends a chain with this response, which passes no pipeline."
            ) { [unowned self] call in
                if let box = call.lua.object(call.slot(1), as: ScriptInfo.self) {
                    push(.useResponse(box.info), on: call.lua)
                } else if let response = response(call.lua, call.slot(1)) {
                    push(.useResponse(ResponseInfo(response)), on: call.lua)
                } else {
                    throw call.wrongType(1, "response", "response, info, entity or error")
                }
                return .one
            },
            ModuleFunction(
                "pass_to", "(request) -> action",
                "Has a chain wait for this request, which is started if need be."
            ) { [unowned self] call in
                push(
                    .passTo(try call.object(1, "request", as: Request.self, expected: "request")),
                    on: call.lua)
                return .one
            },
        ]
    }

    func makeActionClass() -> LuaClass {
        LuaClass(
            "action",
            documentation:
                "What the function of a chain returns: `rest.use_this_response`, which ends the chain with the response "
                + "that it got, or what `rest.use_response` and `rest.pass_to` give.",
            tostring: { object in
                switch (object as? ScriptAction)?.action {
                case .useThisResponse?: "action use_this_response"
                case .useResponse?: "action use_response"
                case .passTo?: "action pass_to"
                case nil: "action"
                }
            })
    }

    private func push(_ action: ChainAction, on lua: Lua) {
        lua.push(object: ScriptAction(action), class: actionClass)
    }

    /// A function that has begun runs to its end, even if the chain is cancelled meanwhile: what it does may matter to
    /// others. Its answer is then ignored.
    private func decider(_ function: ScriptFunction) -> ChainDecider {
        { [weak self] info, decision in
            guard let self, !isClosed else { return decision.fail(ScriptContext.closed) }
            runner.run(
                function.reference,
                arguments: { lua in
                    lua.push(object: ScriptInfo(info), class: infoClass)
                    return 1
                }
            ) { [self] lua, result in
                do { decision.answer(try action(lua, result, function)) } catch {
                    guard !decision.isAwaited, case .failure(let error) = result else {
                        return decision.fail(error)
                    }
                    runner.report(error, in: "the function of a cancelled chain")
                }
            }
        }
    }

    private func action(
        _ lua: Lua, _ result: Result<Int32, LuaError>, _ function: ScriptFunction
    ) throws -> ChainAction {
        switch result {
        case .failure(let error):
            throw ScriptFailures.requestCause(of: error, in: self)
        case .success(let count):
            let place = lua.top - count + 1
            if count > 0, let box = lua.object(place, as: ScriptAction.self) { return box.action }
            let returned = count > 0 ? lua.nameOfResult(place) : "nothing"
            throw function.failure(
                "the function of a chain returned \(returned) where it must return rest.use_this_response, "
                    + "rest.use_response(…) or rest.pass_to(…)")
        }
    }
}
