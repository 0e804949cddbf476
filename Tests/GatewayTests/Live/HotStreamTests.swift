import NIOCore
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// HTTP/2 streams that are answered from memory, without their own channel (rules 63).
@Suite struct HotStreamTests {
    private static let get = HostileFrames.frame(1, 5, 1, HostileFrames.get)
    private static let getAgain = HostileFrames.frame(1, 5, 3, HostileFrames.get)
    /// Streams begin with a window of 0.
    private static let noWindow = HostileFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0])

    private static func idle(_ configuration: inout GatewayConfiguration) {
        configuration.limits.idleTimeout = 8
    }

    private func run(
        _ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (World, Site, SecureClient) async throws -> Void
    ) async throws {
        try await MultiplexingTests().run(configure) { world, site in
            let first = try await MultiplexedClient(port: site.port)
            #expect(try await first.get("/github/a").body == "[1]")
            let client = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            try await body(world, site, client)
        }
    }

    @Test func `63.1 A hot answer waits for the window of its stream`() async throws {
        try await run { _, _, client in
            try await client.send(HostileFrames.preface + Self.noWindow + Self.get)
            let head = try #require(await client.frame(1, on: 1))
            // :status 200 has the index of the table's first status (RFC 7541 A).
            #expect(head.first == 0x88)
            try await client.send(HostileFrames.frame(8, 0, 1, [0, 0, 0, 2]))
            #expect(await client.frame(0, on: 1) == Array("[1".utf8))
            try await client.send(HostileFrames.frame(8, 0, 1, [0, 0, 0, 2]))
            #expect(await client.frame(0, on: 1) == Array("]".utf8))
        }
    }

    @Test func `63.7 A hot answer that its client gives up is let go of, and the next stream is served`()
        async throws
    {
        try await run { _, site, client in
            try await client.send(HostileFrames.preface + Self.noWindow + Self.get)
            _ = try #require(await client.frame(1, on: 1))
            try await client.send(
                HostileFrames.frame(3, 0, 1, [0, 0, 0, 8]) + Self.getAgain
                    + HostileFrames.frame(8, 0, 3, [0, 0, 0, 3]))
            #expect(await client.frame(0, on: 3) == Array("[1]".utf8))
            await site.stop()
            await client.drain()
        }
    }

    @Test func `63.5 A hot answer that nobody takes ends its connection`() async throws {
        try await run(Self.idle) { _, site, client in
            try await client.send(HostileFrames.preface + Self.noWindow + Self.get)
            _ = try #require(await client.frame(1, on: 1))
            let other = try await MultiplexedClient(port: site.port)
            for _ in 0..<8 {
                await site.gateway.sweep(times: 5)
                #expect(try await other.get("/github/a").status == 200)
            }
            await client.drain()
        }
    }

    @Test func `63.5 A connection whose streams are answered from memory is not idle`() async throws {
        try await run(Self.idle) { _, site, _ in
            let client = try await MultiplexedClient(port: site.port)
            for _ in 0..<8 {
                #expect(try await client.get("/github/a")["cache-status"]?.contains("hit") == true)
                await site.gateway.sweep(times: 5)
            }
        }
    }

    /// Fields for a large table are not indexed, because the encoder would hold and search all of it.
    @Test(arguments: [(4096, true), (65_536, false)])
    func `63.1 Fields of hot answers are indexed in a table of the usual size alone`(
        _ size: Int, _ isIndexed: Bool
    ) async throws {
        try await run { _, _, client in
            let setting: [UInt8] = [0, 1, 0, UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
            try await client.send(
                HostileFrames.preface + HostileFrames.frame(4, 0, 0, setting) + Self.get + Self.getAgain)
            let first = try #require(await client.frame(1, on: 1))
            let second = try #require(await client.frame(1, on: 3))
            #expect((second.count < first.count / 2) == isIndexed)
        }
    }

    @Test func `63.3 Fields behind a body are looked at as those of a head are`() async throws {
        try await run { world, site, client in
            let post: [UInt8] = [0x83] + HostileFrames.get.dropFirst()
            try await client.send(
                HostileFrames.preface + HostileFrames.frame(1, 4, 1, post) + HostileFrames.frame(0, 0, 1, [1])
                    + HostileFrames.frame(1, 5, 1, [0x82]))
            // PROTOCOL_ERROR (RFC 9113 7).
            #expect(await client.frame(3, on: 1) == [0, 0, 0, 1])
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `55.6 63.1 A client that asks too often is refused on streams as on connections`() async throws
    {
        try await MultiplexingTests().run({
            $0.limits.perClient = GatewayRate(requests: 1, per: 3600, burst: 3)
        }) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            for _ in 0..<3 { #expect(try await client.get("/github/a").status == 200) }
            let refused = try await client.get("/github/a")
            #expect(refused.status == 429 && refused.problem("code") == "rate_limited")
            #expect(refused["retry-after"].flatMap { Int($0) }.map { (3590...3601).contains($0) } == true)
            let same = try await SecureClient(port: site.port).get("/github/a")
            #expect(same.status == 429 && same.problem("detail") == refused.problem("detail"))
            #expect(same["Retry-After"] == refused["retry-after"])
            // Every client may ask whether the host is alive.
            #expect(try await client.get("/-/health").status == 200)
            world.clock.advance(by: 3601)
            #expect(try await client.get("/github/a").status == 200)
            #expect(try await client.get("/github/a").status == 429)
        }
    }

    @Test func `63.1 67.1 Each stream is one line of the access log, and an update begins and ends that`()
        async throws
    {
        let log = AccessList()
        let other = AccessList()
        let bytes = Mutex(0)
        try await MultiplexingTests().run({ $0.accessLog = { log.append($0) } }) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            let first = try await client.get("/github/a")
            #expect(try await client.get("/github/a")["cache-status"]?.contains("hit") == true)
            let tag = try #require(first["etag"])
            #expect(try await client.get("/github/a", [("if-none-match", tag)]).status == 304)
            #expect(try await client.get("/github/a", method: "HEAD").status == 200)
            let unknown = try await client.get("/nobody/a")
            bytes.withLock { $0 = unknown.body.utf8.count }

            var update = site.gateway.configuration
            update.accessLog = nil
            await site.gateway.commit(try site.gateway.prepare(update))
            for _ in 0..<2 { #expect(try await client.get("/github/a").body == "[1]") }
            update.accessLog = { other.append($0) }
            await site.gateway.commit(try site.gateway.prepare(update))
            for _ in 0..<2 { #expect(try await client.get("/github/a").body == "[1]") }
        }
        #expect(
            log.lines == [
                "GET /github/a 200 3", "GET /github/a 200 3", "GET /github/a 304 0", "HEAD /github/a 200 0",
                "GET /nobody/a 404 \(bytes.withLock { $0 })",
            ])
        #expect(other.lines == ["GET /github/a 200 3", "GET /github/a 200 3"])
        #expect(log.clients == ["127.0.0.1"] && other.clients == ["127.0.0.1"])
    }

    @Test func `63.1 65.2 Streams count with their pattern, as hits where memory answers`() async throws {
        try await MultiplexingTests().run { world, site in
            try await world.configureAsScript("/*")
            let client = try await MultiplexedClient(port: site.port)
            func scrape() async throws -> PrometheusText {
                try PrometheusText(try await client.get("/-/metrics").body)
            }
            _ = try await scrape()
            let tag = try #require(try await client.get("/github/a")["etag"])
            for _ in 0..<3 { #expect(try await client.get("/github/a").body == "[1]") }
            #expect(try await client.get("/github/a", [("if-none-match", tag)]).status == 304)
            let text = try await scrape()
            let labels = "service=\"github\",pattern=\"/*\""
            func count(_ status: Int, _ outcome: String) -> Double? {
                text[
                    "resthost_gateway_requests_total{\(labels),method=\"GET\",status=\"\(status)\","
                        + "outcome=\"\(outcome)\"}"]
            }
            #expect(count(200, "fetched") == 1 && count(200, "hit") == 3 && count(304, "hit") == 1)
            #expect(text["resthost_gateway_body_bytes_total{\(labels)}"] == 12)
            #expect(text["resthost_gateway_request_seconds_count{\(labels),method=\"GET\"}"] == 5)
        }
    }
}
