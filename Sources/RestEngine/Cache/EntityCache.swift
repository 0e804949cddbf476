/// Keeps what a pipeline stage made beyond the life of its resource (siesta-semantics 22).
///
/// Everything here is called on the engine loop, and answers on it: each completion exactly once, in the same turn or
/// a later one. A cache that works elsewhere, on a queue of its own say, brackets that work with
/// ``Engine/beginOutsideWork()`` and ``Engine/endOutsideWork()``. A cache may fail; the engine logs it and goes on
/// without (D18).
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

/// What one cache calls the place of an entity; nobody else looks inside.
public struct CacheKey: Sendable {
    public let value: any Sendable

    public init(_ value: any Sendable) { self.value = value }
}
