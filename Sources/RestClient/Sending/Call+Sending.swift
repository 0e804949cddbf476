public import RestEngine

extension Call {
    /// Sends the call and waits for its output; short for ``send(session:decoder:)``.
    @concurrent @discardableResult
    public func callAsFunction() async throws(RequestError) -> Output { try await send() }

    /// Sends the call and waits for its output, which is decoded neither on the engine's loop nor on the
    /// caller's actor. Cancelling the task cancels the request.
    ///
    /// - Parameters:
    ///   - session: Nil: the call's own.
    ///   - decoder: Nil: the call's own.
    /// - Throws: The ``RequestError`` of the request; nothing is sent of a call that can't be. Of a cancelled
    ///   task, one whose cause is `request_cancelled`.
    @concurrent @discardableResult
    public func send(
        session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> Output {
        // Beside a model the body would be there twice.
        let (entity, exchange, _) = try await exchanged(session ?? self.session, keepsBody: Self.isOfBody)
        return try CallResponse(entity, exchange, decoder ?? self.decoder, of: self).value
    }

    /// The same with all that is known of the answer: status, headers, body, timings.
    @concurrent
    public func response(
        session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> CallResponse<Output> {
        let (entity, exchange, request) = try await exchanged(session ?? self.session, keepsBody: true)
        var response = try CallResponse(entity, exchange, decoder ?? self.decoder, of: self)
        response.attempts = await request.attempts
        return response
    }

    /// Starts a request, for its hooks, its progress and chains. Calls that can't be sent give one that has
    /// failed.
    @EngineActor @discardableResult
    public func start(session: Session? = nil) -> Request { start(session ?? self.session, keepsBody: false) }

    /// The resource at the call's URL, with its data, error and observers: the one that all calls of this URL
    /// share. An invalid one, whose requests fail, for a call that can't be sent.
    @EngineActor
    public var resource: Resource {
        switch definition {
        case .success(let definition): definition.through(session.service).resource
        case .failure: session.service.resource(absoluteURL: nil)
        }
    }

    /// The call as a command line for a POSIX shell, with what the session's blocks make of it now, files by
    /// reference; nothing is sent.
    ///
    /// - Parameter mask: Hides secrets; nil shows them.
    /// - Throws: ``RequestError`` for a call that can't be sent, ``DefinitionError`` for bytes of a form that
    ///   no command line holds.
    @EngineActor
    public func curl(session: Session? = nil, mask: SecretMask? = .standard) throws -> CurlCommand {
        let service = (session ?? self.session).service
        switch definition {
        case .success(let definition): return try definition.through(service).curl(mask: mask)
        case .failure(let error):
            throw RequestError(cause: .invalidDefinition(error), timestamp: service.engine.scheduler.now)
        }
    }

    @EngineActor
    private func start(_ session: Session, keepsBody: Bool) -> Request {
        let service = session.service
        switch definition {
        case .success(let definition): return definition.through(service).send(keepsBody: keepsBody)
        case .failure(let error):
            let now = service.engine.scheduler.now
            return Request(
                engine: service.engine,
                failedWith: RequestError(cause: .invalidDefinition(error), timestamp: now))
        }
    }

    @EngineActor
    private func exchanged(
        _ session: Session, keepsBody: Bool
    ) async throws(RequestError) -> (Entity, Exchange?, Request) {
        if Task.isCancelled {
            let now = session.service.engine.scheduler.now
            throw RequestError(
                cause: .requestCancelled, timestamp: now, url: url, method: method?.rawValue)
        }
        let request = start(session, keepsBody: keepsBody)
        return (try await request.entity(), request.exchange, request)
    }
}

extension Call where Output == Entity {
    /// Sends the call and decodes the content as the type that the context asks for.
    @concurrent @_disfavoredOverload
    public func send<Value: Sendable>(
        _ type: Value.Type = Value.self, session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> Value {
        try await returning(type).send(session: session, decoder: decoder)
    }
}
