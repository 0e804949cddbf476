import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Hosts in one process, each with its own engine, on one server.
@Suite(.withRedis) @EngineActor struct RedisCoordinationTests {
    /// The first host loads, and gets its answer when the stub goes on.
    private func begin(
        _ hosts: [CoordinatedHost], _ status: Int, _ first: String, _ second: String
    ) async throws -> StubTransport.Stub {
        let stub = try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(status, first))
        try hosts[1].fixture.stub("GET", "a", .text(200, second))
        hosts[0].fixture.resource("a").loadIfNeeded()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        return stub
    }

    @Test func `Of two hosts one asks the API, and the other gets its data`() async throws {
        let server = await RedisServer()
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server, lease: 0.05), try CoordinatedHost(server, lease: 0.05)]
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
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server)]
        server.kill()
        try hosts[0].fixture.stub("GET", "a", .text(200, "alone"))
        hosts[0].fixture.resource("a").loadIfNeeded()
        await reach("data", hosts) { hosts[0].text("a") == "alone" }
        #expect(hosts[0].coordination.loads == .init(alone: 1))
        leave(hosts)
    }

    @Test func `A change of one host is made by the other`() async throws {
        let server = await RedisServer()
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server, follows: false), try CoordinatedHost(server)]
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

    @Test func `A host that may not read changes says so once, and when it may again`() async throws {
        let server = await RedisServer()
        let hosts = [try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
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
