import Coordination
import RestEngine
import TestSupport

/// Leases of one process, without times: the first load of a resource loads, and the others wait for it.
@EngineActor
final class FakeLeases: HostCoordination {
    private var holders: [String: SharedLoad] = [:]
    private var waiting: [String: [SharedLoad]] = [:]
    private var lastNumber: Int64 = 0
    /// The ends of loads.
    let ends = Journal()

    func begin(_ load: SharedLoad) {
        let url = load.resource.urlString
        guard holders[url] == nil else {
            load.onEnd = { [weak self, unowned load] _ in
                self?.waiting[url]?.removeAll { $0 === load }
            }
            waiting[url, default: []].append(load)
            return
        }
        hold(load, url)
    }

    private func hold(_ load: SharedLoad, _ url: String) {
        lastNumber += 1
        holders[url] = load
        var isOutdated = false
        load.onOutdated = { isOutdated = true }
        load.onEnd = { [self] end in
            holders[url] = nil
            switch end {
            case .loaded(let entity):
                ends.note(
                    "loaded \(entity?.content.text ?? "into the cache")\(isOutdated ? ", outdated" : "")")
            case .failed: ends.note("failed\(isOutdated ? ", outdated" : "")")
            }
            if case .loaded(let entity) = end { update(load.resource, entity) }
            let told = waiting.removeValue(forKey: url) ?? []
            for waiter in told { tell(waiter, url, end) }
        }
        load.load(under: LeaseGrant(number: lastNumber, generation: 0))
    }

    private func tell(_ load: SharedLoad, _ url: String, _ end: SharedLoad.End) {
        if case .loaded(let entity?) = end, load.isFresh(entity) { return load.use(entity) }
        guard load.hasCache else { return begin(load) }
        load.look { [self] entity in
            if let entity, load.isFresh(entity) { load.use(entity) } else { begin(load) }
        }
    }

    func begin(_ refresh: SharedRefresh) { refresh.decide(.renew { _ in nil }) }
    func publish(_ invalidation: Invalidation) {}
    func stop() {}

    /// Resources of several engines.
    private var followers: [Resource] = []

    func follow(_ resource: Resource) {
        if !followers.contains(where: { $0 === resource }) { followers.append(resource) }
    }

    func announce(_ resource: Resource) {
        ends.note("announced")
        update(resource, nil)
    }

    /// Gives the data of a load to the other followers.
    private func update(_ loaded: Resource, _ value: Entity?) {
        for resource in followers where resource !== loaded && resource.urlString == loaded.urlString {
            guard let update = resource.sharedUpdate() else { continue }
            let take: @EngineActor (Entity?) -> Void = { entity in
                guard let entity, update.isFresh(entity) else { return update.abandon() }
                update.use(entity)
            }
            if update.hasCache { update.look(take) } else { take(value) }
        }
    }

    /// The counts of limits, by name.
    var limits: [String: LimitCount] = [:]
    /// False for a server that doesn't answer.
    var answersLimits = true

    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) {
        guard answersLimits else { return completion(nil) }
        completion(limits[name, default: LimitCount()].answer(question, from: "one", limit, at: 0))
    }

    func awaitsChange(of resource: Resource) -> Bool { awaited.contains(resource.urlString) }
    var awaited: Set<String> = []

    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }
}

/// A cache that several engines use. A write under a number that isn't the newest is dropped.
@EngineActor
final class FakeSharedCache: SharedEntityCache {
    var entities: [String: Entity] = [:]
    let calls = Journal()

    nonisolated var description: String { "shared cache" }
    nonisolated var isCoordinated: Bool { true }

    func key(for resource: Resource, stage: String) throws -> CacheKey? { CacheKey(resource.urlString) }

    private func url(_ key: CacheKey) -> String { key.value as? String ?? "" }

    /// Reads that wait; nil if they are answered at once.
    private var held: [@EngineActor () -> Void]?

    var heldReads: Int { held?.count ?? 0 }
    func hold() { held = [] }
    func go() {
        let reads = held ?? []
        held = nil
        for read in reads { read() }
    }

    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void) {
        calls.note("read")
        let result = entities[url(key)]
        guard held != nil else { return completion(.success(result)) }
        held?.append { completion(.success(result)) }
    }

    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        calls.note("write \(entity.content.text ?? "?")")
        entities[url(key)] = entity
        completion(nil)
    }

    func write(
        _ entity: Entity, for key: CacheKey, under grant: LeaseGrant,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        calls.note("write \(entity.content.text ?? "?") under \(grant.number)")
        entities[url(key)] = entity
        completion(nil)
    }

    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        entities[url(key)]?.timestamp = timestamp
        completion(nil)
    }

    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        calls.note("remove")
        entities[url(key)] = nil
        completion(nil)
    }
}

/// Gives each change to all services but the one that made it.
@EngineActor
final class FakeInvalidations: HostCoordination {
    private let hub: Hub
    private unowned let service: Service

    @EngineActor
    final class Hub {
        fileprivate var members: [FakeInvalidations] = []
        let published = Journal()
    }

    init(_ hub: Hub, _ fixture: EngineFixture) {
        (self.hub, service) = (hub, fixture.service)
        hub.members.append(self)
        fixture.engine.coordination = self
    }

    func begin(_ load: SharedLoad) { load.load(under: nil) }
    func begin(_ refresh: SharedRefresh) { refresh.decide(.renew { _ in nil }) }
    func follow(_ resource: Resource) {}
    func announce(_ resource: Resource) {}
    func stop() {}

    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) { completion(nil) }

    func awaitsChange(of resource: Resource) -> Bool { awaited.contains(resource.urlString) }
    var awaited: Set<String> = []

    func publish(_ invalidation: Invalidation) {
        var text = "\(invalidation.change)"
        if let end = text.firstIndex(of: "(") { text = String(text[..<end]) }
        switch invalidation.target {
        case .all: text += " all"
        case .url(let url): text += " \(url.split(separator: "/").last ?? "")"
        case .glob(let glob): text += " glob \(glob)"
        }
        hub.published.note(text + (invalidation.partition.map { " of \($0)" } ?? ""))
        for member in hub.members where member !== self { member.service.apply(invalidation) }
    }
}
