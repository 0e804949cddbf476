import Coordination

/// One run: hosts, server, network and API, and the faults of the scenario.
final class World {
    static let service = "api"
    /// Seconds for a command, as `rest.shared` has it.
    static let timeout = 0.05
    /// The same for the connection that follows the log, which no request waits for.
    static let readTimeout = 0.25
    /// By how much the wall clock of a host may be wrong.
    static let wallSkew = 0.05

    let scenario: Scenario
    let queue = EventQueue()
    let server: VirtualServer
    let network: VirtualNetwork
    let api: VirtualAPI
    private(set) var hosts: [VirtualHost] = []
    private(set) lazy var checks = Checks(self)
    private(set) lazy var limits = LimitChecks(self)
    private var random: SeededRandom

    init(_ scenario: Scenario, breaking broken: Set<Promise> = []) {
        self.scenario = scenario
        random = SeededRandom(scenario.seed &+ 1 << 40)
        server = VirtualServer(queue, mostEntries: scenario.logEntries)
        server.broken = broken
        network = VirtualNetwork(queue, server, SeededRandom(random.next()))
        api = VirtualAPI(
            queue, SeededRandom(random.next()), resources: scenario.resources,
            failures: scenario.apiFailures, longest: Scenario.longestLoad)
        hosts = (0..<scenario.hosts).map { VirtualHost($0, self, SeededRandom(random.next())) }
        server.publish = { [unowned self] host, resource in
            network.push(to: host) { [unowned self] in hosts[host].told(resource) }
        }
    }

    func run() {
        server.publishPermit = { [unowned self] host in
            network.push(to: host) { [unowned self] in hosts[host].limiter.woken() }
        }
        if !scenario.isAlone { for host in hosts { host.start() } }
        for episode in scenario.episodes {
            queue.at(episode.begins) { [self] in begin(episode) }
            queue.at(episode.ends) { [self] in end(episode) }
        }
        repeating(scenario.readsPerSecond) { [self] in
            let resource = random.below(scenario.resources)
            // Now and then all hosts have a reader at once.
            if random.chance(0.002) {
                for host in hosts where !network.isPaused(host.number) { host.read(resource) }
            } else {
                onRandomHost { $0.read(resource) }
            }
        }
        repeating(scenario.changesPerSecond) { [self] in
            let resource = random.below(scenario.resources)
            onRandomHost { $0.change(resource) }
        }
        repeating(scenario.wipesPerSecond) { [self] in
            let step = 1 + random.below(3)
            let rest = random.below(step)
            onRandomHost { $0.wipe("\(step)/\(rest)") }
        }
        if !scenario.isAlone {
            repeating(scenario.callsPerSecond) { [self] in
                // Calls come in bursts, and a few hosts have most of them.
                let count = random.chance(0.05) ? 1 + random.below(20) : 1
                let host = random.below(random.chance(0.5) ? min(2, hosts.count) : hosts.count)
                network.onHost(host, after: 0) { [self] in for _ in 0..<count { hosts[host].limiter.call() } }
            }
        }
        queue.run(until: scenario.duration)
        checks.ended()
    }

    private func onRandomHost(_ body: @escaping (VirtualHost) -> Void) {
        let host = hosts[random.below(hosts.count)]
        network.onHost(host.number, after: 0) { body(host) }
    }

    private func repeating(_ perSecond: Double, _ body: @escaping () -> Void) {
        guard perSecond > 0 else { return }
        queue.after(random.seconds(0...2) / perSecond) { [self] in
            guard queue.now < scenario.busyUntil else { return }
            body()
            repeating(perSecond, body)
        }
    }

    // MARK: Names

    func invalidation(_ change: Invalidation.Change, _ resource: Int) -> Invalidation {
        Invalidation(change, service: Self.service, .url("\(resource)"))
    }

    func resources(of invalidation: Invalidation) -> [Int] {
        switch invalidation.target {
        case .all: return Array(0..<scenario.resources)
        case .url(let url): return Int(url).map { [$0] } ?? []
        case .glob(let glob):
            let parts = glob.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 2 else { return [] }
            return (0..<scenario.resources).filter { $0 % parts[0] == parts[1] }
        }
    }

    // MARK: Faults

    private func chosen(_ share: Double) -> [VirtualHost] {
        hosts.filter { _ in random.chance(share) }
    }

    private func begin(_ episode: Scenario.Episode) {
        checks.calmSince = .infinity
        switch episode.fault {
        case .partition(let share): network.cutOff = Set(chosen(share).map(\.number))
        case .loss(let probability): network.loss = probability
        case .slowness(let mean): network.delay = mean
        case .pause(let share):
            for host in chosen(share) {
                network.pause(host.number, for: random.seconds(0...(episode.ends - episode.begins)))
            }
            limits.countIsLost(until: episode.ends)
        case .death(let share):
            for host in chosen(share) {
                host.die()
                // It takes its time to start.
                network.pause(host.number, for: random.seconds(0...(episode.ends - episode.begins)))
                if !scenario.isAlone { network.onHost(host.number, after: 0) { host.start() } }
            }
        case .outage: server.isDown = true
        case .emptyRestart(let clockStep):
            server.isDown = true
            server.restartEmpty(clockStep: clockStep)
            limits.countIsLost(until: episode.ends)
            network.serverHasRestarted()
        }
    }

    private func end(_ episode: Scenario.Episode) {
        network.cutOff = []
        network.loss = 0
        network.delay = 0.000_5
        server.isDown = false
        checks.calmSince = queue.now
        if !scenario.isAlone { awaitRecovery(since: queue.now, number: server.number) }
    }

    /// Looks every few milliseconds whether all hosts know what was in the log at the end of the fault.
    private func awaitRecovery(since start: Double, number: Int64) {
        if hosts.allSatisfy({ $0.hasReached(number) }) {
            return checks.hasRecovered(after: queue.now - start)
        }
        queue.after(0.02) { [self] in awaitRecovery(since: start, number: number) }
    }
}
