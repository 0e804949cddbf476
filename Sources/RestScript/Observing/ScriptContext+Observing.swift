import LuaRuntime
import RestEngine

/// What observers of a script mean for its end, and for memory.
extension ScriptContext {
    /// Takes the script's observers from its resources, which may live on.
    func stopObserving(_ services: [Service]) {
        heardStatuses = []
        for resource in services.flatMap(\.liveResources) {
            resource.removeObservers { observer in
                guard let observer = observer as? ScriptObserver else { return false }
                return observer.context == nil || observer.context === self
            }
        }
        // Not before: an observer that nobody owns is no listener, and would stay until the resource's next event.
        observerOwner = nil
    }

    func collectGarbage() {
        if !isClosed { state.collectGarbage() }
    }

    /// Drops the resources that nobody holds and nobody observes. Owners of observers die when they are collected, a
    /// resource that owned some when it has been dropped; and observers that were told of their end may have held the
    /// last reference to a resource. So the one makes room for the other, once.
    func collectAndFlush(_ services: [Service]) {
        guard !isClosed else { return }
        for _ in 0..<2 {
            collectGarbage()
            for service in services { service.flushUnusedResources() }
        }
    }
}
