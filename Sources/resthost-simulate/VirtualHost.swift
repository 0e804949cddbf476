import Coordination

/// A host with the real code of leases, limits and invalidations. Its engine is reduced to a table of data
/// that is fresh, stale or absent.
final class VirtualHost {
    private struct Datum {
        var value: Value
        var isStale = false
    }

    private final class Flight {
        var state: LeaseState
        let token: UInt64
        /// When its readers came.
        var readers: [Double] = []
        /// The entry that was read last.
        var found: Value?
        var waits = 0

        init(_ token: UInt64, _ rules: LeaseRules) { (self.token, state) = (token, LeaseState(rules)) }
    }

    let number: Int
    private unowned let world: World
    private var random: SeededRandom
    private var data: [Int: Datum] = [:]
    /// The flights that new readers join.
    private var flights: [Int: Flight] = [:]
    /// Those that have not ended, in the order of their starts.
    private var open: [Int: [Flight]] = [:]
    private var waiting: [Int: [ObjectIdentifier: Flight]] = [:]
    private(set) var log: InvalidationLog
    private var lives = 0
    private let clockOffset: Double
    private let wallSkew: Double
    private(set) var limiter: VirtualLimiter

    init(_ number: Int, _ world: World, _ random: SeededRandom) {
        (self.number, self.world, self.random) = (number, world, random)
        log = InvalidationLog(host: "host \(number).0")
        clockOffset = self.random.seconds(0...1_000_000)
        wallSkew = self.random.seconds(-World.wallSkew...World.wallSkew)
        limiter = VirtualLimiter(
            world, host: number, clockOffset: clockOffset, SeededRandom(self.random.next()))
    }

    var identity: String { "host \(number).\(lives)" }
    private var queue: EventQueue { world.queue }
    private var network: VirtualNetwork { world.network }
    private var server: VirtualServer { world.server }
    private var uptime: Double { queue.now + clockOffset }

    func start() { perform(log.started()) }

    /// Ends, and starts again with no memory, as another host.
    func die() {
        network.hasDied(number)
        (data, flights, open, waiting) = ([:], [:], [:], [:])
        world.checks.hasDied(identity)
        lives += 1
        log = InvalidationLog(host: identity)
        world.limits.hasDied(number)
        limiter = VirtualLimiter(
            world, host: number, clockOffset: clockOffset, SeededRandom(random.next()))
    }

    // MARK: Readers

    func read(_ resource: Int) {
        let now = queue.now
        if let datum = data[resource], isFresh(datum) {
            return world.checks.served(datum.value, resource, to: [now], by: number)
        }
        if let flight = flights[resource] {
            flight.readers.append(now)
            return
        }
        let flight = Flight(random.next(), world.scenario.rules)
        flight.readers = [now]
        flights[resource] = flight
        open[resource, default: []].append(flight)
        perform(
            world.scenario.isAlone ? [.load(nil)] : flight.state.started(at: uptime), flight, resource)
    }

    private func isFresh(_ datum: Datum) -> Bool { !datum.isStale && isInTime(datum.value) }

    private func isInTime(_ value: Value) -> Bool {
        queue.now + wallSkew - value.timestamp < world.scenario.expiration
    }

    private func perform(_ actions: [LeaseState.Action], _ flight: Flight, _ resource: Int) {
        for action in actions { perform(action, flight, resource) }
    }

    private func perform(_ action: LeaseState.Action, _ flight: Flight, _ resource: Int) {
        switch action {
        case .read: look(flight, resource)
        case .ask:
            network.send(from: number, timeout: World.timeout) { [self] (reply: (LeaseAnswer) -> Void) in
                reply(
                    server.acquire(
                        resource, flight.token, host: number, seconds: world.scenario.rules.seconds))
            } _: { [self] answer in
                perform(flight.state.answered(answer ?? .failed, at: uptime), flight, resource)
            }
        case .wait(let until):
            flight.waits += 1
            let wait = flight.waits
            if flight.state.isWaiting { waiting[resource, default: [:]][ObjectIdentifier(flight)] = flight }
            network.onHost(number, after: until - uptime) { [self] in
                guard flight.waits == wait else { return }
                waiting[resource]?[ObjectIdentifier(flight)] = nil
                perform(flight.state.timeIsOver(at: uptime), flight, resource)
            }
        case .load: load(flight, resource)
        case .renew:
            let seconds = world.scenario.rules.seconds
            network.send(from: number, timeout: World.readTimeout) { [self] (reply: (Bool) -> Void) in
                server.renew(resource, flight.token, seconds: seconds)
                reply(true)
            } _: { _ in
            }
        case .use:
            guard let value = flight.found else { return }
            end(flight, resource, with: Datum(value: value))
        case .finish(let grant, let keeping):
            let value = keeping ? flight.found : nil
            network.send(from: number, timeout: World.timeout) { [self] (reply: (Bool) -> Void) in
                server.finish(resource, flight.token, grant, value)
                reply(true)
            } _: { _ in
            }
        }
    }

    /// Reads the entry, unless the server may not know of the host's own last change yet.
    private func look(_ flight: Flight, _ resource: Int) {
        flight.found = nil
        if log.isAwaited(for: world.invalidation(.outdated, resource)) {
            return perform(flight.state.read(isFresh: false, at: uptime), flight, resource)
        }
        network.send(from: number, timeout: World.timeout) { [self] (reply: (Value?) -> Void) in
            reply(server.entry(resource))
        } _: { [self] (value: Value??) in
            flight.found = value ?? nil
            let isFresh = flight.found.map(isInTime) ?? false
            perform(flight.state.read(isFresh: isFresh, at: uptime), flight, resource)
        }
    }

    private func load(_ flight: Flight, _ resource: Int) {
        var isOutdated = false
        flight.found = nil
        world.api.load(resource) { [self] value in
            network.onHost(number, after: 0) { [self] in
                flight.found = value.map {
                    Value(version: $0.version, read: $0.read, timestamp: queue.now + wallSkew)
                }
                // A flight that isn't current any more was outdated meanwhile.
                isOutdated = flights[resource] !== flight
                let found = flight.found
                if !world.scenario.isAlone {
                    perform(flight.state.loaded(hasValue: found != nil), flight, resource)
                }
                end(flight, resource, with: found.map { Datum(value: $0, isStale: isOutdated) })
            }
        }
    }

    private func end(_ flight: Flight, _ resource: Int, with datum: Datum?) {
        let isCurrent = flights[resource] === flight
        if isCurrent { flights[resource] = nil }
        open[resource]?.removeAll { $0 === flight }
        guard let datum else { return world.checks.failed(flight.readers.count) }
        world.checks.served(datum.value, resource, to: flight.readers, by: number)
        // A later flight may have brought newer data.
        if isCurrent || data[resource] == nil { data[resource] = datum }
    }

    /// The holder of a key has ended.
    func told(_ resource: Int) {
        guard let flights = waiting.removeValue(forKey: resource) else { return }
        for flight in flights.values.sorted(by: { $0.token < $1.token }) {
            flight.waits += 1
            perform(flight.state.told(at: uptime), flight, resource)
        }
    }

    // MARK: Changes

    /// A client changes the resource through this host.
    func change(_ resource: Int) {
        world.api.change(resource) { [self] in
            network.onHost(number, after: 0) { [self] in publish(world.invalidation(.outdated, resource)) }
        }
    }

    /// Wipes some resources, as a script does with a pattern.
    func wipe(_ glob: String) {
        publish(Invalidation(.wiped, service: World.service, .glob(glob)))
    }

    private func publish(_ invalidation: Invalidation) {
        apply(invalidation)
        world.checks.published(invalidation, by: identity)
        if !world.scenario.isAlone { perform(log.publish(invalidation)) }
    }

    private func apply(_ invalidation: Invalidation) {
        for resource in world.resources(of: invalidation) {
            if invalidation.change == .wiped {
                data[resource] = nil
            } else {
                data[resource]?.isStale = true
            }
            outdate(resource)
        }
    }

    private func outdate(_ resource: Int) {
        for flight in open[resource] ?? [] {
            guard world.scenario.isAlone || flight.state.outdated(), flights[resource] === flight else {
                continue
            }
            flights[resource] = nil
        }
    }

    private func perform(_ actions: [InvalidationLog.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: InvalidationLog.Action) {
        switch action {
        case .locate:
            network.send(from: number, timeout: World.readTimeout) { [self] reply in
                reply(server.end)
            } _: { [self] (end: InvalidationPlace??) in
                if let end { perform(log.located(end)) } else { perform(log.readFailed()) }
            }
        case .read(let id):
            let seconds = InvalidationReader.readSeconds
            network.send(from: number, timeout: seconds + World.readTimeout) { [self] reply in
                server.read(host: number, after: id, for: seconds, reply)
            } _: { [self] (entries: [InvalidationEntry]?) in
                guard let entries else { return perform(log.readFailed()) }
                perform(entries.isEmpty ? log.nothing() : log.received(entries))
            }
        case .resumeReading(let seconds):
            network.onHost(number, after: seconds) { [self] in perform(log.readingResumed()) }
        case .add(let serial, let invalidation):
            let resources =
                invalidation.isOfOneResource ? world.resources(of: invalidation) : nil
            network.send(from: number, timeout: World.timeout) { [self, identity] (reply: (Bool) -> Void) in
                server.invalidate(invalidation, resources, host: identity, serial: serial)
                reply(true)
            } _: { [self] done in
                perform(done == nil ? log.addFailed(serial) : log.added(serial))
            }
        case .resumeWriting(let seconds):
            network.onHost(number, after: seconds) { [self] in perform(log.writingResumed()) }
        case .apply(let invalidation): apply(invalidation)
        case .dropEverything:
            guard !server.broken.contains(.gaps) else { return }
            for resource in data.keys { data[resource]?.isStale = true }
            for resource in open.keys.sorted() { outdate(resource) }
        }
    }

    // MARK: Checks

    /// Versions that it would serve now without asking anybody.
    var freshVersions: [Int: Int] {
        data.compactMapValues { isFresh($0) ? $0.value.version : nil }
    }

    /// Whether it knows the log up to this number, and the log all of its own invalidations.
    func hasReached(_ number: Int64) -> Bool {
        guard log.unsentCount == 0, let place = log.place else { return false }
        return place.epoch == server.epoch && place.number >= min(number, server.number)
    }

    var isCaughtUp: Bool {
        guard log.unsentCount == 0, let place = log.place else { return false }
        return place == (server.end ?? .start)
    }
}
