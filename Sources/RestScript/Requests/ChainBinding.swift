import LuaRuntime
import RestEngine

/// The result of a chain's function.
final class ScriptAction: LuaObject {
    let action: ChainAction
    /// The Lua object of the request, which counts what the request keeps.
    private let request: LuaReference?
    let keptBytes: Int

    @EngineActor
    init(_ action: ChainAction, keeping request: LuaReference? = nil) {
        self.action = action
        self.request = request
        keptBytes = if case .useResponse(let info) = action { info.heldBytes } else { 64 }
    }
}

/// `request:chained(fn)` and the actions that fn may return (rules 10).
struct ChainBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: chainFunctions,
            fields: [
                BoundField(
                    "use_this_response", type: "resthost.action",
                    onLoop { (lua: Lua) in push(.useThisResponse, on: lua) })
            ],
            classes: [show(ScriptAction.self, as: makeActionClass)])
    }

    var chainMethod: LuaMethod {
        method(
            "chained", "(fn: function(info) -> action) -> request",
            "A request that waits for this one and then acts on the result of fn; fn may wait. Cancelling it cancels what it "
                + "waits for."
        ) { call in
            let request = try call.receiver(as: Request.self)
            let function = try call.scriptFunction(1, "fn")
            values.push(request.chained(deciding: decider(function, of: request)), on: call.lua)
            return .one
        }
    }

    var chainFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "use_response", "(response: response | info | entity | error) -> action",
                "Ends a chain with this response, without a pipeline."
            ) { call in
                if let box = call.lua.object(call.slot(1), as: ScriptInfo.self) {
                    push(.useResponse(box.info), on: call.lua)
                } else if let response = values.response(call.lua, call.slot(1)) {
                    push(.useResponse(ResponseInfo(response)), on: call.lua)
                } else {
                    throw call.wrongType(1, "response", "response, info, entity or error")
                }
                return .one
            },
            ModuleFunction(
                "pass_to", "(request) -> action",
                "Makes a chain wait for this request, which is started if necessary."
            ) { call in
                let request = try call.object(1, "request", as: Request.self, expected: "request")
                values.push(
                    ScriptAction(.passTo(request), keeping: call.lua.reference(call.slot(1))), on: call.lua)
                return .one
            },
        ]
    }

    func makeActionClass() -> LuaClass {
        LuaClass(
            "action",
            documentation:
                "The result of a chain's function: `rest.use_this_response`, which ends the chain with the response "
                + "that it got, or a result of `rest.use_response` or `rest.pass_to`.",
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
        values.push(ScriptAction(action), on: lua)
    }

    /// A function that has begun runs to its end, even if the chain is cancelled meanwhile, because it may
    /// have other effects. Its result is then ignored.
    private func decider(_ function: ScriptFunction, of request: Request) -> ChainDecider {
        { [weak context, weak request] info, decision in
            guard let context, !context.isClosed else { return decision.fail(ScriptContext.closed) }
            context.runner.run(
                function.reference,
                arguments: { lua in
                    values.push(ScriptInfo(info, of: request), on: lua)
                    return 1
                }
            ) { [context] lua, result in
                do { decision.answer(try action(lua, result, function)) } catch {
                    guard !decision.isAwaited, case .failure(let error) = result else {
                        return decision.fail(error)
                    }
                    context.runner.report(error, in: "the function of a cancelled chain")
                }
            }
        }
    }

    private func action(
        _ lua: Lua, _ result: Result<Int32, LuaError>, _ function: ScriptFunction
    ) throws -> ChainAction {
        switch result {
        case .failure(let error):
            throw ScriptFailures.requestCause(of: error, in: values)
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
