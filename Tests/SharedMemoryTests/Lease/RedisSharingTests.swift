import RestEngine
import SharedPromises
import TestSupport
import Testing

@testable import SharedMemory

/// Hosts in one process, each with its own engine, on one server.
@Suite(.withRedis) @EngineActor struct RedisSharingTests {
    @EngineActor
    private final class Host {
        let fixture = EngineFixture()
        let flights: RedisFlights
        let news: RedisNews
        private let clients: [RedisClient]

        init(_ server: RedisServer, prefix: String = "test") throws {
            clients = try (0..<3).map { _ in try RedisClient.patient(server.address) }
            let keys = try #require(RedisKeys(prefix: prefix))
            flights = RedisFlights(
                engine: fixture.engine, client: clients[0], follower: clients[1], keys)
            news = RedisNews(
                engine: fixture.engine, client: clients[0], follower: clients[2], keys
            ) { [service = fixture.service] in [service] }
            fixture.engine.sharedFlights = flights
            fixture.engine.sharedNews = news
            try fixture.configure { $0.configuration.sharesLoads = true }
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

    private func leave(_ hosts: [Host]) {
        for host in hosts {
            host.news.stop()
            host.fixture.engine.sharedFlights = nil
            host.fixture.engine.sharedNews = nil
        }
    }

    @Test func `Of two hosts one asks the API, and the other gets its data`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        let stub = try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(200, "one"))
        try hosts[1].fixture.stub("GET", "a", .text(200, "two"))
        hosts[0].fixture.resource("a").load()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        hosts[1].fixture.resource("a").load()
        await reach("a wait", hosts) { hosts[1].flights.waitingCount == 1 }
        stub.go()
        await reach("data", hosts) { hosts[1].text("a") != nil }
        #expect(hosts[1].text("a") == "one")
        #expect(hosts[1].requests == 0)
        leave(hosts)
    }

    @Test func `A host whose load failed lets the other one go`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        let stub = try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(500, "broken"))
        try hosts[1].fixture.stub("GET", "a", .text(200, "two"))
        hosts[0].fixture.resource("a").load()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        hosts[1].fixture.resource("a").load()
        await reach("a wait", hosts) { hosts[1].flights.waitingCount == 1 }
        stub.go()
        await reach("data", hosts) { hosts[1].text("a") == "two" }
        leave(hosts)
    }

    @Test func `A server that is gone costs no request`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server)]
        server.kill()
        try hosts[0].fixture.stub("GET", "a", .text(200, "alone"))
        hosts[0].fixture.resource("a").load()
        await reach("data", hosts) { hosts[0].text("a") == "alone" }
        leave(hosts)
    }

    @Test func `A change of one host is made by the other`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server), try Host(server)]
        for host in hosts {
            try host.fixture.stub("GET", "*", .text(200, "net"))
            host.news.start()
        }
        await reach("a place in the log", hosts) { hosts.allSatisfy { $0.news.isFollowing } }
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
        let hosts = [try Host(server), try Host(server)]
        let stub = try hosts[0].fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
        try hosts[1].fixture.stub("GET", "a", .text(200, "new"))
        hosts[0].fixture.resource("a").load()
        await reach("a request", hosts) { hosts[0].requests == 1 }
        hosts[1].fixture.resource("a").outdate()
        await reach("an entry of the log", hosts) { hosts[1].news.isWritten }
        // The first host doesn't follow the log, as if it had stood still.
        stub.go()
        await reach("data", hosts) { hosts[0].text("a") == "old" }
        hosts[1].fixture.resource("a").load()
        await reach("data", hosts) { hosts[1].text("a") == "new" }
        #expect(hosts[1].requests == 1)
        leave(hosts)
    }
}
