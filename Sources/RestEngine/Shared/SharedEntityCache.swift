/// A cache whose entries other hosts use too. Before a load of such a resource the engine asks whether
/// another host is loading it already (``SharedFlights``).
package protocol SharedEntityCache: EntityCache {
    /// Replaces the entity by the outcome of a load that hosts share. A grant that isn't the newest any more
    /// writes nothing, which is no error.
    func write(
        _ entity: Entity, for key: CacheKey, under grant: SharedGrant,
        completion: @escaping @EngineActor ((any Error)?) -> Void)
}

extension EntityCache {
    nonisolated var isShared: Bool { self is any SharedEntityCache }

    /// Writes under the grant, if there is one and the cache knows what it is.
    func write(
        _ entity: Entity, for key: CacheKey, _ grant: SharedGrant?,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        if let grant, let shared = self as? any SharedEntityCache {
            shared.write(entity, for: key, under: grant, completion: completion)
        } else {
            write(entity, for: key, completion: completion)
        }
    }
}
