/// The caches that an engine has used, for removals of entries whose resources are not in memory.
@EngineActor
struct KnownCaches {
    private struct Entry {
        weak var cache: (any EntityCache)?
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of caches that are gone are removed.
    private var nextPruning = 64

    nonisolated init() {}

    mutating func add(_ cache: any EntityCache) {
        let id = ObjectIdentifier(cache)
        guard entries[id]?.cache == nil else { return }
        if entries.count >= nextPruning {
            entries = entries.filter { $0.value.cache != nil }
            nextPruning = max(64, 2 * entries.count)
        }
        entries[id] = Entry(cache: cache)
    }

    var all: [any EntityCache] { entries.values.compactMap(\.cache) }
}

extension Engine {
    /// A cache that exists from now on, or that is used.
    package func note(_ cache: any EntityCache) { knownCaches.add(cache) }

    /// Whether there are caches of which other hosts know nothing.
    var hasOwnCaches: Bool { knownCaches.all.contains { !$0.isShared } }

    func removeFromCaches(
        of service: String, includingShared: Bool = true,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool
    ) {
        for cache in knownCaches.all where includingShared || !cache.isShared {
            cache.removeAll(of: service, where: matches) { [self] error in
                guard let error else { return }
                log.write(
                    .warning, "\(cache.description): entries of \(service) could not be removed: \(error)")
            }
        }
    }
}
