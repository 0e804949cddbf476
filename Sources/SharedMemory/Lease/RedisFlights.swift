package import RestEngine
package import SharedPromises

/// Single flight over the hosts of one server: performs what each ``LeaseState`` says.
///
/// A waiting host is notified by a message in a list of its own, which it reads with a command that blocks,
/// on a connection of its own. So no message is lost between a refusal and a subscription.
@EngineActor
package final class RedisFlights: SharedFlights {
    @EngineActor
    private final class Lease {
        var state: LeaseState
        let flight: SharedFlight
        let place: CacheEntry.Place
        let name: String
        let token = RedisFlights.identity()
        var found: Entity?
        var timer: EngineTimer?

        init(_ flight: SharedFlight, _ rules: LeaseRules) {
            let resource = flight.resource
            self.flight = flight
            state = LeaseState(rules)
            name = LeaseKeys.name(resource.service.name, resource.partition, resource.urlString)
            place = CacheEntry.Place(
                stage: "", user: "", service: resource.service.name, partition: resource.partition,
                url: resource.urlString)
        }
    }

    private let engine: Engine
    private let client: RedisClient
    private let follower: RedisClient
    private let keys: LeaseKeys
    private let rules: LeaseRules
    private let host = RedisFlights.identity()
    private var waiting: [String: [Lease]] = [:]
    private var pause: EngineTimer?
    private var isRunning = false

    /// The largest value that one host hands over to others.
    package nonisolated static let mostBytes = 1 << 20
    /// Seconds for which the blocking command waits for a message.
    private static let listeningSeconds = 1

    /// - Parameter follower: A client of the same server, with a connection for blocking commands.
    package init(
        engine: Engine, client: RedisClient, follower: RedisClient, _ keys: RedisKeys,
        rules: LeaseRules = LeaseRules()
    ) {
        (self.engine, self.client, self.follower) = (engine, client, follower)
        (self.keys, self.rules) = (LeaseKeys(keys: keys), rules)
    }

    /// A random name that no other host or load has.
    static func identity() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    package var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    private var uptime: Double { engine.scheduler.uptime }

    // MARK: Flights

    package func begin(_ flight: SharedFlight) {
        let lease = Lease(flight, rules)
        flight.onOutdated = { lease.state.outdated() }
        flight.onEnd = { [self] end in
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
        perform(lease.state.started(at: uptime), lease)
    }

    private func perform(_ actions: [LeaseState.Action], _ lease: Lease) {
        for action in actions {
            switch action {
            case .read: read(lease)
            case .ask: ask(lease)
            case .wait(let until): wait(lease, until: until)
            case .load(let grant):
                lease.flight.load(
                    under: grant.map { SharedGrant(number: $0.number, generation: $0.generation) })
            case .use: if let entity = lease.found { lease.flight.use(entity) }
            case .finish(let grant, let keeping): finish(lease, grant, keeping ? lease.found : nil)
            }
        }
    }

    private func read(_ lease: Lease) {
        let take: @EngineActor (Entity?) -> Void = { [self] entity in
            lease.found = entity
            let isFresh = entity.map { lease.flight.isFresh($0) } ?? false
            perform(lease.state.read(isFresh: isFresh, at: uptime), lease)
        }
        if lease.flight.hasCache { return lease.flight.look(take) }
        let place = lease.place
        client.run(
            LeaseScripts.read, keys: [keys.value(lease.name), keys.generation(place.service)], []
        ) { result in
            guard case .success(.bytes(let bytes)) = result,
                case .entity(let entity) = CacheEntry.decode(bytes, of: place, most: 4 * Self.mostBytes)
            else { return take(nil) }
            take(entity)
        }
    }

    private func ask(_ lease: Lease) {
        let milliseconds = Int((rules.seconds * 1000).rounded())
        let names = [keys.flight, keys.lease, keys.waiters].map { $0(lease.name) }
        client.run(
            LeaseScripts.acquire, keys: names + [keys.generation(lease.place.service)],
            [.text(lease.token), .integer(milliseconds), .text(host)]
        ) { [self] result in
            perform(lease.state.answered(Self.answer(result), at: uptime), lease)
        }
    }

    private static func answer(_ result: Result<RedisValue, RedisFailure>) -> LeaseAnswer {
        guard case .success(let value) = result, let parts = value.elements else { return .failed }
        let numbers = parts.compactMap(\.integer)
        switch numbers.count {
        case 2 where numbers[0] == 0: return .held(seconds: Double(max(0, numbers[1])) / 1000)
        case 4 where numbers[0] == 1:
            return .granted(
                LeaseGrant(number: numbers[1], generation: numbers[2]),
                sinceWrite: numbers[3] < 0 ? nil : Double(numbers[3]) / 1_000_000)
        default: return .failed
        }
    }

    private func wait(_ lease: Lease, until: Double) {
        waiting[lease.name, default: []].append(lease)
        lease.timer = engine.scheduler.after(max(0, until - uptime)) { [self] in
            forget(lease)
            perform(lease.state.timeIsOver(at: uptime), lease)
        }
        listen()
    }

    private func forget(_ lease: Lease) {
        waiting[lease.name]?.removeAll { $0 === lease }
        if waiting[lease.name]?.isEmpty == true { waiting[lease.name] = nil }
    }

    private func finish(_ lease: Lease, _ grant: LeaseGrant?, _ entity: Entity?) {
        let names = [keys.flight, keys.lease, keys.waiters].map { $0(lease.name) }
        let bytes =
            entity.flatMap {
                try? CacheEntry.encode($0, at: lease.place, compressing: false, most: Self.mostBytes)
            } ?? []
        let lifetime = max(rules.seconds, lease.flight.expirationSeconds)
        engine.beginOffloadedWork()
        client.run(
            LeaseScripts.finish,
            keys: names + [keys.generation(lease.place.service), keys.value(lease.name)],
            [
                .text(lease.token), .text(grant.map { "\($0.number)" } ?? ""),
                .text(grant.map { "\($0.generation)" } ?? ""), .bytes(bytes),
                .integer(Int(min(lifetime, 86_400) * 1000)), .text(keys.messagesPrefix), .text(lease.name),
            ]
        ) { [engine] _ in engine.endOffloadedWork() }
    }

    // MARK: Messages

    /// Reads messages as long as a load waits for one.
    private func listen() {
        guard !isRunning, !waiting.isEmpty else { return }
        isRunning = true
        let command = RedisCommand(
            "BLPOP", .text(keys.messages(host)), .integer(Self.listeningSeconds), changesData: true)
        follower.send(command, timeout: Double(Self.listeningSeconds) + 0.25) { [weak self] result in
            guard let self else { return }
            isRunning = false
            switch result {
            case .success(let value):
                if let parts = value.elements, parts.count == 2, let name = parts[1].text { tell(name) }
                listen()
            case .failure:
                // A message may have been lost on its way.
                for name in waiting.keys.sorted() { tell(name) }
                pause = engine.scheduler.after(InvalidationReader.longestPause) { [weak self] in
                    self?.listen()
                }
            }
        }
    }

    private func tell(_ name: String) {
        for lease in waiting.removeValue(forKey: name) ?? [] {
            lease.timer?.cancel()
            perform(lease.state.told(at: uptime), lease)
        }
    }
}
