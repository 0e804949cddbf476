import NIOCore
import NIOHPACK
import NIOHTTP2
import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// HTTP/2 (rules 63).
@Suite struct MultiplexingTests {
    private static func reply(_ request: TransportRequest) -> TransportResult { .success(.stub("[1]")) }

    func run(
        _ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in },
        automatic: (@EngineActor @Sendable (TransportRequest) -> TransportResult)? = MultiplexingTests.reply,
        _ body: (World, Site) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        folder.write("server.pem", TestCertificates.server)
        folder.write("server.key", TestCertificates.serverKey)
        try await World.run(
            {
                $0.threads = 1
                $0.tls = GatewayTLS(
                    certificate: "\(folder.path)/server.pem", key: "\(folder.path)/server.key")
                $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST"])]
                $0.limits.maxBodyBytes = 5 << 20
                configure(&$0)
            }, automatic: automatic, body)
    }

    @Test func `63.1 A stream is answered as a connection of HTTP/1.1 is`() async throws {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let first = try await client.get("/github/a?b=1")
            #expect(first.status == 200)
            #expect(first.body == "[1]")
            #expect(first["connection"] == nil)
            #expect(first["content-length"] == "3")
            let tag = try #require(first["etag"])
            world.clock.advance(by: 12)
            let hit = try await client.get("/github/a?b=1")
            #expect(hit["cache-status"]?.contains("hit") == true)
            #expect(hit["age"] == "12" && hit["cache-control"] == "max-age=30")
            let same = try await client.get("/github/a?b=1", [("if-none-match", tag)])
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            let head = try await client.get("/github/a?b=1", method: "HEAD")
            #expect(head.status == 200)
            #expect(head["content-length"] == "3")
            #expect(head.body.isEmpty)
            #expect(try await client.get("/nobody/a").problem("code") == "unknown_service")
            #expect(try await client.get("/github/a", method: "PUT").status == 405)
            #expect(try await client.get("/github/../a").status == 400)
            #expect(try await client.get("/-/health").status == 200)
        }
    }

    @Test func `63.2 Bodies come with a length or without one`() async throws {
        try await run(automatic: { request in
            .success(.stub(String(decoding: request.body ?? [], as: UTF8.self), type: "text/plain"))
        }) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            let head = MultiplexedClient.head("POST", "/github/a")
            let parts = [Array("ab".utf8), [], Array("cde".utf8), []]
            #expect(try await client.ask(head, body: parts).body == "abcde")
            #expect(try await client.ask(head + [("content-length", "5")], body: parts).body == "abcde")
            #expect(try await client.ask(head + [("content-length", "0")], body: [[]]).status == 200)
            let long = [UInt8](repeating: 0x61, count: 1 << 20)
            let echo = try await client.ask(head, body: Array(repeating: long, count: 4))
            #expect(echo.body.utf8.count == 4 << 20)
            let tooLong = try await client.ask(
                head + [("content-length", "\(6 << 20)")], body: [long, long])
            #expect(tooLong.status == 413)
            #expect(try await client.get("/github/a").status == 200)
        }
    }

    private static let wrong: [[(String, String)]] = [
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("connection", "close")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("transfer-encoding", "chunked")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("te", "gzip")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("X-Upper", "1")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("x", "a\r\nhost: b")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("x\r\ny", "a")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("x", " a")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("x", "a\u{0}")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), ("x y", "a")],
        [(":method", "GET /x HTTP/1.1\r\nhost: a\r\n\r\nGET"), (":scheme", "https"), (":path", "/github/a")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a\r\n\r\nGET / HTTP/1.1")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), (":path", "/github/b")],
        [(":method", "GET"), (":scheme", "https"), ("x", "1"), (":path", "/github/a")],
        [(":method", "GET"), (":scheme", "https"), (":path", "/github/a"), (":status", "200")],
        [(":method", "GET"), (":scheme", "https"), (":path", "")],
        [(":method", "GET"), (":path", "/github/a")],
        [(":scheme", "https"), (":path", "/github/a")],
        [
            (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/github/a"),
            ("host", "127.0.0.1"),
        ],
        [(":method", "GET"), (":scheme", "ftp"), (":authority", "localhost"), (":path", "/github/a")],
        [(":method", "CONNECT"), (":authority", "localhost")],
        MultiplexedClient.head("GET", "/github/a b"),
        MultiplexedClient.head("POST", "/github/a", [("content-length", "5")]),
    ]

    @Test func `63.3 A head that could be misread ends its stream, and nothing more`() async throws {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            for head in Self.wrong {
                do {
                    let answer = try await client.ask(head)
                    Issue.record("\(head) was answered with \(answer.status)")
                } catch {}
            }
            for length in ["2", "20"] {
                let head = MultiplexedClient.head("POST", "/github/a", [("content-length", length)])
                await #expect(throws: (any Error).self) {
                    try await client.ask(head, body: [Array("abcde".utf8)])
                }
            }
            for (path, status) in [("github/a", 400), ("*", 400)] {
                #expect(try await client.get(path).status == status)
            }
            // The name of the host is missing.
            #expect(
                try await client.ask([(":method", "GET"), (":scheme", "https"), (":path", "/a")]).status
                    == 400)
            #expect(await world.transport.requests.isEmpty)
            #expect(try await client.get("/github/a").status == 200)
        }
    }

    @Test(arguments: HostileFrames.floods.map(\.0))
    func `63.4 A client that floods, or speaks another protocol, is closed, others are served`(_ name: String)
        async throws
    {
        let bytes = try #require(HostileFrames.floods.first { $0.0 == name }?.1)
        try await run { world, site in
            let other = try await MultiplexedClient(port: site.port)
            #expect(try await other.get("/github/b").status == 200)
            let hostile = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            try? await hostile.send(name == "another preface" ? bytes : HostileFrames.preface + bytes)
            await hostile.drain()
            #expect(try await other.get("/github/b").status == 200)
            #expect(site.gateway.connections == 1)
        }
    }

    @Test func `63.5 A connection without streams is idle, whatever comes on it`() async throws {
        try await run({ $0.limits.idleTimeout = 8 }) { world, site in
            let silent = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            let slow = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            try await slow.send(HostileFrames.preface + HostileFrames.frame(1, 1, 1, HostileFrames.get))
            let client = try await MultiplexedClient(port: site.port)
            #expect(try await client.get("/github/a").status == 200)
            await site.gateway.sweep(times: 5)
            try await slow.send(HostileFrames.frame(9, 0, 1, []))
            #expect(try await client.get("/github/a").status == 200)
            await site.gateway.sweep(times: 5)
            #expect(try await client.get("/github/a").status == 200)
            await site.gateway.sweep(times: 5)
            await silent.drain()
            await slow.drain()
            await site.gateway.sweep(times: 20)
            await client.isClosed()
        }
    }

    @Test func `63.5 An answer that nobody takes ends its stream, and then the connection`() async throws {
        try await run({ $0.limits.idleTimeout = 8 }) { world, site in
            let hostile = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            // The client's windows are empty, and stay so.
            let noRoom = HostileFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0])
            try await hostile.send(
                HostileFrames.preface + noRoom + HostileFrames.frame(1, 5, 1, HostileFrames.get))
            await world.transport.waitForRequests(1)
            let client = try await MultiplexedClient(port: site.port)
            #expect(try await client.get("/github/a").status == 200)
            #expect(site.gateway.connections == 3)
            for _ in 0..<8 {
                await site.gateway.sweep(times: 5)
                #expect(try await client.get("/github/a").status == 200)
            }
            #expect(site.gateway.connections == 1)
        }
    }

    @Test func `63.6 A gateway that stops ends streams of events`() async throws {
        try await run(automatic: nil) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let fields = [("accept", "text/event-stream")]
            let (answer, _) = try await client.begin(MultiplexedClient.head("GET", "/github/a", fields))
            await world.transport.waitForRequests(1)
            await world.reply("[1]")
            await site.stop()
            let events = try await answer.get()
            #expect(events["content-type"] == "text/event-stream")
            #expect(events.body.contains("event: state\n"))
            await client.isClosed()
        }
    }

    @Test func `63.6 A gateway that stops lets streams end`() async throws {
        try await run(automatic: nil) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (answer, _) = try await client.begin(MultiplexedClient.head("GET", "/github/a"))
            await world.transport.waitForRequests(1)
            async let stopping: Void = site.stop()
            await world.reply("[1]")
            #expect(try await answer.get().body == "[1]")
            await stopping
            await client.isClosed()
        }
    }

    @Test func `63.7 A stream that is reset cancels the load that nobody else waits for`() async throws {
        try await run(automatic: nil) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (answer, stream) = try await client.begin(MultiplexedClient.head("GET", "/github/a"))
            await world.transport.waitForRequests(1)
            try? await stream.close()
            _ = try? await answer.get()
            await world.transport.waitForOpenCalls(0)
        }
    }

    @Test func `63.8 Many streams at once, each with its own answer`() async throws {
        try await run(automatic: { .success(.stub($0.url, type: "text/plain")) }) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<300 {
                    group.addTask {
                        try await client.get("/github/\(index)").body == "https://api.github.com/v3/\(index)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(site.gateway.connections <= 101)
        }
    }
}
