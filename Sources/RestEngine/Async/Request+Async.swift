extension Request {
    /// Waits for the end, whatever it is. By then resource and observers know of it, and the hooks that were
    /// attached before have run. A request that has not started is started.
    ///
    /// Cancelling the task ends the wait at once, with a cancellation. The request is cancelled too, unless
    /// another task waits for it as well or it is a load: a load's outcome is its resource's state, which is
    /// everybody's. To stop one, use ``cancel()`` or ``Resource/cancelLoadIfUnobserved()``.
    public func outcome() async -> ResponseInfo {
        waitingTasks += 1
        defer { waitingTasks -= 1 }
        return await EngineWait.answer { wait in
            onCompletion { wait.end($0) }
            start()
        } cancel: { [self] wait in
            // It has ended, and the hook above comes in the next turn.
            guard info == nil else { return }
            if waitingTasks == 1, !isLoad { cancel() }
            let error = RequestError(cause: .requestCancelled, timestamp: engine.scheduler.now)
            wait.end(ResponseInfo(.failure(error)))
        }
    }

    /// Waits for the entity of a successful request. What cancelling the task does, see ``outcome()``.
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
    public nonisolated func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) async throws(RequestError) -> Value {
        try await entity().content(as: type, decoder: decoder)
    }

    /// How far the request is, 0…1, until it has ended with 1. A reader that is slow gets the newest value
    /// only.
    public var progressUpdates: AsyncStream<Double> {
        let (updates, continuation) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        onProgress { continuation.yield($0) }
        onCompletion { _ in continuation.finish() }
        return updates
    }
}

extension RefreshGate {
    /// Guards all requests of a configuration with a refresh that is asynchronous:
    ///
    ///     let gate = RefreshGate()
    ///     try service.configure("**") { configuration in
    ///         configuration.decorators.append(gate.decorator(when: { $0.httpStatusCode == 401 }) { try await
    ///         logIn() })
    ///     }
    ///
    /// The gate belongs outside of the block: blocks run again and again, and requests that fail together
    /// share a gate.
    ///
    /// - Parameter renew: When it throws, the requests that wait for it fail with that error.
    public func decorator(
        when predicate: @escaping Predicate, renew: @escaping @EngineActor () async throws -> Void
    ) -> RequestDecorator {
        { [self] resource, request in
            guarding(request, when: predicate) { done in
                RefreshScope.task {
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

/// A task that waits for an answer of the engine, which calls back. It goes on once: with the answer, or when
/// it is cancelled.
@EngineActor
final class EngineWait<Answer: Sendable> {
    private var continuation: CheckedContinuation<Answer, Never>?

    /// - Parameters:
    ///   - begin: Asks; it hands the wait to whoever answers.
    ///   - cancel: The task was cancelled before there was an answer; it answers now.
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
            // Any thread; in a task that was cancelled before, even earlier than `begin`, so it takes its
            // turn.
            EngineLoop.shared.submit { if wait.continuation != nil { cancel(wait) } }
        }
    }

    /// Lets the task go on, if nobody did before.
    func end(_ answer: Answer) {
        let waiting = continuation
        continuation = nil
        waiting?.resume(returning: answer)
    }
}
