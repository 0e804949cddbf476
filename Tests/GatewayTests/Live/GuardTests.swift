import RestEngine
import Testing

@testable import Gateway

@Suite struct GuardTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    @Test func `Only names of this gateway are answered`() async throws {
        try await World.run({ $0.serverNames = ["api.internal"] }, automatic: Self.reply) { _, site in
            let names = [
                "localhost": 200, "LOCALHOST:1234": 200, "127.0.0.1:\(site.port)": 200, "[::1]:80": 200,
                "api.internal:8080": 200, "evil.example": 421, "localhost.evil.example": 421, "": 421,
                "localhost:80:80": 421, "localhost:": 200, "localhost:65535": 200, "localhost:65536": 421,
                "localhost:99999999999999999": 421, "[::1]:65536": 421, "me@localhost": 421, "127.0.0.2": 421,
                "localhost:x": 421,
            ]
            for (name, status) in names {
                let client = try site.connect()
                try client.send("GET /github/a HTTP/1.1\r\nHost: \(name)\r\n\r\n")
                #expect(try client.answer().status == status, "\(name)")
            }
        }
    }

    @Test func `The refusal of a name says how to list it`() async throws {
        try await World.run { _, site in
            func detail(_ host: String) throws -> String? {
                let client = try site.connect()
                try client.send("GET /github/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return try client.answer().problem("detail")
            }
            let named = try detail("API.internal:8080")
            #expect(
                named
                    == "this gateway does not answer to 'api.internal', the name in Host: if it is its own, list it, "
                    + #"rest.gateway { server_names = { "api.internal" } }"#)
            let odd = try detail("a@b\"")
            #expect(odd == "this gateway does not answer to the name in Host")
        }
    }

    @Test func `RFC 9110 9.3.7 OPTIONS for the server as a whole says what it knows`() async throws {
        try await World.run({ $0.bearerToken = "x" }) { _, site in
            let client = try site.connect()
            for _ in 0..<2 {
                try client.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n")
                let answer = try client.answer()
                #expect(answer.status == 204)
                #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
                #expect(answer["Content-Length"] == nil)
            }
            #expect(try site.get("*", method: "OPTIONS").status == 401)
            #expect(try site.get("*", method: "GET").status == 400)
        }
    }

    @Test func `With a token set, nothing is answered without it`() async throws {
        try await World.run({ $0.bearerToken = "s3cret" }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            func status(_ authorization: String?) throws -> Int {
                let field = authorization.map { "Authorization: \($0)\r\n" } ?? ""
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
                let answer = try client.answer()
                #expect(answer["WWW-Authenticate"] == (answer.status == 401 ? "Bearer" : nil))
                #expect(!answer.body.contains("s3cret"))
                return answer.status
            }
            let expected: [(String?, Int)] = [
                (nil, 401), ("Bearer s3cret", 200), (nil, 401), ("bearer  s3cret", 200),
                ("Bearer s3cre", 401),
                ("Bearer s3cretx", 401), ("Bearer S3cret", 401), ("Basic s3cret", 401), ("Bearer ", 401),
            ]
            for (authorization, wanted) in expected { #expect(try status(authorization) == wanted) }
            #expect(try site.get("/-/services").status == 401)
            #expect(try site.get("/-/health").body == #"{"status":"ok"}"#)
        }
    }

    @Test func `Only what is exposed is there`() async throws {
        let expose = [
            "github": ExposeRule(paths: ["/users/**", "repos/*"], methods: ["GET"])
        ]
        try await World.run({ $0.expose = expose }, automatic: Self.reply) { world, site in
            await world.add("weather", "https://w.example")
            #expect(try site.get("/github/users/a/b?c=d").status == 200)
            #expect(try site.get("/github/repos/a").status == 200)
            #expect(try site.get("/github/repos/a/b").problem("code") == "not_exposed")
            #expect(try site.get("/github/gists").status == 404)
            let head = try site.get("/github/users/a/b?c=d", method: "HEAD")
            #expect(head.status == 405)
            #expect(head["Allow"] == "GET, OPTIONS")
            let hidden = try site.get("/weather/a")
            #expect(hidden.status == 404)
            #expect(hidden.json?["services"] == ["github"])
        }
    }

    @Test func `Rules that make no sense stop the gateway before it starts`() async {
        let world = await World.empty()
        for rule in [ExposeRule(paths: ["a#b"]), ExposeRule(methods: ["G T"])] {
            var configuration = GatewayConfiguration()
            configuration.expose = ["github": rule]
            #expect(throws: GatewayError.self) { try Gateway(configuration, directory: world) }
        }
    }

    @Test func `Other methods are refused with those that work`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            #expect(try site.get("/github/a", method: "BREW").status == 501)
            for method in ["POST", "TRACE"] {
                let answer = try site.get("/github/a", method: method)
                #expect(answer.status == 405)
                #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
            }
            #expect(try site.get("/-/health", method: "DELETE").status == 405)
            for body in ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
                for (target, allowed) in [("/github/a", "GET, HEAD, OPTIONS"), ("/-/health", "GET, HEAD")] {
                    let client = try site.connect()
                    try client.send("POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(body)")
                    let answer = try client.answer()
                    #expect(answer.status == 405)
                    #expect(answer["Allow"] == allowed)
                    #expect(answer["Connection"] == "close")
                    #expect(try client.isClosed())
                }
            }
        }
    }
}
