import NIOCore
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Streams of HTTP/2 that are answered from memory, without a channel of their own (rules 63).
@Suite struct HotStreamTests {
    private static let get = HostileFrames.frame(1, 5, 1, HostileFrames.get)
    private static let getAgain = HostileFrames.frame(1, 5, 3, HostileFrames.get)
    /// Streams begin without a window.
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
            // :status 200 is the first of the table (RFC 7541 A).
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
            await site.gateway.stop(drain: 60)
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

    /// Fields of a large table are not indexed: the encoder would hold and search all of it.
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
}
