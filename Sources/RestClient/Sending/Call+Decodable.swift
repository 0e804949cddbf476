public import RestEngine

/// Calls whose output is decoded, or is the body itself.
extension Call where Output: Decodable {
    /// Sends the call and waits for its output; short for `send(session:decoder:)`.
    ///
    /// - Throws: The `RequestError` of the request.
    @concurrent @discardableResult
    public func callAsFunction() async throws(RequestError) -> Output { try await send() }

    /// Sends the call and waits for its output, which is decoded neither on the engine's loop nor on the
    /// caller's actor. Cancelling the task cancels the request.
    ///
    /// - Parameters:
    ///   - session: Nil: the call's own.
    ///   - decoder: Nil: the call's own.
    /// - Throws: The `RequestError` of the request; nothing is sent of a call that can't be. Of a cancelled
    ///   task, one whose cause is `request_cancelled`.
    @concurrent @discardableResult
    public func send(
        session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> Output {
        try await send(.decoded, session, decoder)
    }

    /// The same with all that is known of the answer: status, headers, body, timings.
    ///
    /// - Throws: The `RequestError` of the request.
    @concurrent
    public func response(
        session: Session? = nil, decoder: TreeDecoder? = nil
    ) async throws(RequestError) -> CallResponse<Output> {
        try await response(.decoded, session, decoder)
    }

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
        task(completion) { () async throws(RequestError) in
            try await send(.decoded, session, decoder)
        }
    }

    /// The states of the call's resource from the first look on: the data that is there, then the result of a
    /// load with this call if that data is not fresh, and all later changes, by any caller.
    ///
    ///     for await update in find(name: "Mona").updates {
    ///         if let users = update.value { show(users) }
    ///     }
    ///
    /// The sequence goes on until its reader stops. A call with another method than GET has no resource of
    /// its own to look at: it is sent once, and the one update says how it ended.
    public var updates: CallUpdates<Output> { CallUpdates(call: self, output: .decoded) }
}
