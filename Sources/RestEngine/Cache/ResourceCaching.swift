/// What a resource with caches has beyond the others: the state of its look-up, and what its caches are being asked.
@EngineActor
final class ResourceCaching {
    private(set) var lookup: CacheLookup?
    /// The caches were looked through once; a wipe allows it again.
    private(set) var hasLookedUp = false
    private var lines: [CacheLine] = []

    /// No cache is being asked, and none is in doubt.
    var isAtRest: Bool { lines.isEmpty }

    func startLookup(of resource: Resource) {
        hasLookedUp = true
        let new = CacheLookup(resource, self)
        lookup = new
        new.start()
    }

    func lookupEnded(_ ended: CacheLookup) {
        if lookup === ended { lookup = nil }
    }

    func allowLookup() {
        lookup?.abandon()
        lookup = nil
        hasLookedUp = false
    }

    /// False when the cache has no part in the resource, or must not be asked.
    @discardableResult
    func ask(_ operation: CacheOperation, _ stage: CachedStage, of resource: Resource) -> Bool {
        let key: CacheKey?
        do { key = try stage.cache.key(for: resource, stage: stage.name) } catch {
            resource.engine.report(error, of: stage.cache, "key", resource)
            return false
        }
        guard let key else { return false }
        if case .read = operation,
            lines.contains(where: { $0.isDoubtful(stage.cache) && $0.stage == stage.name })
        {
            return false
        }
        line(for: stage).ask(operation, stage.cache, key, of: resource)
        return true
    }

    private func line(for stage: CachedStage) -> CacheLine {
        if let known = lines.first(where: { $0.stage == stage.name && $0.accepts(stage.cache) }) {
            return known
        }
        let new = CacheLine(stage: stage.name) { [weak self] line in self?.lines.remove(identical: line) }
        lines.append(new)
        return new
    }
}
