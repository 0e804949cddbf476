extension Request {
    /// Waits until the request has ended, with success or failure. By then the resource and its observers
    /// have the outcome, and the hooks that were attached before have run. A request that has not started is
    /// started.
    ///
    /// Cancelling the task ends the wait at once, with a cancellation. It also cancels the request, unless
    /// another task waits for it or it is a load: the outcome of a load is the state of its resource, which
    /// all its users share. To stop a load, use ``cancel()`` or ``Resource/cancelLoadIfUnobserved()``.
    public func outcome() async -> ResponseInfo {
        waitingTasks += 1
        defer { waitingTasks -= 1 }
        return await EngineWait.answer { wait in
            onCompletion { wait.end($0) }
            start()
        } cancel: { [self] wait in
            // The request has ended, and the hook above runs in the next tick.
            guard info == nil else { return }
            if waitingTasks == 1, !isLoad { cancel() }
            let error = RequestError(cause: .requestCancelled, timestamp: engine.scheduler.now)
            wait.end(ResponseInfo(.failure(error)))
        }
    }

    /// Waits for the entity of a successful request. See ``outcome()`` for the effect of cancelling the task.
    ///
    /// - Throws: The request's ``RequestError``; of a cancelled task, one whose cause is `request_cancelled`.
    public func entity() async throws(RequestError) -> Entity {
        switch await outcome().response {
        case .success(let entity): return entity
        case .failure(let error): throw error
        }
    }

    /// Waits for the content as a `Value`, which is decoded where the caller runs. See
    /// ``Entity/content(as:decoder:)``.
    ///
    /// - Throws: The ``RequestError`` of the request, or one for content that is no `Value`.
    public nonisolated func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) async throws(RequestError) -> Value {
        try await entity().content(as: type, decoder: decoder)
    }

    /// The progress of the request, 0…1; the last value is 1, when the request has ended. A slow reader gets
    /// only the newest value.
    public var progressUpdates: AsyncStream<Double> {
        let (updates, continuation) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        onProgress { continuation.yield($0) }
        onCompletion { _ in continuation.finish() }
        return updates
    }
}

extension RefreshGate {
    /// Returns a decorator that guards all requests of a configuration with an asynchronous refresh:
    ///
    ///     let gate = RefreshGate()
    ///     try service.configure("**") { configuration in
    ///         configuration.decorators.append(gate.decorator(when: { $0.httpStatusCode == 401 }) { try await
    ///         logIn() })
    ///     }
    ///
    /// Create the gate outside of the block: blocks run repeatedly, and requests that fail together must
    /// share one gate.
    ///
    /// - Parameters:
    ///   - renew: The refresh. If it throws, the requests that wait for it fail with that error.
    ///   - predicate: Whether a response asks for new credentials.
    public func decorator(
        when predicate: @escaping Predicate, renew: @escaping @EngineActor () async throws -> Void
    ) -> RequestDecorator {
        { [self] resource, request in
            guarding(request, when: predicate) { done in
                WorkScope.task(on: resource.engine.scheduler) {
                    do {
                        try await renew()
                        done(.renewed)
                    } catch {
                        done(.failed(RequestError(thrown: error, timestamp: resource.engine.scheduler.now)))
                    }
                }
            }
        }
    }
}

/// Suspends a task until the engine calls back with an answer, or until the task is cancelled. The task
/// resumes once.
@EngineActor
final class EngineWait<Answer: Sendable> {
    private var continuation: CheckedContinuation<Answer, Never>?

    /// - Parameters:
    ///   - begin: Starts the work; it passes the wait to the code that will answer.
    ///   - cancel: The task was cancelled before there was an answer; this closure must answer now.
    static func answer(
        begin: (EngineWait) -> Void, cancel: @escaping @EngineActor (EngineWait) -> Void
    ) async -> Answer {
        let wait = EngineWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.continuation = continuation
                begin(wait)
            }
        } onCancel: {
            // This runs on any thread. If the task was cancelled before, it runs even earlier than `begin`,
            // so the work is queued on the engine loop.
            EngineLoop.shared.submit { if wait.continuation != nil { cancel(wait) } }
        }
    }

    /// Resumes the task, unless it was resumed before.
    func end(_ answer: Answer) {
        let waiting = continuation
        continuation = nil
        waiting?.resume(returning: answer)
    }
}
