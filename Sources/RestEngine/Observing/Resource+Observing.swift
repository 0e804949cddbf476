extension Resource {
    /// Adds an observer that owns itself: it is not kept alive, and stops when it goes away (rule 13.13).
    /// The observer is told of it at once, it alone (13.4); one that observes already is not added again
    /// (13.12).
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Resource {
        addObserver(observer, owner: observer)
    }

    /// Adds an observer, or another owner of one: it is kept alive, and observes, for as long as any owner
    /// lives (13.14, 13.15). Owners are held weakly. The caches, if there are any, are asked for what they
    /// have (13.21).
    ///
    /// - Parameter hold: Kept until that owner has gone or been removed, and what follows from it has been
    ///   told.
    @discardableResult
    public func addObserver(
        _ observer: any ResourceObserver, owner: AnyObject, hold: AnyObject? = nil
    ) -> Resource {
        let list = observers ?? ObserverList()
        if list.isEmpty {
            if observers !== list {
                observers = list
                for request in loadRequests { list.follow(request, of: self) }
            }
            core.keep(self)
        }
        list.add(observer, owner: owner, hold: hold, to: self)
        startCacheLookup()
        if list.refresh == nil { planRefresh() }
        return self
    }

    /// Keeps it up to date as the configuration says: by a stream (rule 57.1), or by loading it again in a
    /// while, if somebody still observes then (rule 53.10).
    func planRefresh() {
        guard let list = observers, url != nil else { return }
        list.refresh?.cancel()
        list.refresh = nil
        let configuration = configuration(for: "GET")
        if configuration.stream == .events { return eventFeed().observe() }
        let seconds = configuration.refreshSeconds
        guard seconds > 0 else { return }
        list.refresh = engine.scheduler.after(seconds) { [weak self, weak list] in
            list?.refresh = nil
            guard let self, isObserved else { return }
            if isLoading { planRefresh() } else { load() }
        }
    }

    /// Has a function observe, for as long as its owner lives (13.1, 13.14).
    @discardableResult
    public func addObserver(
        owner: AnyObject, _ changed: @escaping @EngineActor (Resource, ResourceEvent) -> Void
    ) -> Resource {
        addObserver(ClosureObserver(changed), owner: owner)
    }

    /// Takes what `owner` owns from it; observers that nobody owns any more stop (13.16).
    public func removeObservers(ownedBy owner: AnyObject?) {
        if let owner { observers?.removeOwner(owner, of: self) }
    }

    /// Stops observers, whoever owns them.
    public func removeObservers(where matches: (any ResourceObserver) -> Bool) {
        observers?.remove(from: self, where: matches)
    }

    /// Whether anybody who lives observes it.
    public var isObserved: Bool {
        pruneObservers()
        return observers != nil
    }

    /// How many observe it. Below `enough` some of them may be gone.
    package func countObservers(enough: Int) -> Int {
        if let observers, observers.count >= enough { pruneObservers() }
        return observers?.count ?? 0
    }

    func pruneObservers() {
        guard let list = observers else { return }
        list.prune(self)
        if list.isEmpty, list.isIdle { endObserving() }
    }

    private func endObserving() {
        observers = nil
        feed?.stopIfUnneeded()
        core.releaseIfUnowned(self)
    }

    /// The list that is told is the one that counts how deep events lie in each other, so it stays meanwhile.
    func notifyObservers(
        of news: ObserverList.News = .change, _ deliver: (any ResourceObserver) -> Void
    ) {
        guard let list = observers else { return }
        list.notify(self, of: news, deliver)
        if list.isEmpty, list.isIdle, observers === list { endObserving() }
    }

    /// Cancels the loads in flight when nobody observes; other requests go on (5.19).
    public func cancelLoadIfUnobserved() {
        guard !isObserved else { return }
        for request in loadRequests { request.cancel() }
    }

    /// The same after `delay`: what counts is who observes then. `completion` runs whether or not anything
    /// was cancelled, unless the timer is (5.20).
    @discardableResult
    public func cancelLoadIfUnobserved(
        after delay: Duration, then completion: @escaping @EngineActor () -> Void = {}
    ) -> EngineTimer {
        cancelLoadIfUnobserved(afterSeconds: delay.inSeconds, then: completion)
    }

    @discardableResult
    package func cancelLoadIfUnobserved(
        afterSeconds seconds: Double, then completion: @escaping @EngineActor () -> Void = {}
    ) -> EngineTimer {
        engine.scheduler.after(seconds) { [self] in
            cancelLoadIfUnobserved()
            completion()
        }
    }
}
