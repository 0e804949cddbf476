extension Resource {
    /// Starts a new GET, regardless of requests in flight (rules 5.1, 5.2). It is conditional if the data has
    /// an ETag or a date (19.8, D14).
    @discardableResult
    public func load() -> Request { load(isShared: false) }

    /// - Parameter isShared: Whether the load of another host is as good, for one that needs data that is not
    ///   stale, and not newer than the call.
    func load(isShared: Bool) -> Request {
        let resource = inScope
        return resource.recordingLoad { resource.loadAnew(isShared: isShared) }
            ?? resource.loadAnew(isShared: isShared)
    }

    private func loadAnew(isShared: Bool) -> Request {
        startCacheLookup()
        if isStreamed { return loadEvent() }
        return load(using: start(loadPlan(isShared: isShared)))
    }

    func loadPlan(isShared: Bool) -> RequestPlan {
        RequestPlan(method: "GET", isLoad: true, isShared: isShared)
    }

    /// Makes a request conditional on the data at the time when it is built.
    func makeConditional(_ draft: inout RequestDraft) {
        guard let data = state.data, !isOutdated else { return }
        if let etag = data.etag {
            draft.headers.set("If-None-Match", etag)
        } else if let date = data.lastModified {
            draft.headers.set("If-Modified-Since", date)
        }
    }

    /// The oldest load in flight that others may wait for too, which an outdated one is not.
    package var currentLoad: Request? {
        // A loop without a closure; see Array.contains(identical:).
        for request in loadRequests where !request.isOutdated { return request }
        return nil
    }

    /// Returns nil if the data is up to date; otherwise the oldest load in flight, or a new load (5.3–5.5),
    /// which waits for the caches if any are configured (5.6, D3).
    @discardableResult
    public func loadIfNeeded() -> Request? {
        guard WorkScope.current.computation != nil else { return loadUnlessFresh() }
        let resource = inScope
        resource.recordLatestRead()
        return resource.recordingLoad { resource.loadUnlessFresh() }
    }

    private func loadUnlessFresh() -> Request? {
        if let running = currentLoad {
            engine.log.write(.staleness, "\(urlString) is being loaded")
            return running.joined()
        }
        let isUpToDate = isUpToDate
        engine.log.write(.staleness, "\(urlString): \(staleness)")
        if isUpToDate { return nil }
        return loadAfterLookup(joins: true) { self.load(isShared: true) } ?? load(isShared: true)
    }

    private var staleness: Staleness {
        let resolved = resolvedConfiguration(for: "GET")
        return Staleness(
            state: state, uptime: engine.scheduler.uptime, expirationTime: expirationSeconds(by: resolved),
            retryTime: resolved.configuration.retrySeconds)
    }

    /// Makes any request a load of this resource: its outcome becomes the resource's state (5.13).
    @discardableResult
    public func load(using request: Request) -> Request {
        let number = state.beginLoad()
        let hadEnded = request.state == .completed
        loadRequests.append(request)
        request.isLoad = true
        if request.state == .notStarted {
            request.work.limitTime(to: configuration(for: "GET").timeouts.totalSeconds)
        }
        observers?.follow(request, of: self)
        request.onCompletion { [unowned request] info in
            // The list may be the last that holds it.
            let isOutdated = request.isOutdated
            let shared = info.stageOutputs?.sharedLoad ?? request.work.network?.sharedLoad
            self.loadRequests.remove(identical: request)
            self.finishLoad(number, info, hadEnded: hadEnded, isOutdated: isOutdated)
            if let shared {
                shared.ended(info, isOutdated: isOutdated)
            } else if case .success = info.response, info.isNew, !isOutdated {
                self.announceToOthers()
            }
        }
        notify(.requested)
        request.start()
        return request
    }

    /// Stores the outcome of a load as the state.
    func finishLoad(
        _ number: Int, _ info: ResponseInfo, hadEnded: Bool = false, isOutdated: Bool = false
    ) {
        let info = keepable(info)
        let time = engine.scheduler.time
        // Copied, not changed in place, to save exclusivity checks; see EngineLog.
        var state = state
        let event = state.finishLoad(number, info, isOutdated: isOutdated, at: time)
        if computed != nil, event == .newData(.network) { state.expires(from: time.uptime) }
        let hasRecovered = self.state.error != nil && state.error == nil
        self.state = state
        if event == .newData(.network) { pipelineVersion = info.pipelineVersion(of: self) }
        if hasRecovered, event == .notModified { core.sources.changed(self) }
        // A request that was sent before a reload confirms data of that time.
        if event == .notModified { pipelineVersion.generation = -1 }
        // The caches would take it for fresh.
        if !isOutdated { updateCaches(after: event, info, hadEnded: hadEnded) }
        notify(event, showing: form(of: info), at: time.uptime)
        computed?.loadEnded()
    }

    /// The published form of the data of a load, if it was made together with it.
    private func form(of info: ResponseInfo) -> EncodedContent? {
        guard answerSnapshot != nil, let form = info.stageOutputs?.form, let data = latestData,
            form.isOf(data)
        else { return nil }
        return form.content
    }

    /// The outcome of a load; a failure if there is no room for its content.
    private func keepable(_ info: ResponseInfo) -> ResponseInfo {
        hasRefused = false
        guard case .success(let entity) = info.response, info.isNew, let refusal = refusal(of: entity) else {
            return info
        }
        hasRefused = true
        return ResponseInfo(.failure(refusal))
    }

    /// Gives up-to-date content by the shortest way: the existing data, a load in flight, or a new load.
    /// Without fresh data, but within the retry time, it gives the last error. It waits for a cache look-up
    /// in progress. Where the configuration allows it, old data replaces a failure (rule 44.2), which
    /// ``latestError`` then contains. `completion` may run before this returns. Returns the request that is
    /// waited for, if any.
    @discardableResult
    public func read(_ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void) -> Request?
    {
        let resource = inScope
        return resource.read(completion) { resource.load(isShared: true) }
    }

    /// - Parameter load: Starts the load that is needed.
    @discardableResult
    func read(
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void,
        loading load: @escaping () -> Request
    ) -> Request? {
        guard let completion = recordingRead(completion) else { return nil }
        return readFresh(
            { [self] result in
                guard case .failure(let error) = result, let data = standIn(for: error) else {
                    return completion(result)
                }
                completion(.success(data))
            }, loading: load)
    }

    /// The number of times that one reader reads again after wipes. A block or a decorator that wipes the
    /// resource at each load would otherwise never let it end.
    private static let mostReadsAfterWipes = 8

    /// Content that is newer than this call, or belongs to a load in flight.
    ///
    /// - Parameter wipes: The number of wipes while the reader waited.
    func revalidate(
        wipes: Int = 0, _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) -> Request {
        let running = resolvedConfiguration(for: "GET").configuration.isCollapsing ? currentLoad : nil
        return notify(completion, of: running?.joined() ?? load(), wipes: wipes) { [self] in
            _ = revalidate(wipes: wipes + 1, completion)
        }
    }

    /// As ``read(_:)``, but without old data instead of a failure.
    ///
    /// - Parameter wipes: The number of wipes while the reader waited.
    @discardableResult
    func readFresh(
        wipes: Int = 0, _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void,
        loading load: @escaping () -> Request
    ) -> Request? {
        startCacheLookup()
        if let data = freshData {
            completion(.success(data))
            return nil
        }
        if engine.isOffline {
            readCached(completion)
            return nil
        }
        let request: Request
        let isCollapsing = resolvedConfiguration(for: "GET").configuration.isCollapsing
        if isCollapsing, let running = currentLoad {
            request = running.joined()
        } else if let waiting = loadAfterLookup(joins: isCollapsing, loading: load) {
            request = waiting
        } else if !isLoading, isUpToDate, let error = latestError {
            completion(.failure(error))
            return nil
        } else {
            request = load()
        }
        return notify(completion, of: request, wipes: wipes) { [self] in
            _ = readFresh(wipes: wipes + 1, completion, loading: load)
        }
    }

    /// - Parameter again: Reads again after a wipe, which cancels loads that others wait for (21.5).
    private func notify(
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void, of request: Request,
        wipes: Int, again: @escaping @EngineActor () -> Void
    ) -> Request {
        request.onCompletion { [weak request] info in
            if info.isCancellation, request?.isWiped == true, wipes < Self.mostReadsAfterWipes {
                return again()
            }
            switch info.response {
            case .success(let entity):
                // The existing data is older than the requested data.
                if self.hasRefused, let error = self.latestError { return completion(.failure(error)) }
                completion(.success(entity))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Reports a change that has been made. Observers are notified last: they may read the state, and change
    /// it again.
    ///
    /// - Parameters:
    ///   - form: The published form of new data, if it was made already.
    ///   - time: On the scheduler's uptime clock; nil for now.
    func notify(_ event: ResourceEvent, showing form: EncodedContent? = nil, at time: Double? = nil) {
        engine.log.write(.stateChanges, "\(urlString): \(event.name)")
        notify(.state, .state(event))
        if case .newData = event {
            encoding = nil
            encoded = form
            lastUsed = time ?? engine.scheduler.uptime
            core.sources.changed(self)
        }
        WorkScope.forAll {
            if event != .requested {
                publish()
                recount()
                if observers != nil { planRefresh() }
            }
            notifyObservers { $0.changed(self, event) }
        }
    }
}
