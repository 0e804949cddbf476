package import Coordination

/// A cache whose entries other hosts use too. Before a load of such a resource the engine asks whether
/// another host is loading it already (``HostCoordination``).
package protocol SharedEntityCache: EntityCache {
    /// Whether its server is the one by which the hosts coordinate. Otherwise it is used as a cache of this
    /// host alone.
    nonisolated var isCoordinated: Bool { get }

    /// Replaces the entity by the outcome of a load that hosts share. A grant that isn't the newest any more
    /// writes nothing, which is no error.
    func write(
        _ entity: Entity, for key: CacheKey, under grant: LeaseGrant,
        completion: @escaping @EngineActor ((any Error)?) -> Void)
}

extension EntityCache {
    nonisolated var isShared: Bool { (self as? any SharedEntityCache)?.isCoordinated ?? false }

    /// Writes under the grant, if the cache knows what it is.
    func write(
        _ entity: Entity, for key: CacheKey, _ grant: LeaseGrant?,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        if let grant, let shared = self as? any SharedEntityCache, shared.isCoordinated {
            shared.write(entity, for: key, under: grant, completion: completion)
        } else {
            write(entity, for: key, completion: completion)
        }
    }
}

extension Entity {
    /// Seconds by which the clock of another host may be ahead of this host's.
    static let mostClockLead = 5.0

    /// An entity of another host whose clock is a little ahead counts as one of now, and not of the future.
    @EngineActor
    func dated(by scheduler: Scheduler) -> Entity {
        let now = scheduler.now
        guard timestamp > now, timestamp <= now + Self.mostClockLead else { return self }
        var dated = self
        dated.timestamp = now
        return dated
    }
}

/// The right to write to a cache that hosts share.
enum SharedWriteRight: Equatable {
    /// Hosts don't share the load: the last write counts.
    case own
    /// The write counts while the grant is the newest.
    case granted(LeaseGrant)
    /// The outcome may be older than a change that other hosts know, so it isn't written.
    case none

    var grant: LeaseGrant? { if case .granted(let grant) = self { grant } else { nil } }
}
