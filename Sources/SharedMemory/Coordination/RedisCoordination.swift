package import Coordination
package import RestEngine

/// Connects the hosts of one Redis server and prefix: one of them loads a resource that several need, and all
/// learn of invalidations.
@EngineActor
package final class RedisCoordination: HostCoordination {
    private let leases: RedisLeases
    private let invalidations: RedisInvalidations
    private let updates: RedisUpdates
    private let sharedLimits: RedisLimits

    private let client: RedisClient
    private let keys: RedisKeys
    private let coding: CredentialCoding
    /// Those that make the changes of other hosts.
    package var services: @EngineActor () -> [Service]

    /// - Parameter client: For commands on the way of requests. Another one, with a connection of its own,
    ///   waits for entries of the log, so that no other command waits behind it.
    /// - Parameter key: Seals credentials; nil: they are readable in the server.
    package init(
        engine: Engine, client: RedisClient, _ keys: RedisKeys, rules: LeaseRules = LeaseRules(),
        sealing key: SealingKey? = nil, services: @escaping @EngineActor () -> [Service]
    ) {
        (self.client, self.keys, self.services) = (client, keys, services)
        coding = CredentialCoding(key: key)
        let (keys, host) = (CoordinationKeys(keys: keys), Self.identity())
        leases = RedisLeases(engine: engine, client: client, keys, host: host, rules: rules)
        sharedLimits = RedisLimits(client: client, keys, host: host)
        updates = RedisUpdates(engine: engine, client: client, keys, host: host)
        invalidations = RedisInvalidations(
            engine: engine, client: client,
            follower: RedisClient(RedisClient.Settings(client.settings.servers, timeout: 2)), keys, host: host
        )
        invalidations.services = { [weak self] in self?.services() ?? [] }
        leases.awaitsChange = { [unowned invalidations] in invalidations.awaitsChange(of: $0) }
        updates.awaitsChange = { [unowned invalidations] in invalidations.awaitsChange(of: $0) }
        invalidations.onMessage = { [leases, updates, weak engine] message in
            switch message {
            case .leaseEnded(let name): leases.receive(name)
            case .loaded(let name): updates.receive(name)
            case .limitChanged(let name): engine?.wakeLimit(name)
            }
        }
        invalidations.onLoss = { [leases] in leases.messagesWereLost() }
        invalidations.onMissed = { [weak self] in
            guard let self else { return }
            for service in self.services() { service.followOthers() }
            updates.renew()
        }
    }

    /// Whether it coordinates hosts of this server and prefix, with this key.
    package func uses(_ client: RedisClient, _ keys: RedisKeys, sealing key: SealingKey?) -> Bool {
        self.client === client && self.keys == keys && coding.key == key
    }

    /// Follows the other hosts from now on. No effect after the first call.
    package func start() { invalidations.start() }

    package func stop() { invalidations.stop() }

    package func begin(_ load: SharedLoad) { leases.begin(load) }
    package func begin(_ refresh: SharedRefresh) { leases.begin(refresh, coding) }

    package func follow(_ resource: Resource) { updates.follow(resource) }
    package func announce(_ resource: Resource) { updates.announce(resource) }

    package func awaitsChange(of resource: Resource) -> Bool { invalidations.awaitsChange(of: resource) }

    package func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) { sharedLimits.count(question, of: name, limit, completion: completion) }

    package func publish(_ invalidation: Invalidation) { invalidations.publish(invalidation) }

    /// A random name that no other host or load has.
    static func identity() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    // MARK: For operators

    /// Loads of resources that hosts share, since the start.
    package struct Loads: Sendable, Equatable {
        /// Made for all hosts.
        package var leased = 0
        /// Made by another host.
        package var used = 0
        /// Made without a lease: the server can't be used, or the wait was too long.
        package var alone = 0
    }

    package struct Invalidations: Sendable, Equatable {
        package var sent = 0
        package var received = 0
        /// The times at which some may have been missed, so that all data was stale. One is the start.
        package var missed = 0
    }

    /// Messages about limits.
    package struct Limits: Sendable, Equatable {
        package var answered = 0
        /// Without an answer in time, so that the host took an equal part of the limit.
        package var unanswered = 0
    }

    package var limits: Limits { sharedLimits.counts }
    package var loads: Loads { leases.counts }
    package var changes: Invalidations { invalidations.counts }
    /// The loads that wait for other hosts.
    package var waitingLoads: Int { leases.waitingCount }
    /// The changes of this host that the others can't know yet.
    package var waitingChanges: Int { invalidations.waitingCount }
    /// The reason why it doesn't learn of changes; nil if it does.
    package var failure: String? { invalidations.failure }
    /// Whether it knows its place in the log.
    package var isFollowing: Bool { invalidations.isFollowing }
}
