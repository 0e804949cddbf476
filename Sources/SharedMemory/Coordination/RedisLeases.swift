internal import Coordination
internal import RestEngine

/// Single flight over the hosts of one server: performs what each ``LeaseState`` says.
///
/// A waiting host is woken by a message in a stream of its own, so no message is lost between a refusal and a
/// subscription.
@EngineActor
final class RedisLeases {
    @EngineActor
    private final class Lease {
        var state: LeaseState
        let load: SharedLoad
        let place: CacheEntry.Place
        let name: String
        let token = RedisCoordination.identity()
        var found: Entity?
        var timer: EngineTimer?

        init(_ load: SharedLoad, _ rules: LeaseRules) {
            let resource = load.resource
            self.load = load
            state = LeaseState(rules)
            place = CacheEntry.Place(
                stage: "", user: "", service: resource.service.name, partition: resource.partition,
                url: resource.urlString)
            name = CoordinationKeys.name(place)
        }
    }

    private let engine: Engine
    private let client: RedisClient
    private let keys: CoordinationKeys
    private let rules: LeaseRules
    private let host: String
    /// Those that have asked for a lease, or wait for one.
    private var asking: [String: [Lease]] = [:]
    private(set) var counts = RedisCoordination.Loads()
    /// See ``HostCoordination/awaitsChange(of:)``.
    var awaitsChange: @EngineActor (Resource) -> Bool = { _ in false }

    /// The largest value that one host hands over to others.
    static let mostBytes = 1 << 20

    /// - Parameter host: The identity of this host.
    init(
        engine: Engine, client: RedisClient, _ keys: CoordinationKeys, host: String, rules: LeaseRules
    ) {
        (self.engine, self.client, self.keys) = (engine, client, keys)
        (self.host, self.rules) = (host, rules)
    }

    var waitingCount: Int { asking.values.reduce(0) { $0 + $1.count { $0.state.isWaiting } } }

    private var uptime: Double { engine.scheduler.uptime }

    // MARK: Loads

    func begin(_ load: SharedLoad) {
        let lease = Lease(load, rules)
        load.onOutdated = { lease.state.outdated() }
        load.onEnd = { [self] end in
            lease.timer?.cancel()
            forget(lease)
            switch end {
            case .loaded(let entity):
                lease.found = entity
                perform(lease.state.loaded(hasValue: true), lease)
            case .failed:
                let actions = lease.state.loaded(hasValue: false)
                perform(actions.isEmpty ? lease.state.cancelled() : actions, lease)
            }
        }
        perform(lease.state.started(lookedAt: load.lookedAt, at: uptime), lease)
    }

    private func perform(_ actions: [LeaseState.Action], _ lease: Lease) {
        for action in actions {
            switch action {
            case .read: read(lease)
            case .ask: ask(lease)
            case .wait(let until): wait(lease, until: until)
            case .load(let grant):
                if grant == nil { counts.alone += 1 } else { counts.leased += 1 }
                lease.load.load(under: grant)
            case .renew: renew(lease)
            case .use:
                guard let entity = lease.found else { continue }
                counts.used += 1
                engine.log.write(.cache, "\(lease.load.resource.urlString): another host has loaded it")
                lease.load.use(entity)
            case .finish(let grant, let keeping): finish(lease, grant, keeping ? lease.found : nil)
            }
        }
    }

    private func read(_ lease: Lease) {
        let take: @EngineActor (Entity?) -> Void = { [self] entity in
            lease.found = entity
            let isFresh = entity.map { lease.load.isFresh($0) } ?? false
            perform(lease.state.read(isFresh: isFresh, at: uptime), lease)
        }
        if lease.load.hasCache { return lease.load.look(take) }
        if awaitsChange(lease.load.resource) { return take(nil) }
        let place = lease.place
        client.run(
            CoordinationScripts.read, keys: [keys.value(lease.name), keys.generation(place.service)], []
        ) { result in
            guard case .success(.bytes(let bytes)) = result,
                case .entity(let entity) = CacheEntry.decode(bytes, of: place, most: 4 * Self.mostBytes)
            else { return take(nil) }
            take(entity)
        }
    }

    private func ask(_ lease: Lease) {
        let names = [keys.numbers, keys.lease, keys.waiters].map { $0(lease.name) }
        // The message of a holder may be faster than the answer.
        asking[lease.name, default: []].append(lease)
        client.run(
            CoordinationScripts.acquire, keys: names + [keys.generation(lease.place.service)],
            [.text(lease.token), .integer(leaseMilliseconds), .text(host)]
        ) { [self] result in
            let actions = lease.state.answered(Self.answer(result), at: uptime)
            if !lease.state.isWaiting { forget(lease) }
            perform(actions, lease)
        }
    }

    private static func answer(_ result: Result<RedisValue, RedisFailure>) -> LeaseAnswer {
        guard case .success(let value) = result, let parts = value.elements else { return .failed }
        let numbers = parts.compactMap(\.integer)
        switch numbers.count {
        case 3 where numbers[0] == 0:
            return .held(number: numbers[1], seconds: Double(max(0, numbers[2])) / 1000)
        case 4 where numbers[0] == 1:
            return .granted(
                LeaseGrant(number: numbers[1], generation: numbers[2]),
                sinceWrite: numbers[3] < 0 ? nil : Double(numbers[3]) / 1_000_000)
        default: return .failed
        }
    }

    private func wait(_ lease: Lease, until: Double) {
        if lease.state.isWaiting {
            engine.log.write(.cache, "\(lease.load.resource.urlString): another host loads it")
        }
        lease.timer = engine.scheduler.after(max(0, until - uptime)) { [self] in
            forget(lease)
            perform(lease.state.timeIsOver(at: uptime), lease)
        }
    }

    private func renew(_ lease: Lease) {
        let names = [keys.numbers, keys.lease].map { $0(lease.name) }
        client.run(
            CoordinationScripts.renew, keys: names, [.text(lease.token), .integer(leaseMilliseconds)],
            timeout: Self.patientTimeout
        ) { _ in
        }
    }

    private var leaseMilliseconds: Int { Int((rules.seconds * 1000).rounded()) }

    private func forget(_ lease: Lease) {
        asking[lease.name]?.removeAll { $0 === lease }
        if asking[lease.name]?.isEmpty == true { asking[lease.name] = nil }
    }

    private func finish(_ lease: Lease, _ grant: LeaseGrant?, _ entity: Entity?) {
        let names = [keys.numbers, keys.lease, keys.waiters].map { $0(lease.name) }
        let bytes =
            entity.flatMap {
                try? CacheEntry.encode($0, at: lease.place, compressing: false, most: Self.mostBytes)
            } ?? []
        let lifetime = max(rules.seconds, lease.load.expirationSeconds)
        engine.beginOffloadedWork()
        finish(
            names + [keys.generation(lease.place.service), keys.value(lease.name)],
            [
                .text(lease.token), .text(grant.map { "\($0.number)" } ?? ""),
                .text(grant.map { "\($0.generation)" } ?? ""), .bytes(bytes),
                .integer(Int(min(lifetime, 86_400) * 1000)), .text(keys.messagesPrefix), .text(lease.name),
            ], attempts: 3)
    }

    /// Tries again if the server is too slow for a moment: others wait for it, until the end of the lease.
    private func finish(_ keys: [String], _ arguments: [RedisCommand.Argument], attempts: Int) {
        client.run(CoordinationScripts.finish, keys: keys, arguments, timeout: Self.patientTimeout) {
            [self] result in
            guard case .failure = result, attempts > 1 else { return engine.endOffloadedWork() }
            engine.scheduler.after(Self.patientTimeout) { [self] in
                finish(keys, arguments, attempts: attempts - 1)
            }
        }
    }

    /// Seconds. No request waits for it.
    private static let patientTimeout = 0.25

    // MARK: Messages

    /// Loads of this name may go on: another host has ended its load.
    func receive(_ name: String) {
        for lease in asking[name] ?? [] {
            let actions = lease.state.told(at: uptime)
            guard !actions.isEmpty else { continue }
            lease.timer?.cancel()
            forget(lease)
            perform(actions, lease)
        }
    }

    /// Messages may have been lost on their way.
    func messagesWereLost() {
        for name in asking.keys.sorted() { receive(name) }
    }
}
