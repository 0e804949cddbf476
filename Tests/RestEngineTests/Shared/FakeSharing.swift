import RestEngine
import TestSupport

/// Leases of one process, without times: the first flight of a resource loads, and the others wait for it.
@EngineActor
final class FakeFlights: SharedFlights {
    private var holders: [String: SharedFlight] = [:]
    private var waiting: [String: [SharedFlight]] = [:]
    private var lastNumber: Int64 = 0
    /// The ends of flights that loaded.
    let ends = Journal()

    func begin(_ flight: SharedFlight) {
        let url = flight.resource.urlString
        guard holders[url] == nil else {
            flight.onEnd = { [weak self, unowned flight] _ in
                self?.waiting[url]?.removeAll { $0 === flight }
            }
            waiting[url, default: []].append(flight)
            return
        }
        hold(flight, url)
    }

    private func hold(_ flight: SharedFlight, _ url: String) {
        lastNumber += 1
        holders[url] = flight
        var isOutdated = false
        flight.onOutdated = { isOutdated = true }
        flight.onEnd = { [self] end in
            holders[url] = nil
            switch end {
            case .loaded(let entity):
                ends.note(
                    "loaded \(entity?.content.text ?? "into the cache")\(isOutdated ? ", outdated" : "")")
            case .failed: ends.note("failed\(isOutdated ? ", outdated" : "")")
            }
            let told = waiting.removeValue(forKey: url) ?? []
            for waiter in told { tell(waiter, url, end) }
        }
        flight.load(under: SharedGrant(number: lastNumber, generation: 0))
    }

    private func tell(_ flight: SharedFlight, _ url: String, _ end: SharedFlight.End) {
        if case .loaded(let entity?) = end, flight.isFresh(entity) { return flight.use(entity) }
        guard flight.hasCache else { return begin(flight) }
        flight.look { [self] entity in
            if let entity, flight.isFresh(entity) { flight.use(entity) } else { begin(flight) }
        }
    }

    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }
}

/// A cache that several engines use. A write under a number that isn't the newest is dropped.
@EngineActor
final class FakeSharedCache: SharedEntityCache {
    var entities: [String: Entity] = [:]
    let calls = Journal()

    nonisolated var description: String { "shared cache" }

    func key(for resource: Resource, stage: String) throws -> CacheKey? { CacheKey(resource.urlString) }

    private func url(_ key: CacheKey) -> String { key.value as? String ?? "" }

    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void) {
        calls.note("read")
        completion(.success(entities[url(key)]))
    }

    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        calls.note("write \(entity.content.text ?? "?")")
        entities[url(key)] = entity
        completion(nil)
    }

    func write(
        _ entity: Entity, for key: CacheKey, under grant: SharedGrant,
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
final class FakeNews: SharedNews {
    private let hub: Hub
    private unowned let service: Service

    @EngineActor
    final class Hub {
        fileprivate var members: [FakeNews] = []
        let published = Journal()

    }

    init(_ hub: Hub, _ fixture: EngineFixture) {
        (self.hub, service) = (hub, fixture.service)
        hub.members.append(self)
        fixture.engine.sharedNews = self
    }

    func publish(_ change: SharedChange) {
        var text = "\(change.kind)"
        if let end = text.firstIndex(of: "(") { text = String(text[..<end]) }
        switch change.target {
        case .all: text += " all"
        case .url(let url): text += " \(url.split(separator: "/").last ?? "")"
        case .glob(let glob): text += " glob \(glob)"
        }
        hub.published.note(text + (change.partition.map { " of \($0)" } ?? ""))
        for member in hub.members where member !== self { member.service.apply(change) }
    }
}
