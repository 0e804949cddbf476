import RestEngine
import Synchronization
import Testing

@testable import Gateway

@Suite struct ConnectionTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { request in
        .success(.stub("\"\(request.url.suffix(1))\"", type: "text/plain"))
    }

    @Test func `Requests that were sent together are answered in order`() async throws {
        try await World.run { world, site in
            let client = try site.connect()
            let paths = ["a", "b", "a", "nothing/../x", "b"]
            try client.send(
                paths.map { "GET /github/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
                    + "GET /-/services HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            await world.transport.waitForRequests(1)
            await world.reply(#"["a"]"#)
            await world.transport.waitForRequests(2)
            await world.reply(#"["b"]"#)
            let answers = try (0..<6).map { _ in try client.answer() }
            #expect(answers.map(\.status) == [200, 200, 200, 400, 200, 200])
            #expect(answers[0].body == #"["a"]"#)
            #expect(answers[1].body == #"["b"]"#)
            #expect(answers[2].body == #"["a"]"#)
            #expect(answers[4].body == #"["b"]"#)
            #expect(answers[5]["Connection"] == "close")
            #expect(try client.isClosed())
        }
    }

    @Test func `A request may arrive byte by byte`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            let client = try site.connect()
            for _ in 0..<2 {
                for byte in "GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8 {
                    try client.send([byte])
                }
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test func `HTTP 1.0 and Connection: close end the connection`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            for _ in 0..<2 {
                for request in [
                    "GET /github/a HTTP/1.0\r\n\r\n",
                    "GET /github/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                ] {
                    let client = try site.connect()
                    try client.send(request)
                    #expect(try client.answer()["Connection"] == "close")
                    #expect(try client.isClosed())
                }
                let kept = try site.connect()
                for _ in 0..<2 {
                    try kept.send("GET /github/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    #expect(try kept.answer()["Connection"] == "keep-alive")
                }
            }
        }
    }

    @Test func `An expectation without a body costs nothing, a body is refused before it is sent`()
        async throws
    {
        try await World.run(automatic: Self.reply) { _, site in
            #expect(try site.get("/github/a", fields: ["Expect: 100-continue"]).status == 200)
            #expect(try site.get("/github/a", fields: ["Expect: more"]).status == 417)
            let client = try site.connect()
            try client.send(
                "GET /github/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            )
            let answer = try client.answer()
            #expect(answer.status == 413)
            #expect(answer["Connection"] == "close")
            #expect(try client.isClosed())
        }
    }

    @Test func `Bytes that are no request are answered once and end the connection`() async throws {
        try await World.run { _, site in
            let long = String(repeating: "a", count: 9000)
            let expected: [(String, Int)] = [
                ("GET / HTTP/1.1\n\n", 400), ("GET / HTTP/1.1\rHost: localhost\r\r", 400),
                ("GET /\(long) HTTP/1.1\r\n\r\n", 414),
                ("GET / HTTP/1.1\r\nA: \(long)\r\nB: \(long)\r\n\r\n", 431), ("GET / HTTP/3.0\r\n\r\n", 505),
                ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
                ("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 413),
                ("CONNECT localhost:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501), ("\u{16}\u{3}\u{1}\u{2}", 400),
            ]
            for (text, status) in expected {
                let client = try site.connect()
                try client.send(text)
                let answer = try client.answer()
                #expect(answer.status == status)
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(answer["Connection"] == "close")
                #expect(try client.isClosed())
            }
        }
    }

    @Test func `A client that goes away is forgotten, a read that another waits for is not`() async throws {
        try await World.run { world, site in
            let other = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            var client: Client? = try site.asking("/github/a")
            #expect(client != nil)
            client = nil
            await world.reply("[1]")
            #expect(try other.answer().status == 200)
            #expect(try site.get("/github/a")["Cache-Status"] == "resthost; hit; ttl=30")
        }
    }

    @Test func `A client that takes no answers is not read from for ever`() async throws {
        let body = "[\"" + String(repeating: "x", count: 100_000) + "\"]"
        try await World.run(automatic: { _ in .success(.stub(body)) }) { _, site in
            let client = try site.connect()
            let request = "GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send(String(repeating: request, count: 500))
            for _ in 0..<500 { #expect(try client.answer().body.utf8.count == body.utf8.count) }
        }
    }

    @Test func `Each answer is one record of the access log`() async throws {
        let log = AccessList()
        try await World.run({ $0.accessLog = { log.append($0) } }, automatic: Self.reply) { _, site in
            _ = try site.get("/github/a?b")
            _ = try site.get("/github/a?b")
            _ = try site.get("/none", method: "HEAD")
        }
        #expect(log.lines == ["GET /github/a?b 200 3", "GET /github/a?b 200 3", "HEAD /none 404 0"])
        #expect(log.clients == ["127.0.0.1"])
    }

    @Test func `70.6 Engine requests are spans, answers from memory if the client traces`() async throws {
        let log = AccessList()
        let spans = Mutex<[TraceSpan]>([])
        func configure(_ configuration: inout GatewayConfiguration) {
            // With one thread all clients share the remembered answers.
            configuration.threads = 1
            configuration.spans = { record, span in
                log.append(record)
                spans.withLock { $0.append(span) }
            }
        }
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        func traced(_ flags: String) -> [String] { ["traceparent: 00-\(id)-00f067aa0ba902b7-\(flags)"] }
        try await World.run(configure, automatic: Self.reply) { world, site in
            try await world.configure("**") { $0.isTraced = true }
            _ = try site.get("/github/a?b")
            _ = try site.get("/github/a?b")
            _ = try site.get("/-/health", fields: traced("01"))
            _ = try site.get("/github/a?b", fields: traced("00"))
            _ = try site.get("/github/a?b", fields: traced("01"))
            let sent = await world.transport.requests.first?.headers["traceparent"]
            #expect(sent?.contains(spans.withLock { $0.first?.context.traceID } ?? "none") == true)
        }
        #expect(log.lines == ["GET /github/a?b 200 3", "GET /github/a?b 200 3"])
        spans.withLock { spans in
            #expect(spans.map(\.parentID) == [nil, "00f067aa0ba902b7"])
            #expect(spans.last?.context.traceID == id && spans.last?.context.spanID != "00f067aa0ba902b7")
        }
    }

    @Test func `A record's duration doesn't go by the time of day, which somebody may set back`() async throws
    {
        let log = AccessList()
        let times = Mutex((ofDay: 1_000_000.0, uptime: 0.0))
        func configure(_ configuration: inout GatewayConfiguration) {
            configuration.accessLog = { log.append($0) }
            configuration.clock = {
                times.withLock { times in
                    times.ofDay -= 60
                    return times.ofDay
                }
            }
            configuration.uptime = {
                times.withLock { times in
                    times.uptime += 2
                    return times.uptime
                }
            }
        }
        try await World.run(configure, automatic: Self.reply) { _, site in
            _ = try site.get("/none")
            _ = try site.get("/github/a")
        }
        // A sweep may read the clock as well.
        #expect(log.durations.count == 2 && log.durations.allSatisfy { (4..<60).contains($0) })
    }

    @Test func `An update begins and ends the access log, for remembered answers too`() async throws {
        let log = AccessList()
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            func read() throws {
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
            try read()
            try read()
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.accessLog = { log.append($0) }
            await site.gateway.commit(try site.gateway.prepare(update))
            try read()
            try read()
            update.accessLog = nil
            await site.gateway.commit(try site.gateway.prepare(update))
            try read()
        }
        #expect(log.lines == ["GET /github/a 200 3", "GET /github/a 200 3"])
    }
}
