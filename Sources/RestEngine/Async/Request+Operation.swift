extension Request {
    /// A request whose work is an asynchronous function. The function runs as a task of its own when the
    /// request starts, and again when it is repeated. Cancelling the request cancels the task. The result
    /// does not go through a pipeline (rules 11).
    ///
    /// - Parameters:
    ///   - description: For logs.
    ///   - timeout: See ``CustomRequest/timeout``.
    ///   - operation: If it throws a ``RequestError``, that is the error of the request; any other error
    ///     becomes the cause of one.
    ///   - fileID: The file of the caller, for messages.
    ///   - line: The line of the caller, for messages.
    ///   - engine: The engine that runs the request.
    public convenience init(
        engine: Engine, description: String = "custom request", timeout: Duration? = nil,
        fileID: String = #fileID, line: Int = #line,
        operation: @escaping @EngineActor () async throws -> Entity
    ) {
        self.init(
            engine: engine, custom: AsyncOperation(engine, description, timeout, operation), fileID: fileID,
            line: line)
    }

    /// A chain whose decision is asynchronous (rules 10); see ``chained(_:)``. Cancelling the chain cancels
    /// the function.
    public func chained(
        awaiting decide: @escaping @EngineActor (ResponseInfo) async throws -> ChainAction
    ) -> Request {
        chained(deciding: { [scheduler = engine.scheduler] info, decision in
            let task = WorkScope.task(on: scheduler) {
                do { decision.answer(try await decide(info)) } catch { decision.fail(error) }
            }
            decision.chain.onCompletion { _ in task.cancel() }
        })
    }
}

/// An asynchronous function as a custom request.
@EngineActor
final class AsyncOperation: CustomRequest {
    let description: String
    let timeout: Duration?
    private let engine: Engine
    private let operation: @EngineActor () async throws -> Entity
    private var task: Task<Void, Never>?

    init(
        _ engine: Engine, _ description: String, _ timeout: Duration?,
        _ operation: @escaping @EngineActor () async throws -> Entity
    ) {
        self.engine = engine
        self.description = description
        self.timeout = timeout
        self.operation = operation
    }

    func start(_ completion: RequestCompletion) {
        task = WorkScope.task(on: engine.scheduler) { [engine, operation] in
            do {
                completion.complete(.success(try await operation()))
            } catch {
                completion.complete(.failure(RequestError(thrown: error, timestamp: engine.scheduler.now)))
            }
        }
    }

    func cancel() { task?.cancel() }

    func repeated() -> any CustomRequest { AsyncOperation(engine, description, timeout, operation) }
}
