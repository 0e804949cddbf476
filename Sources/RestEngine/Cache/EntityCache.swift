internal import Coordination

/// Stores the output of a pipeline stage beyond the life of its resource (rules 22).
///
/// All functions are called on the engine loop and answer on it: they call each completion exactly once, in
/// the same tick or a later one. A cache that works elsewhere, for example on a queue of its own, comes back
/// to the loop with ``EngineActor/run(_:)``. A cache may fail; the engine logs the failure and goes on
/// without the cache (D18).
///
/// For one resource and stage the engine starts an operation when the one before has ended, so a removal is
/// never overtaken by an earlier write. It waits 5 s for an answer. A cache that
/// takes longer counts as failing, and gets no further operation there until it has answered.
@EngineActor
public protocol EntityCache: AnyObject, Sendable {
    /// The name of the cache in `explain` and in logs.
    nonisolated var description: String { get }

    /// Whether the keys of resources at one URL in different partitions differ (77.4). If not, the cache is
    /// not used for resources with a partition, because it would show data of one to others. False by
    /// default.
    nonisolated var separatesPartitions: Bool { get }

    /// Whether the cache itself says in the log when it begins to fail and when that is over. Then the engine
    /// only counts its failures. False by default.
    nonisolated var reportsItsFailures: Bool { get }

    /// The key for the entity of a resource, at least as unique as the URL of the resource. Nil: this cache
    /// does not serve this resource, and no other function is called for it (22.3). `stage` is the stage that
    /// the cache belongs to.
    ///
    /// - Throws: An error, which the engine logs; then the resource has no entry.
    func key(for resource: Resource, stage: String) throws -> CacheKey?

    /// Reads the entity, nil when there is none.
    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void)

    /// Replaces the entity of the key.
    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)

    /// Sets the timestamp of data that a 304 has confirmed (22.12). A key without an entity stays without
    /// one.
    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)

    /// Removes the entity of a key, if there is one.
    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void)

    /// Removes the entities of a service's resources for which `matches` is true, whether these are in memory
    /// or not. By default it removes nothing.
    func removeAll(
        of service: String,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool,
        completion: @escaping @EngineActor ((any Error)?) -> Void)
}

extension EntityCache {
    public nonisolated var separatesPartitions: Bool { false }

    public nonisolated var reportsItsFailures: Bool { false }

    public func removeAll(
        of service: String,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        completion(nil)
    }
}

/// The time limits of the engine for caches.
package enum CacheLimits {
    /// Seconds on the engine's clock for one answer, and for a whole look-up, before a load that waits for it
    /// goes to the network.
    package static let answerSeconds = 5.0
}

/// A cache's own key for an entity; only the cache looks inside.
public struct CacheKey: Sendable {
    /// The data that the cache needs to find the entity.
    public let value: any Sendable

    /// A key for one entry; only the cache itself reads the value.
    public init(_ value: any Sendable) { self.value = value }
}

/// One operation on a cache.
enum CacheOperation {
    case read(@EngineActor (Entity?) -> Void)
    case write(Entity, LeaseGrant?)
    case updateTimestamp(Double)
    case remove
    /// Does nothing in its turn.
    case pass(@EngineActor () -> Void)

    /// For logs, and to distinguish the kinds of failures.
    var name: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .updateTimestamp: "update_timestamp"
        case .remove: "remove"
        case .pass: "pass"
        }
    }

    /// Ends the operation without a result. A read gets an answer: no entity.
    @EngineActor
    func fail() {
        switch self {
        case .read(let completion): completion(nil)
        case .pass(let completion): completion()
        case .write, .updateTimestamp, .remove: break
        }
    }
}

/// The reason why a cache counts as failing when it did not report an error itself.
enum CacheError: Error, CustomStringConvertible {
    case silent
    case answeredTwice
    /// An earlier operation has no answer yet.
    case busy

    var description: String {
        switch self {
        case .silent: "no answer within \(Int(CacheLimits.answerSeconds)) seconds"
        case .answeredTwice: "it answered a second time"
        case .busy: "it has not answered an earlier operation"
        }
    }
}

/// The failures of caches: all are counted and written to the cache log, the first of each kind as a warning
/// (D18).
@EngineActor
final class CacheFailureList {
    private struct Kind: Hashable {
        let cache: String
        let operation: String
    }

    private(set) var count = 0
    private var known: Set<Kind> = []
    /// Scripts can make any number of caches; after this many kinds the list is cleared, and warnings repeat.
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
    /// How often a cache has failed: it reported an error, gave an invalid answer, or did not answer.
    public var cacheFailures: Int { cacheFailureList.count }

    /// `operation` is the name of the operation, or `key`.
    func report(_ error: any Error, of cache: any EntityCache, _ operation: String, _ resource: Resource) {
        let text = "\(cache.description): \(operation) failed for \(resource.urlString): \(error)"
        let isNew = cacheFailureList.add(cache, operation) && !cache.reportsItsFailures
        log.write(.cache, text)
        if isNew {
            log.write(
                .warning,
                "\(text); it goes on without the cache, and further such failures are in the log 'cache' alone"
            )
        }
    }
}
