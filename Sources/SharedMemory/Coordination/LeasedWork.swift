internal import Coordination
internal import RestEngine

/// Work that one of the hosts does for all.
@EngineActor
protocol LeasedWork: AnyObject {
    /// The common end of its keys.
    var name: String { get }
    /// The service whose generation counts; a text that no service has, for other work.
    var service: String { get }
    /// For the log.
    var label: String { get }
    /// See ``SharedLoad/lookedAt``.
    var lookedAt: Double? { get }
    /// Seconds for which the server keeps the value.
    var lifetime: Double { get }

    /// Looks for the value of another host. Gives whether it can be used.
    func read(_ completion: @escaping @EngineActor (Bool) -> Void)
    func begin(under grant: LeaseGrant?, by lease: RedisLeases.Lease)
    /// The value that was read last is the result.
    func use()
    /// The value that others get; empty if there is none, or a cache has it.
    func value(under grant: LeaseGrant) -> [UInt8]
}

/// A load of a resource.
@EngineActor
final class LeasedLoad: LeasedWork {
    private let load: SharedLoad
    private let place: CacheEntry.Place
    private let values: SharedValues
    private let awaitsChange: @EngineActor () -> Bool
    private var found: Entity?
    let name: String

    init(
        _ load: SharedLoad, _ values: SharedValues, awaitsChange: @escaping @EngineActor () -> Bool
    ) {
        let resource = load.resource
        (self.load, self.awaitsChange, self.values) = (load, awaitsChange, values)
        place = CacheEntry.Place(
            stage: "", user: "", service: resource.service.name, partition: resource.partition,
            url: resource.urlString)
        name = CoordinationKeys.name(place)
    }

    var service: String { place.service }
    var label: String { load.resource.urlString }
    var lookedAt: Double? { load.lookedAt }
    var lifetime: Double { load.expirationSeconds }

    func follow(_ lease: RedisLeases.Lease) {
        load.onOutdated = { lease.state.outdated() }
        load.onEnd = { [self] end in
            switch end {
            case .loaded(let entity):
                found = entity
                lease.ended(hasValue: true)
            case .failed: lease.ended(hasValue: false)
            }
        }
    }

    func read(_ completion: @escaping @EngineActor (Bool) -> Void) {
        let take: @EngineActor (Entity?) -> Void = { [self] entity in
            found = entity
            completion(entity.map { load.isFresh($0) } ?? false)
        }
        if load.hasCache { return load.look(take) }
        if awaitsChange() { return take(nil) }
        values.read(name, of: service) { [place] bytes in
            guard let bytes,
                case .entity(let entity) = CacheEntry.decode(
                    bytes, of: place, most: 4 * RedisLeases.mostBytes)
            else { return take(nil) }
            take(entity)
        }
    }

    func begin(under grant: LeaseGrant?, by lease: RedisLeases.Lease) { load.load(under: grant) }

    func use() {
        if let found { load.use(found) }
    }

    func value(under grant: LeaseGrant) -> [UInt8] {
        found.flatMap {
            try? CacheEntry.encode($0, at: place, compressing: false, most: RedisLeases.mostBytes)
        } ?? []
    }
}

/// A renewal of credentials.
@EngineActor
final class LeasedRefresh: LeasedWork {
    private let refresh: SharedRefresh
    private let coding: CredentialCoding
    private let engine: Engine
    private let values: SharedValues
    private var found: SharedCredentials?
    private var outcome: (value: Tree, lifetime: Double?)?
    let name: String

    init(
        _ refresh: SharedRefresh, _ coding: CredentialCoding, _ engine: Engine, _ values: SharedValues
    ) {
        (self.refresh, self.coding, self.engine) = (refresh, coding, engine)
        self.values = values
        name = CoordinationKeys.name(ofRefresh: refresh.name)
    }

    /// No service has a line break in its name.
    var service: String { "\n\(refresh.name)" }
    var label: String { "the credentials \(refresh.name)" }
    var lookedAt: Double? { nil }
    var lifetime: Double { outcome?.lifetime ?? Self.longestLifetime }

    /// Seconds for which hosts share credentials without a time of their own.
    static let longestLifetime = 86_400.0

    func read(_ completion: @escaping @EngineActor (Bool) -> Void) {
        values.read(name, of: service) { [self] bytes in
            found = bytes.flatMap { coding.decode($0, name: refresh.name) }
            guard let found else { return completion(false) }
            completion(
                found.number != refresh.refused && (found.expiresAt ?? .infinity) > engine.scheduler.now)
        }
    }

    func begin(under grant: LeaseGrant?, by lease: RedisLeases.Lease) {
        refresh.decide(
            .renew { [self] outcome in
                var hasValue = false
                if case .renewed(let value?, let lifetime) = outcome {
                    self.outcome = (value, lifetime)
                    hasValue = grant != nil
                }
                lease.ended(hasValue: hasValue)
                return hasValue ? grant?.number : nil
            })
    }

    func use() {
        if let found { refresh.decide(.use(found)) }
    }

    func value(under grant: LeaseGrant) -> [UInt8] {
        guard let outcome else { return [] }
        let end = outcome.lifetime.map { engine.scheduler.now + $0 }
        return coding.encode(
            SharedCredentials(number: grant.number, outcome.value, expiresAt: end), name: refresh.name)
    }
}
