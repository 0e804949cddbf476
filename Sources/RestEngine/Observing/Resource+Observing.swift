extension Resource {
    /// Adds an observer that owns itself: it is not kept alive, and stops when it is released (rule 13.13).
    /// Only the new observer is notified, at once (13.4). An observer that observes already is not added
    /// again (13.12).
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Resource {
        addObserver(observer, owner: observer)
    }

    /// Adds an observer, or another owner of one: it is kept alive, and observes, as long as any of its
    /// owners lives (13.14, 13.15). Owners are held weakly. If the resource has caches, they are read
    /// (13.21).
    ///
    /// - Parameters:
    ///   - hold: Kept until that owner is gone or removed, and the resulting notifications have been
    ///     made.
    ///   - observer: The observer.
    ///   - owner: The observer lasts as long as its owner.
    @discardableResult
    public func addObserver(
        _ observer: any ResourceObserver, owner: AnyObject, hold: AnyObject? = nil
    ) -> Resource {
        let list = observers ?? ObserverList()
        let isFirst = list.isEmpty
        if isFirst {
            if observers !== list {
                observers = list
                for request in loadRequests { list.follow(request, of: self) }
            }
            core.keep(self)
        }
        list.add(observer, owner: owner, hold: hold, to: self)
        startCacheLookup()
        if isFirst { computed?.observersChanged() }
        if list.refresh == nil { planRefresh() }
        return self
    }

    /// Keeps it up to date according to the configuration: by a stream (rule 57.1), or by another load after
    /// some time, if it still has observers then (rule 53.10).
    func planRefresh() {
        guard let list = observers, url != nil else { return }
        followOthers()
        list.refresh?.cancel()
        list.refresh = nil
        let configuration = configuration(for: "GET")
        if configuration.stream == .events { return eventFeed().observe() }
        let seconds = configuration.refreshSeconds
        guard seconds > 0 else { return }
        WorkScope.forAll {
            list.refresh = engine.scheduler.after(seconds) { [weak self, weak list] in
                list?.refresh = nil
                guard let self, isObserved else { return }
                if isLoading { return planRefresh() }
                if mayLoadInBackground { _ = load(isShared: true) }
            }
        }
    }

    /// Adds an observer function that observes as long as its owner lives (13.1, 13.14).
    @discardableResult
    public func addObserver(
        owner: AnyObject, _ changed: @escaping @EngineActor (Resource, ResourceEvent) -> Void
    ) -> Resource {
        addObserver(ClosureObserver(changed), owner: owner)
    }

    /// Removes `owner` from the observers; observers without an owner stop (13.16).
    public func removeObservers(ownedBy owner: AnyObject?) {
        if let owner { observers?.removeOwner(owner, of: self) }
    }

    /// Removes the matching observers with all their owners.
    package func removeObservers(where matches: (any ResourceObserver) -> Bool) {
        observers?.remove(from: self, where: matches)
    }

    /// Whether it has an observer with a living owner.
    public var isObserved: Bool {
        pruneObservers()
        return observers != nil
    }

    /// The number of observers. Below `enough` it may include some whose owners are gone.
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
        stopUpdate()
        observers = nil
        feed?.stopIfUnneeded()
        computed?.observersChanged()
        core.releaseIfUnowned(self)
    }

    /// A list that is notifying also counts the nesting of events, so it stays until the end.
    func notifyObservers(
        of news: ObserverList.News = .change, _ deliver: (any ResourceObserver) -> Void
    ) {
        guard let list = observers else { return }
        list.notify(self, of: news, deliver)
        if list.isEmpty, list.isIdle, observers === list { endObserving() }
    }

    /// Cancels the loads in flight if there are no observers; other requests continue (5.19).
    public func cancelLoadIfUnobserved() {
        guard !isObserved else { return }
        for request in loadRequests { request.cancel() }
    }

    /// The same after `delay`: it depends on the observers at that time. `completion` runs even if no load
    /// was cancelled, unless the timer is cancelled (5.20).
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
