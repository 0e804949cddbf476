import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Hosts in one process, each with its own engine, on one server.
@Suite(.withRedis) @EngineActor struct RedisCoordinationTests {
    @EngineActor
    private final class Host {
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

    private func reach(_ what: String, _ hosts: [Host], _ condition: () -> Bool) async {
        await yielding(until: what) {
            for host in hosts { host.fixture.settle() }
            return condition()
        }
    }

    /// Hosts that follow the log.
    private func follow(_ hosts: [Host]) async {
        await reach("a place in the log", hosts) {
            hosts.allSatisfy { !$0.follows || $0.coordination.isFollowing }
        }
    }

    /// The first host loads, and gets its answer when the stub goes on.
    private func begin(
        _ hosts: [Host], _ status: Int, _ first: String, _ second: String
    ) async throws -> StubTransport.Stub {
        let stub = try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(status, first))
        try hosts[1].fixture.stub("GET", "a", .text(200, second))
        hosts[0].fixture.resource("a").loadIfNeeded()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        return stub
    }

    private func leave(_ hosts: [Host]) {
        for host in hosts {
            host.coordination.stop()
            host.fixture.engine.coordination = nil
        }
    }

    @Test func `Of two hosts one asks the API, and the other gets its data`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        await follow(hosts)
        let stub = try await begin(hosts, 200, "one", "two")
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("a wait", hosts) { hosts[1].coordination.waitingLoads == 1 }
        stub.go()
        await reach("data", hosts) { hosts[1].text("a") != nil }
        #expect(hosts[1].text("a") == "one")
        #expect(hosts[1].requests == 0)
        #expect(hosts[0].coordination.loads == .init(leased: 1))
        #expect(hosts[1].coordination.loads == .init(used: 1))
        leave(hosts)
    }

    @Test func `A host whose load failed lets the other one go`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        await follow(hosts)
        let stub = try await begin(hosts, 500, "broken", "two")
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("a wait", hosts) { hosts[1].coordination.waitingLoads == 1 }
        stub.go()
        await reach("data", hosts) { hosts[1].text("a") == "two" }
        leave(hosts)
    }

    @Test func `A host that dies costs one lease`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server, lease: 0.05), try Host(server, lease: 0.05)]
        await follow(hosts)
        // It never answers, and so its host never gives the lease back.
        try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(200, "one"))
        try hosts[1].fixture.stub("GET", "a", .text(200, "two"))
        hosts[0].fixture.resource("a").loadIfNeeded()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("data", hosts) {
            hosts[1].fixture.advance(0.01)
            return hosts[1].text("a") == "two"
        }
        leave(hosts)
    }

    @Test func `A host renews the lease of a long load`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        await follow(hosts)
        let stub = try await begin(hosts, 200, "one", "two")
        guard case .success(let keys) = await hosts[1].client.outcome(RedisCommand("KEYS", "test:lease:*")),
            let lease = keys.elements?.first?.text
        else { return #expect(Bool(false), "there is no lease") }
        _ = await hosts[1].client.outcome(RedisCommand("PEXPIRE", .text(lease), "30000"))
        hosts[0].fixture.advance(20)
        var left: Int64 = 0
        for _ in 0..<1000 where left <= 30_000 {
            guard case .success(let value) = await hosts[0].client.outcome(RedisCommand("PTTL", .text(lease)))
            else { break }
            left = value.integer ?? 0
        }
        #expect(left > 30_000)
        stub.go()
        await reach("data", hosts) { hosts[0].text("a") == "one" }
        leave(hosts)
    }

    @Test func `A server that is gone costs no request`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server)]
        server.kill()
        try hosts[0].fixture.stub("GET", "a", .text(200, "alone"))
        hosts[0].fixture.resource("a").loadIfNeeded()
        await reach("data", hosts) { hosts[0].text("a") == "alone" }
        #expect(hosts[0].coordination.loads == .init(alone: 1))
        leave(hosts)
    }

    @Test func `A change of one host is made by the other`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        for host in hosts {
            try host.fixture.stub("GET", "*", .text(200, "net"))
        }
        await follow(hosts)
        let resource = hosts[1].fixture.resource("a")
        resource.load()
        await reach("data", hosts) { resource.isUpToDate }
        hosts[0].fixture.resource("a").outdate()
        await reach("a change", hosts) { !resource.isUpToDate }
        hosts[0].fixture.resource("a").overrideLocalContent(.text("mine"))
        await reach("data of the other host", hosts) { hosts[1].text("a") == "mine" }
        hosts[0].fixture.service.wipeResources()
        await reach("a wipe", hosts) { hosts[1].text("a") == nil }
        leave(hosts)
    }

    @Test func `An invalidation makes the number of a load under way worthless`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server, follows: false), try Host(server)]
        await follow(hosts)
        let stub = try await begin(hosts, 200, "old", "new")
        hosts[1].fixture.resource("a").outdate()
        await reach("an entry of the log", hosts) { hosts[1].coordination.waitingChanges == 0 }
        stub.go()
        await reach("data", hosts) { hosts[0].text("a") == "old" }
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("data", hosts) { hosts[1].text("a") == "new" }
        #expect(hosts[1].requests == 1)
        leave(hosts)
    }

    // MARK: With a cache

    private func hostsWithCaches(_ server: RedisServer, follows: Bool = true) throws -> [Host] {
        let hosts = [try Host(server, follows: follows), try Host(server)]
        for host in hosts {
            try host.fixture.configure { [cache = host.cache] draft in
                draft.configuration.pipeline["cleanup"].cache = cache
            }
        }
        return hosts
    }

    @Test func `One host loads, and the other reads the entry of the cache`() async throws {
        let server = await RedisServer()
        let hosts = try hostsWithCaches(server)
        await follow(hosts)
        let stub = try await begin(hosts, 200, "one", "two")
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("a wait", hosts) { hosts[1].coordination.waitingLoads == 1 }
        stub.go()
        await reach("data", hosts) { hosts[1].text("a") != nil }
        #expect(hosts[1].text("a") == "one" && hosts[1].requests == 0)
        // A change removes the entry, so that the next load is one of the network.
        try hosts[0].fixture.stub("GET", "a", .text(200, "three"))
        let resource = hosts[0].fixture.resource("a")
        hosts[1].fixture.resource("a").invalidate()
        await reach("a change", hosts) { !resource.isUpToDate }
        resource.loadIfNeeded()
        await reach("new data", hosts) { resource.isUpToDate }
        #expect(hosts[0].text("a") == "three")
        leave(hosts)
    }

    @Test func `A load from before an invalidation leaves no entry`() async throws {
        let server = await RedisServer()
        let hosts = try hostsWithCaches(server, follows: false)
        await follow(hosts)
        let stub = try await begin(hosts, 200, "old", "new")
        hosts[1].fixture.resource("a").wipe()
        await reach("an entry of the log", hosts) { hosts[1].coordination.waitingChanges == 0 }
        stub.go()
        await reach("data", hosts) { hosts[0].text("a") == "old" }
        hosts[1].fixture.resource("a").loadIfNeeded()
        await reach("data", hosts) { hosts[1].text("a") == "new" }
        leave(hosts)
    }

    @Test func `Observers of all hosts see the data that one of them loads`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)] + (try hostsWithCaches(server))
        let events = hosts.map { _ in Journal() }
        await follow(hosts)
        for (host, events) in zip(hosts, events) {
            try host.fixture.stub("GET", "a", .text(200, "one"))
            host.fixture.resource("a").addObserver(owner: events) { [unowned events] resource, event in
                if case .newData = event { events.note(resource.latestData?.content.text ?? "nothing") }
            }
        }
        // The message is sent when the server knows the followers.
        await reach("followers", hosts) { hosts.allSatisfy { $0.client.openCommands == 0 } }
        for loader in [0, 2, 3] {
            let host = hosts[loader]
            for host in hosts { host.fixture.advance(1) }
            try host.fixture.stub("GET", "a", .text(200, "by \(loader)"))
            if loader != 0 { host.fixture.resource("a").load() }
            host.fixture.resource("a").loadIfNeeded()
            let others = loader == 0 ? hosts[0...1] : hosts[2...3]
            await reach("the data of \(loader)", hosts) {
                others.allSatisfy { $0.text("a") == "by \(loader)" }
            }
        }
        #expect(events[0].lines == ["by 0"] && events[1].lines == events[0].lines)
        #expect(events[2].lines.suffix(2) == ["by 2", "by 3"] && events[3].lines == events[2].lines)
        leave(hosts)
    }

    @Test func `A server that restarts empty learns of the followers again`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        let owner = Journal()
        for host in hosts { try host.fixture.stub("GET", "*", .text(200, "net")) }
        await follow(hosts)
        hosts[1].fixture.service.resource("a", partition: "ada").addObserver(owner: owner) { _, _ in }
        hosts[0].fixture.resource("b").outdate()
        await reach("an entry of the log", hosts) { hosts[0].coordination.waitingChanges == 0 }
        _ = await hosts[0].client.outcome(RedisCommand("FLUSHALL"))
        hosts[0].fixture.resource("b").outdate()
        await reach("a new log", hosts) { hosts.allSatisfy { $0.coordination.changes.missed == 2 } }
        await reach("followers", hosts) { hosts.allSatisfy { $0.client.openCommands == 0 } }
        for name in ["bob", "ada"] {
            hosts[0].fixture.service.resource("a", partition: name).loadIfNeeded()
        }
        await reach("the data of a partition", hosts) {
            hosts[1].fixture.service.resource("a", partition: "ada").latestData != nil
        }
        #expect(hosts[1].fixture.service.resource("a", partition: "bob").latestData == nil)
        #expect(hosts[1].requests == 0)
        leave(hosts)
    }

    @Test func `A host that may not read changes says so once, and when it may again`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server)]
        await follow(hosts)
        let log = { hosts[0].fixture.log.map(\.text).filter { $0.contains("changes of other hosts") } }
        _ = await hosts[0].client.outcome(RedisCommand("ACL", "SETUSER", "default", "-xread"))
        await reach("a line", hosts) {
            hosts[0].fixture.advance(0.1)
            return !log().isEmpty
        }
        for _ in 0..<50 { hosts[0].fixture.advance(0.1) }
        _ = await hosts[0].client.outcome(RedisCommand("ACL", "SETUSER", "default", "+xread"))
        await reach("another line", hosts) {
            hosts[0].fixture.advance(0.1)
            return log().count > 1
        }
        #expect(log().count == 2 && log()[0].contains("don't arrive"))
        #expect(log()[1] == "changes of other hosts arrive again")
        leave(hosts)
    }

    @Test func `A wipe by pattern reaches the resources of the pattern alone`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        for host in hosts { try host.fixture.stub("GET", "*", .text(200, "net")) }
        await follow(hosts)
        let resources = ["a1", "b1"].map { hosts[1].fixture.resource($0) }
        for resource in resources { resource.load() }
        await reach("data", hosts) { resources.allSatisfy(\.isUpToDate) }
        let glob = try GlobPattern("/a*", base: hosts[0].fixture.service.baseURL).forPaths()
        hosts[0].fixture.service.wipeResources(inPartition: nil, glob)
        await reach("a wipe", hosts) { resources[0].latestData == nil }
        #expect(resources[1].isUpToDate)
        leave(hosts)
    }

    @Test func `A server that restarts empty makes all data stale`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        for host in hosts { try host.fixture.stub("GET", "*", .text(200, "net")) }
        await follow(hosts)
        hosts[1].fixture.resource("b").outdate()
        await reach("an entry of the log", hosts) { hosts[1].coordination.waitingChanges == 0 }
        let resource = hosts[0].fixture.resource("a")
        resource.load()
        await reach("data", hosts) { resource.isUpToDate }
        _ = await hosts[1].client.outcome(RedisCommand("FLUSHALL"))
        hosts[1].fixture.resource("b").outdate()
        await reach("a drop", hosts) { !resource.isUpToDate }
        leave(hosts)
    }
}
