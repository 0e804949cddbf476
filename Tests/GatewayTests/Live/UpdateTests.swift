import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct UpdateTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private func apply(_ update: GatewayConfiguration, _ site: Site) async throws {
        await site.gateway.commit(try site.gateway.prepare(update))
    }

    private func read(_ client: Client, _ target: String = "/github/a", fields: String = "") throws -> Answer
    {
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        return try client.answer()
    }

    @Test func `A new token holds from the next request on, for open connections and remembered answers`()
        async throws
    {
        try await World.run(automatic: Self.reply) { _, site in
            let client = try site.connect()
            #expect(try read(client).status == 200)
            #expect(try read(client)["Cache-Status"]?.contains("hit") == true)
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0"], bearerToken: "new"), site)
            #expect(try read(client).status == 401)
            #expect(try read(client, fields: "Authorization: Bearer new\r\n").status == 200)
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0"]), site)
            #expect(try read(client).status == 200)
        }
    }

    @Test func `A new accessPolicy holds for remembered answers and known paths`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            for _ in 0..<2 { #expect(try read(client).status == 200) }
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.expose = ["github": ExposeRule(paths: ["/b"])]
            try await apply(update, site)
            #expect(try read(client).problem("code") == "not_exposed")
            #expect(try read(client, "/github/b").status == 200)
            update.expose = ["github": ExposeRule(paths: ["/a"], methods: ["HEAD"])]
            try await apply(update, site)
            #expect(try read(client).status == 405)
            update.expose = [:]
            try await apply(update, site)
            #expect(try read(client).problem("code") == "unknown_service")
        }
    }

    @Test func `An answer that was asked for before is given, but not remembered`() async throws {
        try await World.run { world, site in
            let client = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.expose = ["github": ExposeRule(paths: ["/b"])]
            try await apply(update, site)
            await world.reply("[1]")
            #expect(try client.answer().body == "[1]")
            #expect(try read(client).problem("code") == "not_exposed")
        }
    }

    @Test func `New limits hold for connections that are there, those of heads for later ones`() async throws
    {
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            #expect(try read(client).status == 200)
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.limits.maxTargetBytes = 10
            update.limits.idleTimeout = 2
            update.limits.maxConnections = 1
            try await apply(update, site)
            #expect(try read(client, "/github/abcdef").status == 200)
            // There may be only one connection, so the idle one is closed.
            #expect(try site.get("/github/abcdef").status == 414)
            #expect(try client.isClosed())
            let later = try site.connect()
            #expect(try read(later).status == 200)
            await site.gateway.sweep(times: 4)
            #expect(try later.isClosed())
        }
    }

    @Test func `New server names are answered, old ones no longer`() async throws {
        try await World.run({ $0.serverNames = ["old.internal"] }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            func status(_ name: String) throws -> Int {
                try client.send("GET /github/a HTTP/1.1\r\nHost: \(name)\r\n\r\n")
                return try client.answer().status
            }
            #expect(try status("old.internal") == 200)
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.serverNames = ["new.internal"]
            try await apply(update, site)
            #expect(try status("old.internal") == 421)
            #expect(try status("new.internal") == 200)
        }
    }

    @Test func `A service that stays keeps its answers, one that another replaces does not`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            let client = try site.connect()
            #expect(try read(client).status == 200)
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0"]), site)
            #expect(try read(client)["Cache-Status"]?.contains("hit") == true)
            #expect(await world.transport.requests.count == 1)
            await world.replace("github", "https://api.github.com/v4")
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0"]), site)
            #expect(try read(client)["Cache-Status"]?.contains("fwd=miss") == true)
            #expect(await world.transport.requests.last?.url == "https://api.github.com/v4/a")
            await world.remove("github")
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0"]), site)
            #expect(try read(client).status == 404)
        }
    }

    @Test func `A listener is added, and a left one ends its connections after their request`() async throws {
        let path = "/tmp/resthost-update-\(getpid()).sock"
        try await World.run { world, site in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            try await apply(GatewayConfiguration(listen: ["127.0.0.1:0", "unix:" + path]), site)
            #expect(site.gateway.listening == [site.addresses[0], "unix:" + path])
            let local = try Client(path: path)
            #expect(try read(local, "/-/health").status == 200)

            try await apply(GatewayConfiguration(listen: ["unix:" + path]), site)
            #expect(site.gateway.listening == ["unix:" + path])
            #expect(try idle.isClosed())
            #expect(throws: Client.Failure.self) { try site.connect() }
            await world.reply("[1]")
            let last = try waiting.answer()
            #expect(last.body == "[1]")
            #expect(last["Connection"] == "close")
            #expect(try waiting.isClosed())
            #expect(try read(local, "/-/health").status == 200)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `An address that is taken changes nothing`() async throws {
        let path = "/tmp/resthost-update-taken-\(getpid()).sock"
        try await World.run(automatic: Self.reply) { world, other in
            try await World.run(automatic: Self.reply) { _, site in
                var update = GatewayConfiguration(
                    listen: ["127.0.0.1:0", "unix:" + path, other.addresses[0]], bearerToken: "new")
                #expect(throws: GatewayError.addressInUse(other.addresses[0])) {
                    try site.gateway.prepare(update)
                }
                #expect(access(path, F_OK) != 0)
                update.listen = ["0.0.0.0:\(site.port)"]
                #expect(
                    throws: GatewayError.addressOverlaps(update.listen[0], with: site.addresses[0])
                ) { try site.gateway.prepare(update) }
                update.listen = ["nonsense"]
                #expect(throws: GatewayError.self) { try site.gateway.prepare(update) }
                update.listen = ["127.0.0.1:0"]
                update.expose = ["github": ExposeRule(paths: ["a#b"])]
                #expect(throws: GatewayError.self) { try site.gateway.prepare(update) }
                #expect(site.gateway.listening == site.addresses)
                let answer = try site.get("/github/a")
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `A discarded update leaves nothing behind`() async throws {
        let path = "/tmp/resthost-update-gone-\(getpid()).sock"
        try await World.run(automatic: Self.reply) { _, site in
            let update = GatewayConfiguration(listen: ["unix:" + path], bearerToken: "new")
            let prepared = try site.gateway.prepare(update)
            let early = try Client(path: path)
            #expect(try read(early).status == 200)
            site.gateway.discard(prepared)
            #expect(access(path, F_OK) != 0)
            #expect(try early.isClosed())
            #expect(try site.get("/github/a").status == 200)
            #expect(site.gateway.listening == site.addresses)
        }
    }

    @Test func `Once stopped there is nothing to update`() async throws {
        try await World.run { _, site in
            let prepared = try site.gateway.prepare(GatewayConfiguration(listen: ["127.0.0.1:0"]))
            await site.gateway.stop(drain: 0)
            await site.gateway.commit(prepared)
            #expect(site.gateway.listening.isEmpty)
            #expect(throws: GatewayError.notRunning) {
                try site.gateway.prepare(GatewayConfiguration(listen: []))
            }
        }
    }
}
