import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The IDs of requests (rules 74).
@Suite struct RequestIDTests {
    private static let chosen = "X-Request-Id: front.1_a-Z"

    private static func answer(_ request: TransportRequest) -> TransportResult { .success(.stub("[1]")) }

    private static func ids(sentBy world: World) async -> [String?] {
        await world.transport.requests.map { $0.headers["X-Request-Id"] }
    }

    @Test func `74.1 an ID is made for a client that may not choose one`() async throws {
        try await World.run(automatic: Self.answer) { world, site in
            let first = try #require(try site.get("/github/a", fields: [Self.chosen])["X-Request-Id"])
            let second = try #require(try site.get("/github/b")["X-Request-Id"])
            #expect(first != second && RequestID.isValid(first) && first != "front.1_a-Z")
            #expect(await Self.ids(sentBy: world) == [first, second])
        }
    }

    @Test(arguments: [true, false])
    func `74.1 trusted proxies and clients that showed a token choose the ID`(isProxy: Bool) async throws {
        try await World.run(
            {
                if isProxy {
                    $0.trustedProxies = ["127.0.0.1"]
                } else {
                    $0.bearerToken = "secret"
                }
            }, automatic: Self.answer
        ) { world, site in
            let token = isProxy ? [] : ["Authorization: Bearer secret"]
            #expect(
                try site.get("/github/a", fields: token + [Self.chosen])["X-Request-Id"] == "front.1_a-Z")
            #expect(await Self.ids(sentBy: world) == ["front.1_a-Z"])
            for bad in ["", "a b", "ä", String(repeating: "x", count: 129), "a,b"] {
                let id = try site.get("/github/a", fields: token + ["X-Request-Id: \(bad)"])["X-Request-Id"]
                #expect(id != bad)
            }
            let twice = try site.get("/github/b", fields: token + [Self.chosen, Self.chosen])
            #expect(twice["X-Request-Id"] != "front.1_a-Z", "two fields are no choice")
            let longest = String(repeating: "x", count: 128)
            #expect(
                try site.get("/github/c", fields: token + ["X-Request-Id: \(longest)"])["X-Request-Id"]
                    == longest)
            guard !isProxy else { return }
            let refused = try site.get("/github/a", fields: [Self.chosen])
            #expect(refused.status == 401 && refused["X-Request-Id"] != "front.1_a-Z")
        }
    }

    @Test func `74.3 an answer from memory has an ID if the client chose one, or if there is a log`()
        async throws
    {
        for hasLog in [false, true] {
            let records = Mutex<[String?]>([])
            try await World.run(
                {
                    ($0.threads, $0.trustedProxies) = (1, ["127.0.0.1"])
                    if hasLog {
                        $0.accessLog = { record in records.withLock { $0.append(record.requestID) } }
                    }
                }, automatic: Self.answer
            ) { _, site in
                var ids = [try site.get("/github/a")["X-Request-Id"]]
                let hot = try site.get("/github/a")
                #expect(
                    (hot["X-Request-Id"] != nil) == hasLog && hot["Cache-Status"]?.contains("hit") == true)
                ids.append(hot["X-Request-Id"])
                for fields in [[], ["Accept: application/json"], ["Accept-Encoding: gzip"]] {
                    let named = try site.get("/github/a", fields: fields + [Self.chosen])
                    #expect(named["X-Request-Id"] == "front.1_a-Z" && named.body == "[1]")
                    ids.append(named["X-Request-Id"])
                }
                guard hasLog else { return }
                await yielding(until: "five records") { records.withLock { $0.count == ids.count } }
                #expect(records.withLock { $0 } == ids)
            }
        }
    }

    @Test func `74.2 a joined load has the ID of the first client, whose answers have their own`()
        async throws
    {
        try await World.run({ $0.trustedProxies = ["127.0.0.1"] }) { world, site in
            let clients = try ["one", "two"].map { id in
                let client = try site.connect()
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: \(id)\r\n\r\n")
                return client
            }
            await world.waitForReads(2)
            await world.transport.waitForRequests(1)
            await world.reply("[1]")
            let answered = try clients.map { try $0.answer()["X-Request-Id"] ?? "" }
            #expect(Set(answered) == ["one", "two"])
            let sent = await Self.ids(sentBy: world)
            #expect(sent == ["one"] || sent == ["two"])
        }
    }

    @Test func `74.3 a problem tells the ID, and so does the failure in the log`() async throws {
        let failures = Noted<GatewayFailure>()
        try await World.run(
            {
                $0.trustedProxies = ["127.0.0.1"]
                $0.onFailure = { failures.add($0) }
            }, automatic: { _ in .success(.stub("no", status: 503)) }
        ) { _, site in
            let failed = try site.get("/github/a", fields: [Self.chosen])
            #expect(failed.status == 503 && failed.body.contains(#""request_id":"front.1_a-Z""#))
            #expect(failed["Content-Length"] == "\(failed.body.utf8.count)")
            let unknown = try site.get("/nothing/a")
            let id = try #require(unknown["X-Request-Id"])
            #expect(unknown.body.contains(#""request_id":"\#(id)""#))
            let client = try site.connect()
            try client.send("no request\r\n\r\n")
            let broken = try client.answer()
            #expect(broken.status == 400 && broken["X-Request-Id"] != nil)
        }
        #expect(failures.all.map(\.requestID) == ["front.1_a-Z"])
    }

    @Test(arguments: [nil, 60.0])
    func `74.2 requests that a route makes have its client's ID`(keeping: Double?) async throws {
        let directory = Noted<World>()
        defer { directory.clear() }
        try await World.run(
            {
                $0.trustedProxies = ["127.0.0.1"]
                $0.routes = [
                    GatewayRoute(method: "GET", template: "/mine", expirationSeconds: keeping) {
                        request, completion in
                        guard let world = directory.all.first else { return }
                        let id = request.origin?.id ?? ""
                        world.loaded("a") { completion(.success(.content(Self.entity(id)))) }
                    }
                ]
            }, automatic: Self.answer
        ) { world, site in
            directory.add(world)
            let answer = try site.get("/mine", fields: [Self.chosen])
            #expect(answer.body.contains("front.1_a-Z") && answer["X-Request-Id"] == "front.1_a-Z")
            #expect(await Self.ids(sentBy: world) == ["front.1_a-Z"])
        }
    }

    private static func entity(_ text: String) -> Entity {
        Entity(
            content: .text(text), contentType: "text/plain",
            headers: Headers([("X-Request-Id", "mine")]), timestamp: 0)
    }

    @Test func `74.3 neither a route nor an API nor a hook replaces the ID of an answer`() async throws {
        func after(_ request: ServedRequest, _ head: ServedHead) -> ServedHead {
            var head = head
            #expect(!head.headers.contains("X-Request-Id"))
            head.headers.set("X-Seen", "1")
            return head
        }
        try await World.run(
            {
                $0.trustedProxies = ["127.0.0.1"]
                $0.routes = [
                    GatewayRoute(method: "GET", template: "/mine", expirationSeconds: nil) { _, completion in
                        completion(.success(.content(Self.entity("x"))))
                    }
                ]
                $0.hooks = [
                    GatewayHook(
                        template: "/**", methods: nil,
                        action: .after { request, head, completion in
                            completion(.success(after(request, head)))
                        })
                ]
            },
            automatic: { _ in
                .success(
                    TransportResponse(
                        status: 200,
                        headers: Headers([("Content-Type", "application/json"), ("X-Request-Id", "apis")]),
                        body: Array("[1]".utf8)))
            }
        ) { _, site in
            for path in ["/mine", "/github/a"] {
                let answer = try site.get(path, fields: [Self.chosen])
                #expect(answer["X-Request-Id"] == "front.1_a-Z" && answer["X-Seen"] == "1")
            }
        }
        var configuration = GatewayConfiguration()
        configuration.keptHeaders = ["x-request-id"]
        #expect(throws: GatewayError.self) { try configuration.check() }
        configuration.keptHeaders = []
        configuration.forwardedHeaders = ["X-Request-Id"]
        #expect(throws: GatewayError.self) { try configuration.check() }
    }
}

private final class Noted<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    func clear() { values.withLock { $0 = [] } }
}

extension World {
    /// Loads a resource in the scope of the caller.
    @EngineActor
    fileprivate func loaded(_ path: String, _ then: @escaping @EngineActor () -> Void) {
        // The load begins in a later tick, as that of a function which waits does.
        engine.scheduler.nextTick { [self] in
            service(named: "github")?.resource(path).load().onCompletion { _ in then() }
        }
        settle()
    }
}
