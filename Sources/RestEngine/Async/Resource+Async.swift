extension Resource {
    /// Waits for up-to-date data by the shortest way: what is there, what is on its way, or a new load; see
    /// ``read(_:)``.
    ///
    /// A load belongs to everybody: cancelling the task ends the wait, and the load goes on. A task that is cancelled
    /// already loads nothing.
    ///
    /// - Throws: The ``RequestError`` of the load; of a cancelled task, one whose cause is `request_cancelled`.
    public func get() async throws(RequestError) -> Entity {
        guard !Task.isCancelled else { throw cancellation }
        if let data = freshData { return data }
        let result = await EngineWait.answer { wait in
            read { wait.end($0) }
        } cancel: { [self] wait in
            wait.end(.failure(cancellation))
        }
        return try result.get()
    }

    /// The same as a `Value`, which is decoded where the caller runs. See ``Entity/content(as:decoder:)``.
    public nonisolated func get<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) async throws(RequestError) -> Value {
        let entity = try await get()
        do throws(RequestError) { return try entity.content(as: type, decoder: decoder) } catch {
            throw error.of(url: await urlString, method: "GET")
        }
    }

    private var cancellation: RequestError {
        RequestError(
            cause: .requestCancelled, timestamp: engine.scheduler.now, url: urlString, method: "GET")
    }
}
