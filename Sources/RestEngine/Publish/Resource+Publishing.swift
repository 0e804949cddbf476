extension Resource {
    /// The snapshot in which the fresh answers of this resource appear from now on.
    ///
    /// - Parameter prepare: Makes the gateway's rendering of each content. It is called on another thread for
    // large content before the snapshot is set; for small content the gateway does it itself. Only the first
    //   call of this function sets it.
    package func answerSnapshotForReaders(
        preparing prepare: (@Sendable (EncodedContent) -> Void)? = nil
    ) -> AnswerSnapshot {
        if let answerSnapshot { return answerSnapshot }
        let new = AnswerSnapshot(preparing: prepare)
        answerSnapshot = new
        publish()
        return new
    }

    /// Up-to-date content as from ``read(_:)``, in its published form, but without old data instead of a
    /// failure. `completion` may run before this returns.
    ///
    /// - Parameter always: Whether to ask the server, or join a load in flight, even if there is fresh data.
    /// - Returns: The request that is waited for, if any.
    @discardableResult
    package func readAnswer(
        always: Bool = false,
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>) -> Void
    ) -> Request? {
        let finish: @EngineActor (Result<Entity, RequestError>) -> Void = { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let entity):
                // A change of configuration withdrew the answer, and no event publishes it again.
                if isWithdrawn { publish() }
                encode(latestData ?? entity, completion)
            }
        }
        return always ? revalidate(finish) : readFresh(finish) { self.load(isShared: true) }
    }

    /// The existing data in its published form, of any age, with the time until which it is fresh; that is
    /// far in the past for invalidated data. Nil without data. `completion` may run before this returns.
    package func encodeLatest(
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>?) -> Void
    ) {
        guard let data = latestData else { return completion(nil) }
        let time = state.dataTime
        let end = state.isDataInvalidated ? -.infinity : endOfExpirationTime
        encode(data) { made in
            completion(
                made.map { PublishedAnswer(content: $0.content, timestamp: time, expiresAt: end) })
        }
    }

    /// The time until which the data is fresh, on the scheduler's uptime clock.
    var endOfExpirationTime: Double {
        let end = state.expirationStart + configuration(for: "GET").expirationSeconds
        return state.isExpired ? min(end, engine.scheduler.uptime.nextDown) : end
    }

    /// Publishes the current data to readers on other threads, or no answer if it isn't fresh.
    func publish() {
        isWithdrawn = false
        guard let answerSnapshot else { return }
        if encoded == nil { answerSnapshot.set(nil) }
        guard let data = freshData else { return answerSnapshot.set(nil) }
        // Large content is published later, unless it is withdrawn or replaced before. It isn't kept if there
        // is no room.
        encode(data) { [self] result in
            guard !isWithdrawn, case .success(let answer) = result, answer.content === encoded else { return }
            answerSnapshot.set(answer)
        }
    }

    /// Hides the answer until the next read through the loop.
    func withdraw() {
        isWithdrawn = true
        answerSnapshot?.set(nil)
    }

    /// Encodes the content; large content on another thread, once for all callers during that time.
    func encode(
        _ entity: Entity, _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>) -> Void
    ) {
        // The time of an entity that is no longer the data is unknown; it isn't fresh either.
        let isData = state.data != nil
        let time = isData ? state.dataTime : engine.scheduler.uptime
        let start = isData ? state.expirationStart : time
        if let encoded { return completion(answer(.success(encoded), entity, time, start)) }
        guard isLarge(entity) else {
            let made = Result { () throws(RequestError.CauseError) in try EncodedContent(entity) }
            if case .success(let content) = made { keep(content) }
            return completion(answer(made, entity, time, start))
        }
        let running: ContentEncoding
        if let encoding {
            running = encoding
        } else {
            running = ContentEncoding()
            // After a wipe there is no data, and so the form need not be kept.
            if latestData != nil { encoding = running }
            let prepare = answerSnapshot?.prepare
            engine.beginOffloadedWork()
            LargeContent.shared.run(for: entity.heldBytes) {
                let made = Result { () throws(RequestError.CauseError) in try EncodedContent(entity) }
                if case .success(let content) = made { prepare?(content) }
                return made
            } completion: { [self] made in
                if encoding === running {
                    encoding = nil
                    if case .success(let content) = made { keep(content) }
                }
                running.end(made)
                engine.endOffloadedWork()
            }
        }
        running.waiters.append { [self] made in completion(answer(made, entity, time, start)) }
    }

    private func isLarge(_ entity: Entity) -> Bool {
        engine.movesLargeContent && entity.content.heldBytes > LargeContent.leastPublishedSize
    }

    private func keep(_ content: EncodedContent) {
        encoded = latestData == nil ? nil : content
        recount()
    }

    private func answer(
        _ made: Result<EncodedContent, RequestError.CauseError>, _ entity: Entity, _ time: Double,
        _ start: Double
    ) -> Result<PublishedAnswer, RequestError> {
        switch made {
        case .success(let content):
            let lifetime =
                freshData == nil ? nil : resolvedConfiguration(for: "GET").configuration.expirationSeconds
            return .success(
                PublishedAnswer(
                    content: content, timestamp: time, expiresAt: lifetime.map { start + $0 } ?? -.infinity))
        case .failure(let error):
            return .failure(
                RequestError(
                    thrown: error, entity: entity, timestamp: engine.scheduler.now, url: urlString,
                    method: "GET"))
        }
    }
}

/// The published form of a content that is being made on another thread.
@EngineActor
final class ContentEncoding {
    fileprivate var waiters: [@EngineActor (Result<EncodedContent, RequestError.CauseError>) -> Void] = []

    fileprivate func end(_ made: Result<EncodedContent, RequestError.CauseError>) {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter(made) }
    }
}
