/// The reason why a reader got data that is not fresh.
package enum StaleReason: Sendable {
    /// The data is being loaded again (rule 44.1).
    case revalidating
    /// A load failed (44.2).
    case failed(RequestError)
    /// The engine is offline (44.4).
    case offline
}

extension StaleReason {
    /// The reason in one word, for `Cache-Status` and logs.
    package var name: String {
        switch self {
        case .revalidating: "revalidating"
        case .failed(let error): error.code
        case .offline: "offline"
        }
    }
}

extension Resource {
    /// As ``readAnswer(always:_:)``, but also with stale data where the configuration or an offline engine
    /// allows it; `completion` then gets the reason. `completion` may run before this returns.
    ///
    /// - Parameter always: Whether to ask the server, or join a load in flight, without stale data.
    /// - Returns: The request that is waited for, if any.
    @discardableResult
    package func readServedAnswer(
        always: Bool = false,
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>, StaleReason?) -> Void
    ) -> Request? {
        if engine.isOffline, always || freshData == nil {
            readCached { [self] result in
                switch result {
                case .success(let entity): serve(entity, .offline, completion)
                case .failure(let error): completion(.failure(error), nil)
                }
            }
            return nil
        }
        if always { return readAnswer(always: true) { completion($0, nil) } }
        let resolved = resolvedConfiguration(for: "GET")
        startCacheLookup()
        let bridge = resolved.configuration.staleWhileRevalidateSeconds
        if bridge > 0, freshData == nil, let data = staleData(within: bridge) {
            loadIfNeeded()
            serve(data, .revalidating, completion)
            return nil
        }
        return readAnswer { [self] result in
            guard case .failure(let error) = result, let data = standIn(for: error) else {
                return completion(result, nil)
            }
            serve(data, .failed(error), completion)
        }
    }

    /// Old data to use instead of a failure (rule 44.2); nil if there is none, or it is too old.
    func standIn(for error: RequestError) -> Entity? {
        let seconds = resolvedConfiguration(for: "GET").configuration.staleIfErrorSeconds
        guard seconds > 0, error.isTroubleOfServer, let data = staleData(within: seconds) else { return nil }
        engine.log.write(.network, "\(urlString): old data stands in for \(error)")
        return data
    }

    private func serve(
        _ data: Entity, _ reason: StaleReason,
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>, StaleReason?) -> Void
    ) {
        let time = state.dataTime
        let end = endOfExpirationTime
        encode(data) { [self] result in
            let answer = result.map {
                PublishedAnswer(content: $0.content, timestamp: time, expiresAt: end)
            }
            if case .success(let answer) = answer, answer.isFresh(at: engine.scheduler.uptime) {
                return completion(.success(answer), nil)
            }
            completion(answer, reason)
        }
    }

    private func staleData(within seconds: Double) -> Entity? {
        guard seconds > 0, !isOutdated else { return nil }
        return state.staleData(
            at: engine.scheduler.uptime, expirationTime: configuration(for: "GET").expirationSeconds,
            within: seconds)
    }

    /// The data that the resource or its caches have, of any age. No request is sent; without data the
    /// failure is `offline` (rule 44.5). `completion` may run before this returns.
    public func readCached(
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) {
        let own = inScope
        guard own === self else { return own.readCached(completion) }
        guard let completion = recordingRead(completion) else { return }
        startCacheLookup()
        if let data = state.data {
            lastUsed = engine.scheduler.uptime
            return completion(.success(data))
        }
        let nothing: @EngineActor () -> Request = {
            // Without data of its own it may be computed from what the caches of its sources have.
            if self.state.data == nil, self.configuration(for: "GET").computation != nil {
                return self.load(isShared: true)
            }
            return self.failedRequest(.transport(.nothingCached), method: "GET")
        }
        let lookup = loadAfterLookup(joins: false, loading: nothing) ?? nothing()
        lookup.onCompletion { [weak lookup] info in
            if let data = self.state.data { return completion(.success(data)) }
            if info.isCancellation, lookup?.isWiped == true { return self.readCached(completion) }
            switch info.response {
            case .success(let entity): completion(.success(entity))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

extension TransportError {
    package static let cancelled = TransportError(.internal, message: "the request was cancelled")

    static let offline = TransportError(.offline, message: "the host is offline, and sends no requests")

    static let nothingCached = TransportError(
        .offline, message: "there is no data here, and the host is offline")
}

extension RequestError {
    /// Whether the server, not the request, caused the failure: then old data may be used instead (RFC 5861
    /// 4).
    package var isTroubleOfServer: Bool {
        guard let httpStatusCode else { return code != "request_cancelled" }
        return !(400...499 ~= httpStatusCode) || [408, 425, 429].contains(httpStatusCode)
    }
}
