extension Request {
    /// Calls the hook after a success, with new data or not (rule 7.4).
    @discardableResult
    public func onSuccess(_ hook: @escaping @EngineActor (Entity) -> Void) -> Request {
        onCompletion { if case .success(let entity) = $0.response { hook(entity) } }
    }

    /// Calls the hook after a success with new data.
    @discardableResult
    public func onNewData(_ hook: @escaping @EngineActor (Entity) -> Void) -> Request {
        onCompletion { if $0.isNew, case .success(let entity) = $0.response { hook(entity) } }
    }

    /// Calls the hook after a 304 that confirmed the data.
    @discardableResult
    public func onNotModified(_ hook: @escaping @EngineActor () -> Void) -> Request {
        onCompletion { if !$0.isNew, case .success = $0.response { hook() } }
    }

    /// Calls the hook after a failure or a cancellation.
    @discardableResult
    public func onFailure(_ hook: @escaping @EngineActor (RequestError) -> Void) -> Request {
        onCompletion { if case .failure(let error) = $0.response { hook(error) } }
    }
}
