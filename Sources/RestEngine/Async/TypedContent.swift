extension Resource {
    /// The latest data as a `Value`; nil when there is none. If no model stage decodes it in the pipeline, it
    /// is decoded at each call; see ``Entity/content(as:decoder:)``.
    ///
    /// - Throws: A ``RequestError`` if the data is not a `Value`.
    public func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) throws(RequestError) -> Value? {
        try latestData?.content(as: type, decoder: decoder)
    }

    /// Adds an observer function that gets the latest data as a `Value` with each event: nil while there is
    /// no data, or when the data is not a `Value`. The function observes for as long as the owner lives, as
    /// with ``addObserver(owner:_:)`` (13.1, 13.14).
    @discardableResult
    public func addObserver<Value>(
        of type: Value.Type, owner: AnyObject,
        _ changed: @escaping @EngineActor (Resource, ResourceEvent, Value?) -> Void
    ) -> Resource {
        addObserver(owner: owner) { resource, event in
            changed(resource, event, resource.typedContent(type))
        }
    }
}

extension ResourceSnapshot {
    /// The latest data as a `Value`; see ``Resource/content(as:decoder:)``. It is decoded where the caller
    /// runs.
    ///
    /// - Throws: A ``RequestError`` for content that is no `Value`.
    public func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) throws(RequestError) -> Value? {
        try latestData?.content(as: type, decoder: decoder)
    }
}

extension Request {
    /// Calls the function after the end, with the content as a `Value` or with an error: the error of the
    /// request, or one that says why its content is not a `Value`. See ``Entity/content(as:decoder:)``.
    @discardableResult
    public func onCompletion<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder(),
        _ hook: @escaping @EngineActor (Result<Value, RequestError>) -> Void
    ) -> Request {
        let target = work.target
        return onCompletion { info in
            hook(
                Result { () throws(RequestError) in
                    switch info.response {
                    case .failure(let error): throw error
                    case .success(let entity):
                        do throws(RequestError) {
                            return try entity.content(as: type, decoder: decoder)
                        } catch {
                            guard let target else { throw error }
                            throw error.of(url: target.url, method: target.method)
                        }
                    }
                })
        }
    }

    /// Calls the function after a success whose content is a `Value`; if it is not, a warning is logged.
    @discardableResult
    public func onSuccess<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder(),
        _ hook: @escaping @EngineActor (Value) -> Void
    ) -> Request {
        onCompletion(as: type, decoder: decoder) { [self] result in
            switch result {
            case .success(let value): hook(value)
            case .failure(let error):
                guard case .success? = info?.response else { return }
                engine.log.write(.warning, "a hook of \(description) is not called: \(error)")
            }
        }
    }
}
