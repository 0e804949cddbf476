extension Resource {
    /// Sets the data as it is given, without transformers (rule 21.1). If there is no room for it, see
    /// `refusal(of:)`, the data stays the same, and the reason becomes the resource's error.
    public func overrideLocalData(_ entity: Entity) { overrideLocalData(entity, expirationSeconds: nil) }

    /// - Parameter seconds: The time for which the data is fresh; nil: the expiration time.
    package func overrideLocalData(_ entity: Entity, expirationSeconds seconds: Double?) {
        let time = engine.scheduler.time
        if let refusal = refusal(of: entity) { return notify(state.refuse(refusal, at: time)) }
        let event = state.override(entity, at: time)
        if let seconds {
            state.expires(from: time.uptime + seconds - configuration(for: "GET").expirationSeconds)
        }
        removeFromCaches()
        notify(event)
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
        state.invalidate()
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
        state.invalidate()
        // A stream reports the change itself.
        if !isStreamed { for request in loadRequests { request.isOutdated = true } }
        removeFromCaches()
        publish()
    }

    /// Removes data and error, here and in the caches, and cancels requests in flight; then it searches the
    /// caches again (rules 21.5, 21.6, D15). Readers that wait for data, such as those of ``get()``, get that
    /// of a new load.
    public func wipe() {
        for request in allRequests + loadRequests { request.cancelByWipe() }
        let event = state.wipe()
        removeFromCaches()
        caching?.allowLookup()
        notify(event)
        startCacheLookup()
    }
}
