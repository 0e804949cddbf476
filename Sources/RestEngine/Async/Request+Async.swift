extension Request {
    /// Waits for the end, whatever it is. By then resource and observers know of it, and the hooks that were attached
    /// before have run. A request that has not started is started.
    ///
    /// Cancelling the task ends the wait at once, with a cancellation. The request is cancelled too, unless another
    /// task waits for it as well or it is a load: a load's outcome is its resource's state, which is everybody's. To
    /// stop one, use ``cancel()`` or ``Resource/cancelLoadIfUnobserved()``.
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

    /// How far the request is, 0…1, until it has ended with 1. A reader that is slow gets the newest value only.
    public var progressUpdates: AsyncStream<Double> {
        let (updates, continuation) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        onProgress { continuation.yield($0) }
        onCompletion { _ in continuation.finish() }
        return updates
    }
}
