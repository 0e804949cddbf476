extension Resource {
    /// Puts data in place as it is given, without transformers (rule 21.1). Without room for it, see
    /// ``refusal(of:)``, the data stays as it is, and the reason becomes the resource's error.
    public func overrideLocalData(_ entity: Entity) {
        let time = engine.scheduler.time
        if let refusal = refusal(of: entity) { return notify(state.refuse(refusal, at: time)) }
        let event = state.override(entity, at: time)
        removeFromCaches()
        notify(event)
    }

    /// Replaces the content alone; type, charset and headers stay, the time is now (21.2).
    public func overrideLocalContent(_ content: Content) {
        overrideLocalData(entity(withLocal: content))
    }

    /// What it would hold with that content.
    public func entity(withLocal content: Content) -> Entity {
        let now = engine.scheduler.now
        var entity = state.data ?? Entity(content: content, contentType: "application/binary", timestamp: now)
        entity.content = content
        entity.timestamp = now
        return entity
    }

    /// The next use loads again; nothing else changes (21.3).
    public func invalidate() {
        state.invalidate()
        publish()
    }

    /// Forgets data and error, here and in the caches, and cancels what is in flight; then looks into the
    /// caches again (21.5, D15).
    public func wipe() {
        for request in allRequests + loadRequests { request.cancel() }
        let event = state.wipe()
        removeFromCaches()
        caching?.allowLookup()
        notify(event)
        startCacheLookup()
    }
}
