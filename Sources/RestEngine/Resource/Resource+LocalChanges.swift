internal import Coordination

extension Resource {
    /// Sets the data as it is given, without transformers (rule 21.1). If there is no room for it, see
    /// `refusal(of:)`, the data stays the same, and the reason becomes the resource's error.
    public func overrideLocalData(_ entity: Entity) { overrideLocalData(entity, expirationSeconds: nil) }

    /// - Parameter seconds: The time for which the data is fresh; nil: the expiration time.
    package func overrideLocalData(_ entity: Entity, expirationSeconds seconds: Double?) {
        let data = OverriddenData(entity, expirationSeconds: seconds)
        if overrideHere(data) { tellOthers(overridden: data) }
    }

    /// The same for this host alone. Returns whether there was room for it.
    ///
    /// - Parameter includingShared: Whether caches that hosts share lose their entries too.
    @discardableResult
    func overrideHere(_ data: OverriddenData, includingShared: Bool = true) -> Bool {
        let (entity, time) = (data.entity, engine.scheduler.time)
        stopUpdate()
        if let refusal = refusal(of: entity) {
            notify(state.refuse(refusal, at: time))
            return false
        }
        let event = state.override(entity, at: time)
        if let seconds = data.expirationSeconds {
            state.expires(from: time.uptime + seconds - configuration(for: "GET").expirationSeconds)
        }
        removeFromCaches(includingShared: includingShared)
        notify(event)
        return true
    }

    /// Replaces only the content; type, charset and headers stay, and the time is now (21.2).
    public func overrideLocalContent(_ content: Content) {
        overrideLocalData(entity(withLocal: content))
    }

    /// The entity that it would have with that content.
    package func entity(withLocal content: Content) -> Entity {
        let now = engine.scheduler.now
        var entity = state.data ?? Entity(content: content, contentType: "application/binary", timestamp: now)
        entity.content = content
        entity.timestamp = now
        return entity
    }

    /// Makes the next use load again, without other changes (21.3).
    public func invalidate() {
        invalidateHere()
        tellOthers(.stale)
    }

    /// The same for this host alone; see ``overrideHere(_:includingShared:)``.
    func invalidateHere(includingShared: Bool = true) {
        state.invalidate()
        stopUpdate()
        if includingShared, engine.coordination != nil { removeFromSharedCaches() }
        publish()
    }

    /// Makes the data stale, as if its expiration time were over.
    func expire() {
        state.expire()
        publish()
    }

    /// Invalidates the data because its server was asked to change it (rule 52.6). The caches lose theirs.
    /// The server may have answered loads in flight before the change, so they bring no fresh data.
    package func outdate() {
        outdateHere()
        tellOthers(.outdated)
    }

    /// The same for this host alone; see ``overrideHere(_:includingShared:)``.
    func outdateHere(includingShared: Bool = true) {
        distrust()
        removeFromCaches(includingShared: includingShared)
    }

    /// The data is stale, and so is that of loads in flight; the caches stay.
    func distrust() {
        state.invalidate()
        stopUpdate()
        // A stream reports the change itself.
        if !isStreamed {
            for request in loadRequests {
                request.isOutdated = true
                request.work.network?.sharedLoad?.onOutdated?()
            }
        }
        publish()
    }

    /// Removes data and error, here and in the caches, and cancels requests in flight; then it searches the
    /// caches again (rules 21.5, 21.6, D15). Readers that wait for data, such as those of ``get()``, get that
    /// of a new load.
    public func wipe() {
        wipeHere()
        tellOthers(.wiped)
    }

    /// The same for this host alone; see ``overrideHere(_:includingShared:)``.
    package func wipeHere(includingShared: Bool = true) {
        for request in allRequests + loadRequests { request.cancelByWipe() }
        stopUpdate()
        let event = state.wipe()
        removeFromCaches(includingShared: includingShared)
        caching?.allowLookup()
        notify(event)
        startCacheLookup()
    }
}
