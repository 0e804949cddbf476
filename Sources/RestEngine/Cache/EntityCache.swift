/// Keeps what a pipeline stage made beyond the life of its resource (rules 22).
///
/// Everything here is called on the engine loop, and answers on it: each completion exactly once, in the same
/// turn or a later one. A cache that works elsewhere, on a queue of its own say, brackets that work with
/// ``Engine/beginOffloadedWork()`` and ``Engine/endOffloadedWork()``, and completes before it ends the
/// bracket: the completion may ask for more. A cache may fail; the engine logs it and goes on without (D18).
///
/// The engine asks about one resource and stage for one thing after the other, so what was written is not
/// overtaken by its removal. It waits ``CacheLimits/answerSeconds`` for an answer; a cache that takes longer
/// counts as failing, and is asked for nothing more there until it has answered.
@EngineActor
public protocol EntityCache: AnyObject, Sendable {
    /// What `explain` and logs call it.
    nonisolated var description: String { get }

    /// Where the entity of a resource is kept, at least as unique as the resource's URL. Nil: this cache has
    /// no part in this resource, and nothing else is asked of it (22.3). `stage` is the stage that the cache
    /// belongs to.
    func key(for resource: Resource, stage: String) throws -> CacheKey?

    /// The entity, or nil when there is none.
    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void)

    /// Replaces what the key had.
    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)

    /// The data was confirmed by a 304 (22.12). A key without an entity stays without.
    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)

    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)
}

/// The engine's patience with caches.
package enum CacheLimits {
    /// Seconds of the engine's clock for one answer; and for a whole look-up, before a load that waits for it
    /// goes to the network.
    package static let answerSeconds = 5.0
}

/// What one cache calls the place of an entity; nobody else looks inside.
public struct CacheKey: Sendable {
    /// Whatever the cache needs to find the entity.
    public let value: any Sendable

    public init(_ value: any Sendable) { self.value = value }
}

/// One thing that a cache is asked for.
enum CacheOperation {
    case read(@EngineActor (Entity?) -> Void)
    case write(Entity)
    case updateTimestamp(Double)
    case remove

    /// For logs, and to tell one kind of failure from another.
    var name: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .updateTimestamp: "update_timestamp"
        case .remove: "remove"
        }
    }

    /// Says that there is nothing to be had. Whoever reads gets an answer, be it none.
    @EngineActor
    func fail() {
        if case .read(let completion) = self { completion(nil) }
    }
}

/// Why a cache counts as failing, when it did not say so itself.
enum CacheError: Error, CustomStringConvertible {
    case silent
    case answeredTwice
    /// An earlier thing that it was asked for has no answer yet.
    case busy

    var description: String {
        switch self {
        case .silent: "no answer within \(Int(CacheLimits.answerSeconds)) seconds"
        case .answeredTwice: "it answered a second time"
        case .busy: "it has not answered what it was asked before"
        }
    }
}

/// What went wrong with caches: all of it counted and written to the cache log, the first of each kind as a
/// warning (D18).
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
