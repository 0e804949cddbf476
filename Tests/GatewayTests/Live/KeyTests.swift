import RestEngine
import Testing

@testable import Gateway

/// Clients that send an API key in a header of their own.
@Suite struct KeyTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private static func keys(_ header: String = "X-Api-Key") -> GatewayKeys {
        GatewayKeys(
            header: header,
            keys: [
                GatewayToken(
                    name: "page", secret: .text("k1"), expose: ["github": ExposeRule(paths: ["/a"])]),
                GatewayToken(
                    name: "backend", secret: .sha256(HashFunction.sha256.digest(of: Array("k2".utf8)) ?? []),
                    isOperator: true),
            ])
    }

    @Test func `A key lets its client in, with the client's own access`() async throws {
        try await World.run({ $0.apiKeys = Self.keys() }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            func status(_ fields: [String], _ target: String = "/github/a") throws -> Int {
                try client.send(
                    "GET \(target) HTTP/1.1\r\nHost: localhost\r\n"
                        + fields.map { "\($0)\r\n" }.joined() + "\r\n")
                return try client.answer().status
            }
            for _ in 0..<3 {
                #expect(try status(["X-Api-Key: k1"]) == 200)
                #expect(try status(["x-api-KEY:k2  "]) == 200)
                #expect(try status([]) == 401)
                #expect(try status(["X-Api-Key: k1x"]) == 401)
                #expect(try status(["X-Api-Key: k1", "X-Api-Key: k1"]) == 401)
                #expect(try status(["X-Api-Key: k1", "X-Api-Key2: other"]) == 200)
                #expect(try status(["X-Api-Key: k1"], "/github/b") == 404)
                #expect(try status(["X-Api-Key: k2"], "/github/b") == 200)
                #expect(try status(["Authorization: Bearer k1"]) == 401)
                #expect(try status(["X-Api-Key: k2"], "/-/services") == 200)
            }
            #expect(try status(["X-Api-Key: k1"], "/-/resources") == 403)
            #expect(try status(["X-Api-Key: k2"], "/-/resources") != 403)
        }
    }

    @Test func `The refusal names each way in`() async throws {
        try await World.run({ $0.apiKeys = Self.keys("X-Shop-Key") }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == 401)
            #expect(answer["WWW-Authenticate"] == #"ApiKey header="X-Shop-Key""#)
            #expect(answer.problem("detail") == "an API key in X-Shop-Key is needed")
        }
        try await World.run({
            $0.bearerToken = "secret"
            $0.apiKeys = Self.keys()
        }) { _, site in
            let answer = try site.get("/github/a", fields: ["X-Api-Key: wrong"])
            #expect(
                answer.fields.filter { $0.name == "WWW-Authenticate" }.map(\.value)
                    == ["Bearer", #"ApiKey header="X-Api-Key""#])
            #expect(answer.problem("detail") == "a bearer token or an API key in X-Api-Key is needed")
            #expect(!answer.body.contains("wrong"))
        }
    }

    @Test func `The description of the paths names both ways in`() async throws {
        try await World.run({
            $0.bearerToken = "secret"
            $0.apiKeys = Self.keys()
        }) { _, site in
            let document = try site.get("/-/openapi.json", fields: ["X-Api-Key: k2"]).json
            #expect(document?["components"]?["securitySchemes"]?["key"]?["name"]?.string == "X-Api-Key")
            #expect(document?["security"]?.count == 2)
        }
    }

    @Test func `A token goes before a key, and limits count by the client's name`() async throws {
        try await World.run(
            {
                $0.tokens = [GatewayToken(name: "token", secret: .text("t"))]
                $0.apiKeys = Self.keys()
                $0.limits.perClient = GatewayRate(requests: 1, per: 60)
            }, automatic: Self.reply
        ) { _, site in
            let both = ["Authorization: Bearer t", "X-Api-Key: k1"]
            let first = try site.get("/github/b", fields: both)
            #expect(first.status == 200)
            #expect(try site.get("/github/a", fields: both).status == 429)
            #expect(try site.get("/github/a", fields: ["X-Api-Key: k1"]).status == 200)
            #expect(try site.get("/github/a", fields: ["X-Api-Key: k1"]).status == 429)
            #expect(
                try site.get("/github/a", fields: ["Authorization: Bearer x", "X-Api-Key: k2"]).status == 200)
        }
    }

    @Test func `A route gets no key, and no other request sends one to the API`() async throws {
        try await World.run({
            $0.apiKeys = Self.keys("X-Shop-Key")
            $0.routes = [
                GatewayRoute(method: "GET", template: "/names", expirationSeconds: nil) { request, finish in
                    let names = request.headers.fields.map { $0.name.lowercased() }.sorted()
                    finish(
                        .success(
                            .content(Entity(content: .value(Tree(names.map { Tree($0) })), timestamp: 0))))
                }
            ]
        }) { _, site in
            let answer = try site.get(
                "/names", fields: ["X-Shop-Key: k2", "Authorization: Bearer k2", "X-Other: 1"])
            #expect(answer.body == #"["host","x-other"]"#)
        }
        var configuration = GatewayConfiguration()
        configuration.apiKeys = Self.keys("X-Shop-Id")
        configuration.forwardedHeaders = ["x-shop-id"]
        #expect(throws: GatewayError.badHeader("'x-shop-id' carries the gateway's own API keys")) {
            try configuration.check()
        }
    }

    @Test(arguments: ["Authorization", "cookie", "Host", "two words", "", "Connection"])
    func `Some headers can't carry keys`(header: String) {
        var configuration = GatewayConfiguration()
        configuration.apiKeys = Self.keys(header)
        #expect(throws: GatewayError.self) { try configuration.check() }
    }

    @Test func `A key that a reload removes stops working on open connections`() async throws {
        try await World.run({ $0.apiKeys = Self.keys() }, automatic: Self.reply) { _, site in
            let client = try site.connect()
            let request = "GET /github/a HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: k1\r\n\r\n"
            try client.send(request)
            #expect(try client.answer().status == 200)
            var update = site.gateway.configuration
            update.apiKeys?.keys.removeFirst()
            await site.gateway.commit(try site.gateway.prepare(update))
            try client.send(request)
            #expect(try client.answer().status == 401)
        }
    }
}
