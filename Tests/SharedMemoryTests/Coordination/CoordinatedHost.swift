import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// A host in one process, with its own engine and a clock that is moved by hand.
@EngineActor
final class CoordinatedHost {
    let fixture = EngineFixture()
    let coordination: RedisCoordination
    let client: RedisClient

    let cache: RedisCache
    /// False for a host that stands still, as far as the others know.
    let follows: Bool

    init(
        _ server: RedisServer, follows: Bool = true, lease seconds: Double = 60,
        key: String? = nil
    ) throws {
        self.follows = follows
        client = try RedisClient.patient(server.address)
        let keys = try #require(RedisKeys(prefix: "test"))
        coordination = RedisCoordination(
            engine: fixture.engine, client: client, keys, rules: LeaseRules(seconds: seconds),
            sealing: key.flatMap { SealingKey($0) }
        ) {
            [service = fixture.service] in [service]
        }
        fixture.engine.coordination = coordination
        var settings = RedisCache.Settings(keys)
        settings.isCoordinated = true
        cache = RedisCache(engine: fixture.engine, client: client, settings)
        try fixture.configure { $0.configuration.sharesLoads = true }
        if follows { coordination.start() }
    }

    var requests: Int { fixture.transport.requests.count }
    func text(_ path: String) -> String? { fixture.resource(path).latestData?.content.text }
}

@EngineActor
func reach(_ what: String, _ hosts: [CoordinatedHost], _ condition: () -> Bool) async {
    await yielding(until: what) {
        for host in hosts { host.fixture.settle() }
        return condition()
    }
}

/// Hosts that follow the log.
@EngineActor
func follow(_ hosts: [CoordinatedHost]) async {
    await reach("a place in the log", hosts) {
        hosts.allSatisfy { !$0.follows || $0.coordination.isFollowing }
    }
}

@EngineActor
func leave(_ hosts: [CoordinatedHost]) {
    for host in hosts {
        host.coordination.stop()
        host.fixture.engine.coordination = nil
    }
}

@EngineActor
func hostsWithCaches(_ server: RedisServer, follows: Bool = true) throws -> [CoordinatedHost] {
    let hosts = [try CoordinatedHost(server, follows: follows), try CoordinatedHost(server)]
    for host in hosts {
        try host.fixture.configure { [cache = host.cache] draft in
            draft.configuration.pipeline["cleanup"].cache = cache
        }
    }
    return hosts
}
