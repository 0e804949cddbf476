import NIOCore
import NIOHTTP2
import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct DrainTests {
    @Test func `67.3 A stopping gateway finishes what is under way and closes the rest`() async throws {
        try await World.run { world, site in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            async let stopped: Void = site.stop()
            #expect(try idle.isClosed())
            #expect(throws: Client.Failure.self) { try site.connect() }
            await world.reply("[1]")
            let answer = try waiting.answer()
            #expect(answer.body == "[1]")
            #expect(answer["Connection"] == "close")
            #expect(try waiting.isClosed())
            await stopped
        }
    }

    @Test func `When the time is up everything is closed`() async throws {
        try await World.run { world, site in
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            await site.gateway.stop(drain: 0.01)
            #expect(try waiting.isClosed())
            await world.reply("[1]")
        }
    }

    /// A gateway on a socket that already listens, and stays when the gateway ends.
    private func onInheritedSocket(_ body: (World, Site, UInt16) async throws -> Void) async throws {
        let (socket, port) = listenOnLoopback()
        defer { closeSocket(socket) }
        try await World.run({
            $0.listen = ["127.0.0.1:\(port)"]
            $0.inheritedSockets = ["127.0.0.1:\(port)": socket]
        }) { world, site in try await body(world, site, UInt16(port)) }
    }

    @Test func `67.5 Accepted clients are answered by the gateway that stops, the others by the next`()
        async throws
    {
        try await onInheritedSocket { world, site, port in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            let clients = try (0..<100).map { _ in try site.connect() }
            await yielding(until: "100 clients are accepted") { site.gateway.connections == 101 }
            async let stopped: Void = site.stop()
            // By then the gateway stops.
            #expect(try idle.isClosed())
            let late = try Client(port: port)
            try late.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for client in clients {
                try client.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            for client in clients {
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer["Connection"] == "close")
                #expect(try client.isClosed() && !client.wasReset)
            }
            await stopped
            var configuration = site.gateway.configuration
            configuration.threads = 1
            let next = try Gateway(configuration, directory: world)
            _ = try next.start()
            #expect(try late.answer().status == 200)
            await next.stop(drain: 0)
        }
    }

    @Test func `67.3 Requests that have come when the gateway stops are answered`() async throws {
        try await World.run({ $0.threads = 1 }) { world, site in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            let clients = try (0..<20).map { _ in try site.asking("/-/services") }
            for client in clients { #expect(try client.answer().status == 200) }
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            // The system has these connections before the gateway begins to stop.
            for client in clients {
                try client.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            async let stopped: Void = site.stop()
            for client in clients { #expect(try client.answer().status == 200) }
            #expect(try idle.isClosed())
            await world.reply("[1]")
            #expect(try waiting.answer()["Connection"] == "close")
            await stopped
        }
    }

    @Test func `67.3 A client that asks for nothing holds nobody up`() async throws {
        try await World.run({ $0.limits.headerTimeout = 0.04 }) { _, site in
            let silent = try site.connect()
            await yielding(until: "it is accepted") { site.gateway.connections == 1 }
            await site.stop()
            #expect(try silent.isClosed())
        }
    }

    @Test func `67.3 A stream that begins while the gateway stops has its state and ends`() async throws {
        for target in ["/github/a", "/-/events"] {
            try await World.run { _, site in
                let idle = try site.asking("/-/services")
                #expect(try idle.answer().status == 200)
                let gate = Gate()
                defer { gate.open() }
                EngineLoop.shared.submit { gate.wait() }
                let stream = try StreamTests.open(site, target)
                await yielding(until: "it is accepted") { site.gateway.connections == 2 }
                async let stopped: Void = site.stop()
                #expect(try idle.isClosed())
                gate.open()
                #expect(try stream.head().status == 200)
                if target == "/github/a" { #expect(try stream.event().name == "state") }
                await stopped
            }
        }
    }

    @Test func `67.3 A body that goes through is whole, and the connection's last`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 200000"))
            try client.send([UInt8](repeating: 1, count: 1000))
            let pipe = try await BodyFlow.pipe(world)
            async let stopped: Void = site.stop()
            BodyFlow.send(client) { send in _ = send([UInt8](repeating: 1, count: 199_000)) }
            let taken = await BodyFlow.take(pipe)
            #expect(taken.isWhole && taken.count == 200_000)
            await yielding(until: "it stops") { site.gateway.threads == 0 }
            await world.reply("[1]")
            let answer = try client.answer()
            #expect(answer.status == 200 && answer.body == "[1]")
            #expect(answer["Connection"] == "close")
            await stopped
        }
    }

    @Test func `67.3 A connection of TLS has a moment for its first request as well`() async throws {
        try await MultiplexingTests().run { _, site in
            let idle = try await SecureClient(port: site.port)
            try await idle.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await idle.answer().status == 200)
            let first = try await SecureClient(port: site.port)
            async let stopped: Void = site.stop()
            #expect(await idle.isClosed())
            try await first.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = try await first.answer()
            #expect(answer.status == 200 && answer["Connection"] == "close")
            await stopped
        }
    }

    @Test(arguments: HeldHandshake.Place.allCases)
    func `63.6 67.3 A client in the middle of a handshake is answered, or may ask elsewhere`(
        place: HeldHandshake.Place
    ) async throws {
        try await MultiplexingTests().run { _, site in
            let idle = try await SecureClient(port: site.port)
            #expect(try await idle.get("/-/services").status == 200)
            let client = try await MultiplexedClient(port: site.port, held: place)
            await yielding(until: "it is accepted") { site.gateway.connections == 2 }
            let (answer, _) = try await client.begin(MultiplexedClient.head("GET", "/-/services"))
            async let stopped: Void = site.stop()
            // By then the gateway stops.
            #expect(await idle.isClosed())
            try await client.goOn()
            do { #expect(try await answer.get().status == 200) } catch let reset as StreamReset {
                #expect(reset.code == .refusedStream)
            } catch {
                // The request came too late, and its connection is closed.
            }
            await client.isClosed()
            await stopped
        }
    }

    @Test func `67.3 A handshake that doesn't go on holds nobody up`() async throws {
        let set: (inout GatewayConfiguration) -> Void = {
            $0.limits.headerTimeout = 600
            $0.limits.idleTimeout = 0.04
        }
        try await MultiplexingTests().run(set) { _, site in
            let clients = [
                try await MultiplexedClient(port: site.port, held: .inHello),
                try await MultiplexedClient(port: site.port, held: .behindHello),
            ]
            await yielding(until: "both are accepted") { site.gateway.connections == 2 }
            await site.stop()
            for client in clients { await client.isClosed() }
        }
    }
}
