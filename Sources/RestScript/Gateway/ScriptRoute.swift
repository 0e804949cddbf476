import LuaRuntime
public import RestEngine

/// The function of a route.
@EngineActor
public final class ScriptRoute: Sendable {
    /// The script, which owns this object.
    private weak var context: ScriptContext?
    private let function: LuaReference

    init(_ context: ScriptContext, _ function: LuaReference) {
        self.context = context
        self.function = function
    }

    /// `completion` is called exactly once, possibly before this function returns.
    package func answer(
        _ request: ServedRequest,
        _ completion: @escaping @EngineActor (Result<ServedAnswer, RequestError>) -> Void
    ) {
        guard let context, !context.values.isClosed else {
            return completion(.failure(RequestError(cause: ScriptContext.closed.cause, timestamp: 0)))
        }
        context.runner.run(
            function, phase: context.phases.job,
            arguments: { [context] lua in
                context.values.push(ScriptServedRequest(request), on: lua)
                return 1
            },
            completion: { [context] lua, result in
                switch result {
                case .failure(let error): completion(.failure(context.values.requestError(of: error)))
                case .success(let count):
                    completion(
                        ServedAnswer.returned(lua, count, by: "a route", context).map {
                            $0 ?? .content(Self.nothing(context))
                        })
                }
            })
    }

    /// A route that returns nothing answers 204.
    private static func nothing(_ context: ScriptContext) -> Entity {
        var entity = Entity(content: .bytes([]), timestamp: context.engine.scheduler.now)
        entity.status = 204
        return entity
    }
}

extension ServedAnswer {
    /// The answer from a function's results, which are on top of the stack; nil if it returned nothing.
    ///
    /// - Parameter function: In error messages: `a route`.
    @EngineActor
    static func returned(
        _ lua: Lua, _ count: Int32, by function: String, _ context: ScriptContext
    ) -> Result<ServedAnswer?, RequestError> {
        if count > 0, let stream = lua.object(lua.top - count + 1, as: ScriptStreamResponse.self) {
            return .success(.stream(stream.stream))
        }
        let given = count > 0 ? lua.object(lua.top - count + 1, as: ScriptResponse.self) : nil
        switch ReturnedAnswer(lua, count, of: function, context) {
        case .response(.success(let entity)):
            return .success(.content(entity, expirationSeconds: given?.expirationSeconds))
        case .response(.failure(let error)): return .failure(error)
        case .content(nil): return .success(nil)
        case .content(let content?):
            var entity = Entity(content: content, timestamp: context.engine.scheduler.now)
            let type = content.text == nil ? RouteResponseBinding.type(of: content) : "text/plain"
            entity.headers.set("Content-Type", type)
            entity.status = 200
            return .success(.content(entity))
        }
    }
}

extension ScriptRoute: Equatable {
    public nonisolated static func == (a: ScriptRoute, b: ScriptRoute) -> Bool { a === b }
}
