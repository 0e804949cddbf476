public import RestEngine

extension Call {
    /// Sends the call and tells `completion` how it ended, where that function is isolated: one that is made
    /// on the main actor runs there.
    ///
    /// - Returns: The task that waits; cancelling it cancels the request, and `completion` gets that outcome.
    @discardableResult
    public func send(
        session: Session? = nil, decoder: TreeDecoder? = nil,
        @_inheritActorContext completion:
            @escaping @Sendable @isolated(any) (Result<Output, RequestError>) -> Void
    ) -> Task<Void, Never> {
        Task {
            let result = await Result { () async throws(RequestError) in
                try await send(session: session, decoder: decoder)
            }
            await completion(result)
        }
    }
}

extension Call where Output == Entity {
    /// The same for content that is decoded as the type that the function takes.
    @_disfavoredOverload @discardableResult
    public func send<Value: Sendable>(
        _ type: Value.Type = Value.self, session: Session? = nil, decoder: TreeDecoder? = nil,
        @_inheritActorContext completion:
            @escaping @Sendable @isolated(any) (Result<Value, RequestError>) -> Void
    ) -> Task<Void, Never> {
        returning(type).send(session: session, decoder: decoder, completion: completion)
    }
}

extension Result where Success: Sendable {
    /// How an asynchronous function ended.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
