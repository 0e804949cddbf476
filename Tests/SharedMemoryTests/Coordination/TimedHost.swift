import Coordination
import Platform
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// A host in the test's process whose clock follows the machine's. It notes how long its reads wait.
@EngineActor
final class TimedHost {
    let fixture = EngineFixture()
    let client: RedisClient
    let coordination: RedisCoordination
    private var lastTick = ClockReading.uptime
    private(set) var texts: [String] = []
    private(set) var failures: [String] = []
    private(set) var openReads = 0
    private(set) var longestWait = 0.0

    /// Seconds for a command.
    static let timeout = 0.5
    /// The API's.
    static let answerSeconds = 0.01

    init(_ addresses: [String], lease seconds: Double) throws {
        client = RedisClient(
            .init(RedisServers(try addresses.map { try RedisAddress($0) }), timeout: Self.timeout))
        let keys = try #require(RedisKeys(prefix: "test"))
        coordination = RedisCoordination(
            engine: fixture.engine, client: client, keys, rules: LeaseRules(seconds: seconds)
        ) { [service = fixture.service] in [service] }
        fixture.engine.coordination = coordination
        try fixture.configure { $0.configuration.sharesLoads = true }
        try fixture.stub("GET", "*", .text(200, "net", delay: .milliseconds(10)))
        coordination.start()
    }

    func read(_ path: String) {
        let began = fixture.scheduler.uptime
        openReads += 1
        fixture.resource(path).read { [weak self] result in
            guard let self else { return }
            openReads -= 1
            longestWait = max(longestWait, fixture.scheduler.uptime - began)
            switch result {
            case .success(let entity): texts.append(entity.content.text ?? "?")
            case .failure(let error): failures.append(error.userMessage)
            }
        }
    }

    /// Lets as much time pass as has passed on the machine.
    func tick() {
        let now = ClockReading.uptime
        fixture.advance(now - lastTick)
        lastTick = now
    }

    func leave() {
        coordination.stop()
        fixture.engine.coordination = nil
    }
}

/// Lets the hosts run until the condition holds.
@EngineActor
func running(_ hosts: [TimedHost], until what: String, _ condition: () -> Bool) async {
    await yielding(until: what) {
        for host in hosts { host.tick() }
        return condition()
    }
}
