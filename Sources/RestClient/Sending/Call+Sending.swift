public import RestEngine

extension Call {
    @concurrent
    func send(
        _ output: CallOutput<Output>, _ session: Session?, _ decoder: TreeDecoder?
    ) async throws(RequestError) -> Output {
        let (entity, exchange, _) = try await exchanged(session ?? self.session, isRaw: output.isRaw)
        return try value(output, entity, exchange, decoder)
    }

    @concurrent
    func response(
        _ output: CallOutput<Output>, _ session: Session?, _ decoder: TreeDecoder?
    ) async throws(RequestError) -> CallResponse<Output> {
        // Beside a model the body would be there twice, so it is kept only here.
        let (entity, exchange, request) = try await exchanged(
            session ?? self.session, keepsBody: true, isRaw: output.isRaw)
        var response = CallResponse(try value(output, entity, exchange, decoder), entity, exchange)
        response.attempts = await request.attempts
        return response
    }

    /// Runs a sending as a task that tells `completion` how it ended.
    func task(
        _ completion: @escaping @Sendable @isolated(any) (Result<Output, RequestError>) -> Void,
        _ send: @escaping @Sendable () async throws(RequestError) -> Output
    ) -> Task<Void, Never> {
        Task(executorPreference: TaskPreference.executor) {
            let result: Result<Output, RequestError>
            do throws(RequestError) { result = .success(try await send()) } catch { result = .failure(error) }
            await completion(result)
        }
    }

    /// - Throws: A ``RequestError`` for content that is no `Output`.
    func value(
        _ output: CallOutput<Output>, _ entity: Entity, _ exchange: Exchange?, _ decoder: TreeDecoder?
    ) throws(RequestError) -> Output {
        do throws(RequestError) {
            return try output.make(entity, exchange?.body, decoder ?? self.decoder)
        } catch {
            var error = error
            error.url = error.url ?? entity.url ?? url
            error.method = error.method ?? method?.rawValue
            throw error
        }
    }

    /// Starts a request, for its hooks, its progress and chains. Calls that can't be sent give one that has
    /// failed.
    @EngineActor @discardableResult
    public func start(session: Session? = nil) -> Request { start(session ?? self.session) }

    /// The resource at the call's URL, with its data, error and observers. Its requests, and those of
    /// resources that it leads to at the same origin, have the call's headers and settings. All calls of this
    /// URL that have the same ones share it, and no others. An invalid one,
    /// whose requests fail, for a call that can't be sent.
    @EngineActor
    public var resource: Resource {
        switch definition {
        case .success(let definition): definition.through(session.service).resourceOfCall
        case .failure: session.service.resource(absoluteURL: nil)
        }
    }

    /// The call as a command line for a POSIX shell, with what the session's blocks make of it now, files by
    /// reference; nothing is sent.
    ///
    /// - Parameters:
    ///   - mask: Hides secrets; nil shows them.
    ///   - session: Where it is sent; nil for the session of the call.
    /// - Throws: `RequestError` for a call that can't be sent, `DefinitionError` for bytes of a form that
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
    func start(
        _ session: Session, keepsBody: Bool = false, isRaw: Bool = false,
        to destination: BodyDestination? = nil
    ) -> Request {
        let service = session.service
        switch definition {
        case .success(let definition):
            return definition.through(service).sendCall(
                keepsBody: keepsBody, isRaw: isRaw, by: deadline, to: destination)
        case .failure(let error):
            let now = service.engine.scheduler.now
            return Request(
                engine: service.engine,
                failedWith: RequestError(cause: .invalidDefinition(error), timestamp: now))
        }
    }

    @EngineActor
    private func exchanged(
        _ session: Session, keepsBody: Bool = false, isRaw: Bool
    ) async throws(RequestError) -> (Entity, Exchange?, Request) {
        if Task.isCancelled {
            let now = session.service.engine.scheduler.now
            throw RequestError(
                cause: .requestCancelled, timestamp: now, url: url, method: method?.rawValue)
        }
        let request = start(session, keepsBody: keepsBody, isRaw: isRaw)
        return (try await request.entity(), request.exchange, request)
    }
}

extension Call where Output == Entity {
    /// Sends the call and decodes the content as the type that the context asks for.
    ///
    /// - Throws: The `RequestError` of the request.
    @concurrent @_disfavoredOverload
    public func send<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> Value {
        try await returning(type).send(session: session, decoder: decoder)
    }

    /// The same for content that is decoded as the type that the function takes.
    @_disfavoredOverload @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, session: Session? = nil, decoder: TreeDecoder? = nil,
        @_inheritActorContext completion:
            @escaping @Sendable @isolated(any) (Result<Value, RequestError>) -> Void
    ) -> Task<Void, Never> {
        returning(type).send(session: session, decoder: decoder, completion: completion)
    }
}
