extension Resource {
    /// Where this resource's fresh answers appear from now on.
    ///
    /// - Parameter prepare: what the face makes of each content for its own use. Called on another thread for
    ///   large content, before it appears; small content is left to the face. The first call of this function
    ///   decides.
    package func answerSnapshotForReaders(
        preparing prepare: (@Sendable (EncodedContent) -> Void)? = nil
    ) -> AnswerSnapshot {
        if let answerSnapshot { return answerSnapshot }
        let new = AnswerSnapshot(preparing: prepare)
        answerSnapshot = new
        publish()
        return new
    }

    /// Up-to-date content as ``read(_:)`` gives it, but for old data in place of a failure, encoded;
    /// `completion` may run before this returns.
    ///
    /// - Parameter always: asks the server, or joins who asks it already, even if there is fresh data.
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
                // A change of configuration withdrew the answer, and no event brings it back.
                if isWithdrawn { publish() }
                encode(latestData ?? entity, completion)
            }
        }
        return always ? revalidate(finish) : readFresh(finish) { self.load() }
    }

    /// The data that is there in the form in which it goes out, however old, with the time until which it
    /// was fresh, long ago for data that was invalidated; nil without any. `completion` may run before this
    /// returns.
    package func encodeLatest(
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>?) -> Void
    ) {
        guard let data = latestData else { return completion(nil) }
        let time = state.dataTime
        let end =
            state.isDataInvalidated ? -.infinity : time + configuration(for: "GET").expirationSeconds
        encode(data) { made in
            completion(
                made.map { PublishedAnswer(content: $0.content, timestamp: time, expiresAt: end) })
        }
    }

    /// Shows the current data to readers on other threads, or nothing when it isn't fresh.
    func publish() {
        isWithdrawn = false
        guard let answerSnapshot else { return }
        if encoded == nil { answerSnapshot.set(nil) }
        guard let data = freshData else { return answerSnapshot.set(nil) }
        // Large content comes later, unless it is withdrawn or replaced until then. Without room it isn't
        // kept.
        encode(data) { [self] result in
            guard !isWithdrawn, case .success(let answer) = result, answer.content === encoded else { return }
            answerSnapshot.set(answer)
        }
    }

    /// Hides the answer until somebody reads through the loop.
    func withdraw() {
        isWithdrawn = true
        answerSnapshot?.set(nil)
    }

    /// Large content is encoded elsewhere, once for all who ask meanwhile.
    func encode(
        _ entity: Entity, _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>) -> Void
    ) {
        // Of what is no longer the data nobody knows; it isn't fresh either.
        let time = state.data == nil ? engine.scheduler.uptime : state.dataTime
        if let encoded { return completion(answer(.success(encoded), entity, time)) }
        guard isLarge(entity) else {
            let made = Result { () throws(RequestError.CauseError) in try EncodedContent(entity) }
            if case .success(let content) = made { keep(content) }
            return completion(answer(made, entity, time))
        }
        let running: ContentEncoding
        if let encoding {
            running = encoding
        } else {
            running = ContentEncoding()
            // Without data, a wipe's doing, there is nobody to keep it for.
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
        running.waiters.append { [self] made in completion(answer(made, entity, time)) }
    }

    private func isLarge(_ entity: Entity) -> Bool {
        engine.movesLargeContent && entity.content.heldBytes > LargeContent.leastPublishedSize
    }

    private func keep(_ content: EncodedContent) {
        encoded = latestData == nil ? nil : content
        recount()
    }

    private func answer(
        _ made: Result<EncodedContent, RequestError.CauseError>, _ entity: Entity, _ time: Double
    ) -> Result<PublishedAnswer, RequestError> {
        switch made {
        case .success(let content):
            let lifetime =
                freshData == nil ? nil : resolvedConfiguration(for: "GET").configuration.expirationSeconds
            return .success(
                PublishedAnswer(
                    content: content, timestamp: time, expiresAt: lifetime.map { time + $0 } ?? -.infinity))
        case .failure(let error):
            return .failure(
                RequestError(
                    thrown: error, entity: entity, timestamp: engine.scheduler.now, url: urlString,
                    method: "GET"))
        }
    }
}

/// The published form of a content, being made on another thread.
@EngineActor
final class ContentEncoding {
    fileprivate var waiters: [@EngineActor (Result<EncodedContent, RequestError.CauseError>) -> Void] = []

    fileprivate func end(_ made: Result<EncodedContent, RequestError.CauseError>) {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter(made) }
    }
}
