extension Resource {
    /// Puts data in place as it is given, without transformers (siesta-semantics 21.1).
    public func overrideLocalData(_ entity: Entity) {
        notify(state.override(entity))
    }

    /// Replaces the content alone; type, charset and headers stay, the time is now (21.2).
    public func overrideLocalContent(_ content: Content) {
        let now = engine.scheduler.now
        var entity = state.data ?? Entity(content: content, contentType: "application/binary", timestamp: now)
        entity.content = content
        entity.timestamp = now
        overrideLocalData(entity)
    }

    /// The next use loads again; nothing else changes (21.3).
    public func invalidate() {
        state.invalidate()
        publish()
    }

    /// Forgets data and error and cancels what is in flight (21.5).
    public func wipe() {
        for request in allRequests + loadRequests { request.cancel() }
        notify(state.wipe())
    }
}
