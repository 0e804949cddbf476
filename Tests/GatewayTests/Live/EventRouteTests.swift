import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// `/-/events`, and the inspector that uses it (rules 66).
@Suite struct EventRouteTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private func follow(_ site: Site, _ query: String = "", fields: [String] = []) throws -> StreamClient {
        let client = try site.connect()
        let extra = fields.map { $0 + "\r\n" }.joined()
        try client.send("GET /-/events\(query) HTTP/1.1\r\nHost: localhost\r\n\(extra)\r\n")
        return StreamClient(client)
    }

    /// Reads the first frame of a new stream: from then on it follows the events.
    private func begin(_ stream: StreamClient) throws -> Answer {
        let head = try stream.head()
        #expect(try stream.line() == "retry: 2000")
        return head
    }

    @Test func `66.1 Events are reported as they happen`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            let stream = try follow(site)
            let head = try begin(stream)
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream")
            _ = try site.get("/github/a?token=s3cret")
            var names: [String] = []
            while names.last != "response" {
                let event = try stream.event()
                names.append(event.name)
                #expect(event.json?["kind"]?.string == event.name)
                #expect(!event.data.contains("s3cret"))
                #expect(event.json?["service"]?.string == "github")
                guard event.name == "attempt" else { continue }
                #expect(event.json?["began"]?.double != nil)
                #expect(event.json?["phases"]?.kind == .object)
                #expect(event.json?["status"]?.int == 200)
            }
            #expect(Set(names).isSuperset(of: ["request", "state", "attempt", "response"]))
        }
    }

    @Test func `66.2 Kinds are chosen, and nothing else is made`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            let stream = try follow(site, "?kinds=response,reload")
            _ = try begin(stream)
            #expect(await world.engine.hasListeners(of: .response))
            #expect(await !world.engine.hasListeners(of: .attempt))
            _ = try site.get("/github/a")
            #expect(try stream.event().name == "response")
            let wrong = try site.get("/-/events?kinds=respons")
            #expect(wrong.status == 400)
            #expect(wrong.problem("detail")?.contains("there are request, attempt, response") == true)
            #expect(try site.get("/-/events?kinds=log").status == 400)
        }
    }

    @Test func `66.2 Listening ends when the last follower has left`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            var stream: StreamClient? = try follow(site)
            _ = try begin(try #require(stream))
            #expect(await world.engine.hasListeners(of: .state))
            stream = nil
            _ = stream
            await yielding(until: "nobody listens") { await !world.engine.hasListeners(of: .state) }
        }
    }

    @Test func `66.2 A stream that begins too late leaves its connection to the next request`() async throws {
        try await World.run({ $0.threads = 1 }) { world, site in
            let client = try site.connect()
            do {
                let gate = Gate()
                defer { gate.open() }
                EngineLoop.shared.submit { gate.wait() }
                try client.send("GET /-/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                // The gateway has these bytes when it has answered a later client.
                _ = try site.get("/-/nothing")
                await site.gateway.sweep(times: 12)
                #expect(try client.answer().status == 504)
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try site.get("/-/nothing")
            }
            await world.transport.waitForRequests(1)
            await yielding(until: "nobody listens") { await !world.engine.hasListeners(of: .state) }
            await world.reply("[1]")
            #expect(try client.answer().body == "[1]")
        }
    }

    @Test func `66.3 A client gets no events of paths that it may not see`() async throws {
        let some = ["github": ExposeRule(paths: ["/users/*"])]
        try await World.run(
            {
                $0.tokens = [
                    GatewayToken(name: "all", secret: .text("all")),
                    GatewayToken(name: "some", secret: .text("some"), expose: some, isOperator: true),
                ]
            }, automatic: Self.reply
        ) { _, site in
            #expect(try site.get("/-/events").status == 401)
            let stream = try follow(site, "?kinds=response", fields: ["Authorization: Bearer some"])
            _ = try begin(stream)
            for path in ["secret", "users/a"] {
                _ = try site.get("/github/\(path)", fields: ["Authorization: Bearer all"])
            }
            #expect(try stream.event().json?["url"]?.string == "https://api.github.com/v3/users/a")
        }
    }

    @Test func `66.4 There are so many at once`() async throws {
        func hold(_ count: Int, _ site: Site) throws -> [StreamClient] {
            try (0..<count).map { _ in
                let stream = try follow(site)
                _ = try begin(stream)
                return stream
            }
        }
        try await admin(FakeControl()) { _, site in
            let streams = try hold(HostEvents.mostFollowers, site)
            let refused = try site.get("/-/events")
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "5")
            _ = streams
        }
        // One client of the public gateway may have a quarter of the streams.
        try await World.run { _, site in
            let streams = try hold(HostEvents.mostFollowers / 4, site)
            let refused = try site.get("/-/events")
            #expect(refused.status == 429)
            #expect(refused.problem("code") == Problem.tooMany("streams").code)
            _ = streams
        }
    }

    // MARK: For admins

    private func admin(
        _ control: FakeControl, _ body: (World, Site) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        try await World.run(
            {
                $0.listen = ["unix:\(folder.path)/admin.sock"]
                $0.audience = .admins
            }, control: control, automatic: Self.reply, body)
    }

    @Test func `66.5 Admins get the log, its last lines first`() async throws {
        let control = FakeControl()
        control.hostLog.note(MaskedText(json: ["message": "before"]))
        try await admin(control) { _, site in
            let stream = try follow(site, "?kinds=log")
            _ = try begin(stream)
            #expect(try stream.event().json == ["message": "before"])
            control.hostLog.note(MaskedText(json: ["message": "after"]))
            let event = try stream.event()
            #expect(event.name == "log")
            #expect(event.json == ["message": "after"])
        }
    }

    @Test func `66.11 Failures that clients got are events for operators who see everything`() async throws {
        let control = FakeControl()
        control.failureLog.note(MaskedText(json: ["kind": "failure", "message": "before"]))
        try await World.run(control: control, automatic: { _ in .success(.stub("no", status: 500)) }) {
            _, site in
            let stream = try follow(site, "?kinds=failure")
            _ = try begin(stream)
            #expect(try stream.event().json?["message"]?.string == "before")
            _ = try site.get("/github/a?token=s3cret")
            _ = try site.get("/github/a?token=s3cret")
            for _ in 0..<2 {
                let event = try stream.event()
                #expect(event.name == "failure" && !event.data.contains("s3cret"), "\(event.data)")
                #expect(event.json?["code"]?.string == "http_5xx" && event.json?["service"] == "github")
                #expect(event.json?["request"]?.string?.hasPrefix("GET /github/a") == true)
            }
        }
        try await World.run(
            { $0.expose = ["github": ExposeRule(paths: ["/*"])] }, control: control,
            automatic: { _ in .success(.stub("no", status: 500)) }
        ) { _, site in
            let stream = try follow(site, "?kinds=failure,response")
            _ = try begin(stream)
            for path in ["a", "b"] {
                _ = try site.get("/github/\(path)")
                #expect(try stream.event().name == "response")
            }
        }
    }

    @Test func `66.6 The page is for admins, and runs nothing from elsewhere`() async throws {
        try await admin(FakeControl()) { _, site in
            for (target, type) in [
                ("/-/", "text/html"), ("/-/inspector.js", "text/javascript"),
                ("/-/inspector.css", "text/css"),
            ] {
                let answer = try site.get(target)
                #expect(answer.status == 200)
                #expect(answer["Content-Type"]?.hasPrefix(type) == true)
                let policy = answer["Content-Security-Policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
                #expect(!policy.contains("unsafe"))
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(!answer.body.contains("http://") && !answer.body.contains("https://"))
            }
        }
        try await World.run { _, site in
            let refused = try site.get("/-/")
            #expect(refused.problem("code") == "admin_only")
        }
    }

    @Test func `66.7 On the loopback everything but the page wants a token`() async throws {
        func configure(_ configuration: inout GatewayConfiguration) {
            configuration.audience = .admins
            configuration.bearerToken = "s3cret"
        }
        try await World.run(configure, control: FakeControl()) { _, site in
            for target in ["/-/", "/-/inspector.js", "/-/health"] {
                #expect(try site.get(target).status == 200)
            }
            for target in ["/-/status", "/-/events", "/-/?a", "/-/resources", "/-/source"] {
                #expect(try site.get(target).status == 401, "\(target)")
            }
            #expect(try site.get("/-/reload", method: "POST").status == 401)
            #expect(try site.get("/-/status", fields: ["Authorization: Bearer s3cret"]).status == 200)
            let other = try site.connect()
            try other.send("GET /-/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            #expect(try other.answer().status == 421)
        }
        let world = await World.empty()
        for address in ["0.0.0.0:0", "127.0.0.2:0"] {
            var configuration = GatewayConfiguration()
            configure(&configuration)
            configuration.listen = [address]
            #expect(throws: GatewayError.self) { try Gateway(configuration, directory: world) }
        }
    }

    @Test func `66.8 Resources come in pages, with their paths and what keeps them`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            let held = await world.fill(["a", "c"])
            _ = try site.get("/github/b?x=1")
            await world.load("c")
            let page = try site.get("/-/resources?limit=1&offset=1")
            #expect(page.json?["total"]?.int == 3)
            #expect(page.json?["resources"]?[0]?["path"]?.string == "/b?x=1")
            #expect(page.json?["resources"]?[0]?["kept"] == [])
            #expect(try site.get("/-/resources?offset=-1").status == 400)
            #expect(held.count == 2)
        }
    }
}
