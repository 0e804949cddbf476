/// Keeps what a pipeline stage made beyond the life of its resource (rules 22).
///
/// Everything here is called on the engine loop, and answers on it: each completion exactly once, in the same turn or
/// a later one. A cache that works elsewhere, on a queue of its own say, brackets that work with
/// ``Engine/beginOffloadedWork()`` and ``Engine/endOffloadedWork()``, and completes before it ends the bracket: the
/// completion may ask for more. A cache may fail; the engine logs it and goes on without (D18).
///
/// The engine asks about one resource and stage for one thing after the other, so what was written is not overtaken
/// by its removal. It waits ``CacheLimits/answerSeconds`` for an answer; a cache that takes longer counts as failing, and is
/// asked for nothing more there until it has answered.
@EngineActor
public protocol EntityCache: AnyObject, Sendable {
    /// For `explain` and logs.
    nonisolated var description: String { get }

    /// Where the entity of a resource is kept, at least as unique as the resource's URL. Nil: this cache has no
    /// part in this resource, and nothing else is asked of it (22.3). `stage` is the stage that the cache belongs to.
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
public enum CacheLimits {
    /// Seconds of the engine's clock for one answer; and for a whole look-up, before a load that waits for it goes
    /// to the network.
    public static let answerSeconds = 5.0
}

/// What one cache calls the place of an entity; nobody else looks inside.
public struct CacheKey: Sendable {
    /// Whatever the cache needs to find the entity.
    public let value: any Sendable

    public init(_ value: any Sendable) { self.value = value }
}
