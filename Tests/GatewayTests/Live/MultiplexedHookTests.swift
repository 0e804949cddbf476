import NIOCore
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Hooks, partitions and the IDs of requests over HTTP/2 (rules 63 with 72, 74 and 77).
@Suite struct MultiplexedHookTests {
    /// The partition is the value of a field.
    private static let byUser = GatewayHook(
        template: "/github/**", methods: nil,
        action: .before { request, forward, completion in
            completion(.success(.proceed(forward: forward, partition: request.headers["X-User"])))
        })

    @Test func `63.1 77.3 each stream has the partition that its hook chose`() async throws {
        let numbers = AnswerNumbers()
        try await MultiplexingTests().run(
            { $0.hooks = [Self.byUser, HeldHook.seen] }, automatic: numbers.reply
        ) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            var tags: [String: String] = [:]
            for (user, body) in [("ada", "[1]"), ("bob", "[2]"), ("ada", "[1]")] {
                let answer = try await client.get("/github/a", [("x-user", user)])
                #expect(answer.status == 200 && answer.body == body)
                #expect(answer["x-seen"] == "\(user) 200" && answer["cache-control"] == "private, max-age=30")
                // HTTP/2 has no capital letters in names (RFC 9113 8.2.1).
                #expect(answer.fields.allSatisfy { $0.name == $0.name.lowercased() })
                tags[user] = answer["etag"]
            }
            var streams: [(user: String, answer: PendingAnswer)] = []
            for number in 0..<30 {
                let user = number % 2 == 0 ? "ada" : "bob"
                let head = MultiplexedClient.head("GET", "/github/a", [("x-user", user)])
                streams.append((user, try await client.begin(head).answer))
            }
            for (user, answer) in streams {
                #expect(try await answer.get().body == (user == "ada" ? "[1]" : "[2]"))
            }
            let ada = try #require(tags["ada"])
            let same = try await client.get("/github/a", [("x-user", "ada"), ("if-none-match", ada)])
            #expect(same.status == 304 && same["x-seen"] == "ada 304" && same.body.isEmpty)
            let other = try await client.get("/github/a", [("x-user", "bob"), ("if-none-match", ada)])
            #expect(other.status == 200 && other.body == "[2]")
            let head = try await client.get("/github/a", method: "HEAD", [("x-user", "bob")])
            #expect(head["content-length"] == "3" && head["x-seen"] == "bob 200" && head.body.isEmpty)
            #expect(await numbers.last == 2)
        }
    }

    @Test func `63.1 77.5 the credentials of each stream make its partition, and go to the API`() async throws
    {
        try await MultiplexingTests().run(
            {
                $0.forwardedHeaders = ["Authorization", "Cookie"]
                $0.forwardedCredentials = ["Authorization", "Cookie"]
            },
            automatic: { request in
                let who = request.headers["Authorization"] ?? request.headers["Cookie"] ?? "nobody"
                return .success(.stub(#"["\#(who)"]"#))
            }
        ) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (ada, bob) = (("authorization", "Basic YQ=="), ("authorization", "Basic Yg=="))
            let clients: [([(String, String)], String)] = [
                ([], "nobody"), ([ada], "Basic YQ=="), ([bob], "Basic Yg=="),
                // Pieces of one field (RFC 9113 8.2.3).
                ([("cookie", "a=1"), ("cookie", "b=2")], "a=1; b=2"), ([("cookie", "a=1; b=2")], "a=1; b=2"),
            ]
            for _ in 1...2 {
                for (fields, who) in clients {
                    #expect(try await client.get("/github/me", fields).body == #"["\#(who)"]"#)
                }
            }
            #expect(await world.transport.requests.count == 4)
            var streams: [(who: String, answer: PendingAnswer)] = []
            for number in 0..<40 {
                let (fields, who) = clients[number % clients.count]
                let head = MultiplexedClient.head("GET", "/github/me", fields)
                streams.append((who, try await client.begin(head).answer))
            }
            for (who, answer) in streams { #expect(try await answer.get().body == #"["\#(who)"]"#) }
            let own = try await client.get("/github/me", [ada])
            #expect(own["cache-control"] == "private, max-age=30")
            #expect(own["cache-status"]?.contains("hit") == true)
            #expect(try await client.get("/github/me")["cache-control"] == "max-age=30")
        }
    }

    @Test func `63.1 74.2 a load that several streams wait for has the ID of the first`() async throws {
        try await MultiplexingTests().run({ $0.trustedProxies = ["127.0.0.1"] }, automatic: nil) {
            world, site in
            let client = try await MultiplexedClient(port: site.port)
            var streams: [PendingAnswer] = []
            for number in 1...3 {
                let head = MultiplexedClient.head("GET", "/github/a", [("x-request-id", "id-\(number)")])
                streams.append(try await client.begin(head).answer)
                await world.waitForReads(number)
            }
            await world.transport.waitForRequests(1)
            await world.reply("[1]")
            for (number, answer) in streams.enumerated() {
                #expect(try await answer.get()["x-request-id"] == "id-\(number + 1)")
            }
            #expect(await world.transport.requests.map { $0.headers["X-Request-Id"] } == ["id-1"])
        }
    }

    @Test func `63.2 72.3 a body comes while the hook of its stream waits, and other streams go on`()
        async throws
    {
        let held = HeldHook()
        try await MultiplexingTests().run(
            { $0.hooks = [held.hook("/github/**")] },
            automatic: { request in
                .success(.stub(String(decoding: request.body ?? [], as: UTF8.self), type: "text/plain"))
            }
        ) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (answer, _) = try await client.begin(
                MultiplexedClient.head("POST", "/github/a"), body: [Array("ab".utf8), Array("cd".utf8)])
            await held.seen()
            #expect(try await client.get("/-/health").status == 200)
            #expect(await world.transport.requests.isEmpty)
            await held.goOn(adding: ("X-Tenant", "t"))
            #expect(try await answer.get().body == "abcd")
            #expect(await world.transport.requests.map { $0.headers["X-Tenant"] } == ["t"])
        }
    }

    @Test func `63.7 72.1 a stream that is reset while its hook waits asks no API`() async throws {
        let held = HeldHook()
        let ends = AccessList()
        try await MultiplexingTests().run(
            {
                $0.hooks = [held.hook("/github/**")]
                $0.accessLog = ends.append
            }, automatic: nil
        ) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (answer, stream) = try await client.begin(MultiplexedClient.head("GET", "/github/a"))
            await held.seen()
            stream.close(promise: nil)
            await yielding(until: "its end is noted") { !ends.lines.isEmpty }
            // The end of the stream reaches the engine before this request does.
            #expect(try await client.get("/-/health").status == 200)
            await held.goOn(in: "ada")
            await world.settle()
            #expect(try await client.get("/-/health").status == 200)
            #expect(await world.transport.requests.isEmpty)
            #expect(ends.lines.first == "GET /github/a 499 0")
            await #expect(throws: (any Error).self) { try await answer.get() }
        }
    }

    @Test func `63.1 74.1 each stream has an ID of its own, or the one that its client chose`() async throws {
        let numbers = AnswerNumbers()
        try await MultiplexingTests().run(
            { $0.trustedProxies = ["127.0.0.1"] }, automatic: numbers.reply
        ) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            func id(_ path: String, _ fields: [(String, String)] = []) async throws -> String? {
                try await client.get(path, fields)["x-request-id"]
            }
            let chosen = ("x-request-id", "front.1_a-Z")
            #expect(try await id("/github/a", [chosen]) == chosen.1)
            let (first, second) = (try await id("/github/b"), try await id("/github/c"))
            let twice = try await id("/github/d", [chosen, ("x-request-id", "other")])
            #expect(Set([first, second, twice, chosen.1]).count == 4)
            #expect([first, second, twice].allSatisfy { $0.map { RequestID.isValid($0) } ?? false })
            let sent = await world.transport.requests.map { $0.headers["X-Request-Id"] }
            #expect(sent == [chosen.1, first, second, twice])
            // From memory.
            #expect(try await id("/github/a", [("x-request-id", "again")]) == "again")
            #expect(try await id("/github/a") == nil)
            let problem = try await client.get("/nothing/a", [chosen])
            #expect(problem.status == 404 && problem.problem("request_id") == chosen.1)
            #expect(await numbers.last == 4)
        }
    }
}
