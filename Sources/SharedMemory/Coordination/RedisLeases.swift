internal import Coordination
internal import RestEngine

/// Single flight over the hosts of one server: performs what each ``LeaseState`` says.
///
/// A waiting host is woken by a message in a stream of its own, so no message is lost between a refusal and a
/// subscription.
@EngineActor
final class RedisLeases {
    /// One host's part in work that one of the hosts does.
    @EngineActor
    final class Lease {
        var state: LeaseState
        let work: any LeasedWork
        let token = RedisCoordination.identity()
        var timer: EngineTimer?
        private let onEnd: @EngineActor (Lease, Bool) -> Void

        init(
            _ work: any LeasedWork, _ rules: LeaseRules, onEnd: @escaping @EngineActor (Lease, Bool) -> Void
        ) {
            (self.work, self.onEnd) = (work, onEnd)
            state = LeaseState(rules)
        }

        /// The work has ended, or nobody needs it any more.
        func ended(hasValue: Bool) { onEnd(self, hasValue) }
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

    private var values: SharedValues { SharedValues(client: client, keys: keys) }

    private var uptime: Double { engine.scheduler.uptime }

    // MARK: Loads

    func begin(_ load: SharedLoad) {
        let work = LeasedLoad(load, values, awaitsChange: { [self] in awaitsChange(load.resource) })
        let lease = Lease(work, rules) { [self] in ended($0, hasValue: $1) }
        work.follow(lease)
        perform(lease.state.started(lookedAt: work.lookedAt, at: uptime), lease)
    }

    func begin(_ refresh: SharedRefresh, _ coding: CredentialCoding) {
        let work = LeasedRefresh(refresh, coding, engine, values)
        let lease = Lease(work, rules) { [self] in ended($0, hasValue: $1) }
        perform(lease.state.started(lookedAt: nil, at: uptime), lease)
    }

    private func ended(_ lease: Lease, hasValue: Bool) {
        lease.timer?.cancel()
        forget(lease)
        let actions = lease.state.loaded(hasValue: hasValue)
        perform(actions.isEmpty && !hasValue ? lease.state.cancelled() : actions, lease)
    }

    private func perform(_ actions: [LeaseState.Action], _ lease: Lease) {
        for action in actions {
            switch action {
            case .read: read(lease)
            case .ask: ask(lease)
            case .wait(let until): wait(lease, until: until)
            case .load(let grant):
                if grant == nil { counts.alone += 1 } else { counts.leased += 1 }
                lease.work.begin(under: grant, by: lease)
            case .renew: renew(lease)
            case .use:
                counts.used += 1
                engine.log.write(.cache, "\(lease.work.label): another host has loaded it")
                lease.work.use()
            case .finish(let grant, let keeping): finish(lease, grant, isKept: keeping)
            }
        }
    }

    private func read(_ lease: Lease) {
        lease.work.read { [self] isFresh in
            perform(lease.state.read(isFresh: isFresh, at: uptime), lease)
        }
    }

    private func ask(_ lease: Lease) {
        let names = [keys.numbers, keys.lease, keys.waiters].map { $0(lease.work.name) }
        // The message of a holder may be faster than the answer.
        asking[lease.work.name, default: []].append(lease)
        client.run(
            CoordinationScripts.acquire, keys: names + [keys.generation(lease.work.service)],
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
            engine.log.write(.cache, "\(lease.work.label): another host loads it")
        }
        lease.timer = engine.scheduler.after(max(0, until - uptime)) { [self] in
            forget(lease)
            perform(lease.state.timeIsOver(at: uptime), lease)
        }
    }

    private func renew(_ lease: Lease) {
        let names = [keys.numbers, keys.lease].map { $0(lease.work.name) }
        client.run(
            CoordinationScripts.renew, keys: names, [.text(lease.token), .integer(leaseMilliseconds)],
            timeout: Self.patientTimeout
        ) { _ in
        }
    }

    private var leaseMilliseconds: Int { Int((rules.seconds * 1000).rounded()) }

    private func forget(_ lease: Lease) {
        asking[lease.work.name]?.removeAll { $0 === lease }
        if asking[lease.work.name]?.isEmpty == true { asking[lease.work.name] = nil }
    }

    private func finish(_ lease: Lease, _ grant: LeaseGrant?, isKept: Bool) {
        let names = [keys.numbers, keys.lease, keys.waiters].map { $0(lease.work.name) }
        let bytes = isKept ? grant.map { lease.work.value(under: $0) } ?? [] : []
        let lifetime = max(rules.seconds, lease.work.lifetime)
        engine.beginOffloadedWork()
        finish(
            names + [
                keys.generation(lease.work.service), keys.value(lease.work.name),
                keys.followers(lease.work.name),
            ],
            [
                .text(lease.token), .text(grant.map { "\($0.number)" } ?? ""),
                .text(grant.map { "\($0.generation)" } ?? ""), .bytes(bytes),
                .integer(Int(min(lifetime, 86_400) * 1000)), .text(keys.messagesPrefix),
                .text(lease.work.name), .text(host), .integer(isKept ? 1 : 0),
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
