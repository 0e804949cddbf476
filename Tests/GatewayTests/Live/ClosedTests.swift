import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Access of clients (rules 55).
@Suite struct ClosedTests {
    private static func reply(_ request: TransportRequest) -> TransportResult { .success(.stub("[1]")) }

    @Test func `55.1 Each token reaches what it is for, known by its text or its hash`() async throws {
        try await World.run(
            {
                $0.expose = ["github": ExposeRule(methods: ["GET", "POST"])]
                $0.tokens = [
                    GatewayToken(name: "all", secret: .text("abc")),
                    // The hash of `printf def | sha256sum`.
                    GatewayToken(
                        name: "users",
                        secret: .sha256(HashFunction.sha256.digest(of: Array("def".utf8)) ?? []),
                        expose: ["github": ExposeRule(paths: ["/users/*"], methods: ["GET", "DELETE"])]),
                ]
            }, automatic: Self.reply
        ) { _, site in
            let client = try site.connect()
            func status(_ method: String, _ target: String, _ token: String?) throws -> Int {
                let field = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
                try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
                return try client.answer().status
            }
            for _ in 0..<2 {
                #expect(try status("GET", "/github/a", "abc") == 200)
                #expect(try status("POST", "/github/a", "abc") == 200)
                #expect(try status("GET", "/github/users/1", "abc") == 200)
                #expect(try status("GET", "/github/users/1", "def") == 200)
                #expect(try status("GET", "/github/a", "def") == 404)
                #expect(try status("POST", "/github/users/1", "def") == 405)
                #expect(try status("DELETE", "/github/users/1", "def") == 405)
                #expect(try status("GET", "/github/a", nil) == 401)
                for token in ["deg", ""] { #expect(try status("GET", "/github/a", token) == 401) }
            }
        }
    }

    @Test(arguments: [
        ("1", 200), ("1%2F2", 404), ("1%252f2", 404), ("1%2f", 404), ("a%20b", 200), ("..%2f1", 400),
    ])
    func `55.8 An escaped slash ends a segment for what a token may reach`(_ id: String, _ status: Int)
        async throws
    {
        try await World.run(
            {
                $0.tokens = [
                    GatewayToken(
                        name: "orders", secret: .text("o"),
                        expose: ["github": ExposeRule(paths: ["/orders/*"])]),
                    GatewayToken(
                        name: "all", secret: .text("a"),
                        expose: ["github": ExposeRule(paths: ["/orders/**"])]),
                ]
            }, automatic: Self.reply
        ) { _, site in
            let answer = try site.get("/github/orders/\(id)", fields: ["Authorization: Bearer o"])
            #expect(answer.status == status)
            let all = try site.get("/github/orders/\(id)", fields: ["Authorization: Bearer a"])
            #expect(all.status == (status == 400 ? 400 : 200))
        }
    }

    @Test func `55.2 Each listener shows what it is for`() async throws {
        try await World.run(
            {
                $0.listen = ["127.0.0.1:0", "[::1]:0"]
                $0.listenerPolicy = ["[::1]:0": ["github": ExposeRule(paths: ["/users/*"])]]
            }, automatic: Self.reply
        ) { _, site in
            let second = try Client(port6: site.port(of: site.addresses[1]))
            func status(_ target: String) throws -> Int {
                try second.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try second.answer().status
            }
            #expect(try site.get("/github/a").status == 200)
            #expect(try status("/github/a") == 404)
            #expect(try status("/github/users/1") == 200)
            #expect(try site.get("/github/a").status == 200)
        }
    }

    @Test func `55.3 A page of another origin changes nothing, and reads what it is let`() async throws {
        try await World.run(
            {
                $0.expose = ["github": ExposeRule(methods: ["GET", "POST", "PUT"])]
            }, automatic: Self.reply
        ) { world, site in
            for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
                let refused = try site.get("/github/a", method: "POST", fields: ["Origin: \(origin)"])
                #expect(refused.status == 403)
                #expect(refused.problem("code") == "cross_origin")
            }
            #expect(await world.transport.requests.isEmpty)
            #expect(
                try site.get("/github/a", method: "POST", fields: ["Origin: http://localhost"]).status == 200)
            let read = try site.get("/github/a", fields: ["Origin: https://evil.example"])
            #expect(read.status == 200)
            #expect(read["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test func `55.4 CORS tells a listed page that it may`() async throws {
        try await World.run(
            {
                $0.expose = ["github": ExposeRule(methods: ["GET", "POST", "PUT"])]
                $0.bearerToken = "abc"
                var cors = GatewayCORS(origins: ["https://app.example"])
                cors.methods = ["PUT"]
                cors.headers = ["Content-Type", "Authorization"]
                cors.allowsCredentials = true
                cors.maxAge = 60
                $0.cors = cors
            }, automatic: Self.reply
        ) { _, site in
            let asked = [
                "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: content-type",
            ]
            let preflight = try site.get(
                "/github/a", method: "OPTIONS", fields: ["Origin: https://app.example"] + asked)
            #expect(preflight.status == 204)
            #expect(preflight["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(preflight["Access-Control-Allow-Methods"] == "GET, POST, PUT")
            #expect(preflight["Access-Control-Allow-Headers"] == "Content-Type, Authorization")
            #expect(preflight["Access-Control-Allow-Credentials"] == "true")
            #expect(preflight["Access-Control-Max-Age"] == "60")
            #expect(preflight["Vary"] == "Origin")
            let other = try site.get(
                "/github/a", method: "OPTIONS", fields: ["Origin: https://evil.example"] + asked)
            #expect(other.status == 403)
            #expect(other["Access-Control-Allow-Origin"] == nil)
            for _ in 0..<2 {
                let read = try site.get(
                    "/github/a", fields: ["Origin: https://app.example", "Authorization: Bearer abc"])
                #expect(read.status == 200)
                #expect(read["Access-Control-Allow-Origin"] == "https://app.example")
                let exposed = read["Access-Control-Expose-Headers"]?.split(separator: ", ") ?? []
                for name in ["ETag", "Content-Range", "Accept-Ranges", "WWW-Authenticate"] {
                    #expect(exposed.contains(Substring(name)))
                }
            }
            // A page can read the reason of a refusal.
            let refused = try site.get("/github/a", fields: ["Origin: https://app.example"])
            #expect(refused.status == 401)
            #expect(refused["Access-Control-Allow-Origin"] == "https://app.example")
        }
    }

    @Test(arguments: [
        (["*"], true, ["GET"]), (["https://a.example/path"], false, []), (["a.example"], false, []),
        ([], false, []),
        (["*"], false, ["a b"]),
    ])
    func `55.5 Rules for pages that make no sense are refused`(
        _ origins: [String], _ credentials: Bool, _ methods: [String]
    ) {
        var configuration = GatewayConfiguration()
        var cors = GatewayCORS(origins: origins)
        cors.allowsCredentials = credentials
        cors.methods = methods
        configuration.cors = cors
        #expect(throws: GatewayError.self) { try configuration.check() }
    }

    @Test func `55.6 A client that asks too often gets Retry-After`() async throws {
        try await World.run(
            {
                $0.limits.perClient = GatewayRate(requests: 1, per: 3600, burst: 2)
                $0.tokens = [
                    GatewayToken(name: "a", secret: .text("a")), GatewayToken(name: "b", secret: .text("b")),
                ]
            }, automatic: Self.reply
        ) { _, site in
            func get(_ token: String) throws -> Answer {
                try site.get("/github/a", fields: ["Authorization: Bearer \(token)"])
            }
            #expect(try get("a").status == 200)
            #expect(try get("a").status == 200)
            let refused = try get("a")
            #expect(refused.status == 429)
            let wait = refused["Retry-After"].flatMap { Int($0) } ?? 0
            #expect((3590...3600).contains(wait))
            #expect(try get("b").status == 200)
            #expect(try site.get("/-/health").status == 200)
        }
    }

    @Test func `55.7 A client has so many requests under way, and memory and health count as none`()
        async throws
    {
        try await World.run({
            $0.limits.requestsPerClient = 1
            // With one thread all clients share the remembered answers.
            $0.threads = 1
            $0.tokens = [
                GatewayToken(name: "a", secret: .text("a")), GatewayToken(name: "b", secret: .text("b")),
            ]
        }) { world, site in
            await world.override("hot", content: .json([1]))
            func ask(_ target: String, _ token: String, on client: Client) throws {
                try client.send(
                    "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
            }
            func status(_ target: String, _ token: String) throws -> Int {
                try site.get(target, fields: ["Authorization: Bearer \(token)"]).status
            }
            #expect(try status("/github/hot", "a") == 200)
            let first = try site.connect()
            try ask("/github/slow", "a", on: first)
            await world.transport.waitForRequests(1)
            let refused = try site.get("/github/other", fields: ["Authorization: Bearer a"])
            #expect(refused.status == 429 && refused["Retry-After"] == "1")
            #expect(refused.problem("code") == "too_many_requests")
            #expect(try status("/github/hot", "a") == 200)
            let anew = ["Authorization: Bearer a", "Cache-Control: no-cache"]
            #expect(try site.get("/github/hot", fields: anew).status == 429, "this one asks the API")
            #expect(try status("/-/health", "a") == 200)
            #expect(try status("/-/status", "a") != 429)
            let other = try site.connect()
            try ask("/github/other", "b", on: other)
            await world.transport.waitForRequests(2)
            await world.reply("[2]")
            await world.reply("[3]")
            #expect(try first.answer().status == 200)
            #expect(try other.answer().status == 200)
            // The slot is free again.
            try ask("/github/next", "a", on: first)
            await world.transport.waitForRequests(3)
            await world.reply("[4]")
            #expect(try first.answer().status == 200)
        }
    }

    @Test func `55.7 A client has so many streams, which count as no requests`() async throws {
        try await World.run({
            $0.limits.requestsPerClient = 1
            $0.limits.streamsPerClient = 1
        }) { world, site in
            await world.override("a", content: .json([1]))
            await world.override("b", content: .json([1]))
            var stream: StreamClient? = try StreamTests.open(site, "/github/a")
            #expect(try stream?.head().status == 200)
            #expect(try site.get("/github/b").status == 200)
            #expect(try site.get("/github/b", fields: ["Accept: text/event-stream"]).status == 429)
            stream = nil
            // The slot is free once the gateway has noticed that the client has gone.
            await world.waitUntilUnobserved("a")
            var status = 429
            try await yielding(until: "a place is free") {
                let next = try StreamTests.open(site, "/github/b")
                status = try next.head().status
                return status != 429
            }
            #expect(status == 200)
        }
    }
}
