import LuaRuntime
public import RestEngine

/// The function of `gateway:before` or `gateway:after`.
@EngineActor
public final class ScriptGatewayHook: Sendable {
    /// The script, which owns this object.
    private weak var context: ScriptContext?
    private let function: LuaReference

    init(_ context: ScriptContext, _ function: LuaReference) {
        self.context = context
        self.function = function
    }

    /// Runs the function before a request is answered. `completion` is called exactly once, possibly before
    /// this returns. It gets the headers for the API and the partition, or the answer of the function.
    package func before(
        _ request: ServedRequest, _ forward: Headers,
        _ completion:
            @escaping @EngineActor (
                Result<(forward: Headers, partition: String?, answer: ServedAnswer?), RequestError>
            ) -> Void
    ) {
        let served = ScriptServedRequest(request, forward: forward)
        run({ lua, context in
            context.values.push(served, on: lua)
            return 1
        }) { result, lua, context in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let count):
                completion(
                    ServedAnswer.returned(lua, count, by: "a hook", context).map {
                        (served.forward ?? forward, served.partition, $0)
                    })
            }
        } closed: {
            completion(.failure($0))
        }
    }

    /// Runs the function after a request was answered, with the head of the answer. `completion` is called
    /// exactly once, possibly before this returns.
    package func after(
        _ request: ServedRequest, _ head: ServedHead,
        _ completion: @escaping @EngineActor (Result<ServedHead, RequestError>) -> Void
    ) {
        let answer = ScriptServedHead(head)
        run({ lua, context in
            context.values.push(ScriptServedRequest(request), on: lua)
            context.values.push(answer, on: lua)
            return 2
        }) { result, _, _ in
            completion(result.map { _ in answer.head })
        } closed: {
            completion(.failure($0))
        }
    }

    private func run(
        _ push: (Lua, ScriptContext) -> Int32,
        _ completion: @escaping @EngineActor (Result<Int32, RequestError>, Lua, ScriptContext) -> Void,
        closed: (RequestError) -> Void
    ) {
        guard let context, !context.values.isClosed else {
            return closed(RequestError(cause: ScriptContext.closed.cause, timestamp: 0))
        }
        context.runner.run(
            function, phase: context.phases.job, arguments: { push($0, context) },
            completion: { [context] lua, result in
                completion(result.mapError { context.values.requestError(of: $0) }, lua, context)
            })
    }
}

extension ScriptGatewayHook: Equatable {
    public nonisolated static func == (a: ScriptGatewayHook, b: ScriptGatewayHook) -> Bool { a === b }
}
