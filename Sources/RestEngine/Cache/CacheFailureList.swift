/// What went wrong with caches: all of it counted and written to the cache log, the first of each kind as a warning
/// (D18).
@EngineActor
final class CacheFailureList {
    private struct Kind: Hashable {
        let cache: String
        let operation: String
    }

    private(set) var count = 0
    private var known: Set<Kind> = []
    /// Scripts can make any number of caches; beyond so many kinds the warnings begin anew.
    private static let limit = 1000

    nonisolated init() {}

    /// True for the first failure of its kind.
    func add(_ cache: any EntityCache, _ operation: String) -> Bool {
        count += 1
        if known.count >= Self.limit { known = [] }
        return known.insert(Kind(cache: cache.description, operation: operation)).inserted
    }
}

extension Engine {
    /// How often a cache has failed: raised an error, answered what it must not, or not at all.
    public var cacheFailures: Int { cacheFailureList.count }

    /// `operation` is what the cache was asked for, or `key`.
    func report(_ error: any Error, of cache: any EntityCache, _ operation: String, _ resource: Resource) {
        let text = "\(cache.description): \(operation) failed for \(resource.urlString): \(error)"
        let isNew = cacheFailureList.add(cache, operation)
        log.write(.cache, text)
        if isNew {
            log.write(
                .warning,
                "\(text); it goes on without the cache, and further such failures are in the log 'cache' alone"
            )
        }
    }
}
