import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Clients that show a token of an issuer. `JSONWebTokenTests` has the forms and claims of tokens.
@Suite struct JWTTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private static let ed = TestIssuer.ed25519

    private func status(_ site: Site, _ token: String, _ target: String = "/github/a") throws -> Int {
        try site.get(target, fields: [IssuerStub.field(token)]).status
    }

    @Test(arguments: [TestIssuer.rsa, .ec256, .ed25519])
    func `A token lets its client in, by its sub`(issuer: TestIssuer) async throws {
        let stub = IssuerStub([issuer.key("a")])
        try await World.run(
            {
                stub.configure(&$0)
                $0.limits.perClient = GatewayRate(requests: 3, per: 60)
            }, automatic: Self.reply
        ) { _, site in
            let ada = issuer.token(IssuerStub.claims("ada"), id: "a")
            let client = try site.connect()
            for expected in [200, 200, 200, 429] {
                try client.send(
                    "GET /github/a HTTP/1.1\r\nHost: localhost\r\n\(IssuerStub.field(ada))\r\n\r\n")
                #expect(try client.answer().status == expected)
            }
            #expect(try status(site, ada) == 429)
            #expect(try status(site, issuer.token(IssuerStub.claims("grace"), id: "a")) == 200)
            #expect(stub.count == 1)
        }
    }

    @Test func `Requests behind the first one wait for its check, in their order`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        stub.hold()
        try await World.run(stub.configure, automatic: Self.reply) { _, site in
            let client = try site.connect()
            let field = IssuerStub.field(Self.ed.token(IssuerStub.claims(), id: "a"))
            let head = "HTTP/1.1\r\nHost: localhost\r\n"
            try client.send(
                "GET /github/a \(head)\(field)\r\n\r\nGET /github/a \(head)\r\nGET /nowhere/b \(head)\(field)\r\n\r\n"
            )
            #expect(try site.get("/-/health").status == 200)
            await yielding(until: "the keys are fetched") { stub.count == 1 }
            stub.release()
            #expect(try client.answer().status == 200)
            #expect(try client.answer().status == 401)
            #expect(try client.answer().status == 404)
        }
    }

    @Test func `RFC 6750 3 a refusal says why, and shows no part of the token`() async throws {
        let stub = IssuerStub([Self.ed.key("a"), TestIssuer.rsa.key("r")])
        try await World.run(
            {
                stub.configure(&$0)
                $0.apiKeys = GatewayKeys(
                    header: "X-Api-Key", keys: [GatewayToken(name: "k", secret: .text("k1"))])
            }, automatic: Self.reply
        ) { _, site in
            let good = Self.ed.token(IssuerStub.claims(), id: "a")
            let tokens = [
                ("garbage", "three parts of a JWT"), (good + "x", "signature"),
                (String(good.dropLast(4)) + "AAAA", "signature is not that of its key"),
                (Self.ed.token(IssuerStub.claims(for: -1), id: "a"), "expired"),
                (Self.ed.token(IssuerStub.claims(for: 9, #","nbf":1000001"#), id: "a"), "not valid yet"),
                (
                    Self.ed.token(#"{"iss":"https://issuer.example","aud":"shop","sub":"a"}"#, id: "a"),
                    "no time of expiry"
                ),
                (Self.ed.token(IssuerStub.claims().replacing("shop", with: "else"), id: "a"), "audience"),
                (Self.ed.token(IssuerStub.claims().replacing("issuer.", with: "other."), id: "a"), "issuer"),
                (Self.ed.token(IssuerStub.claims(), id: "a", algorithm: "none"), "algorithm"),
                (Self.ed.token(IssuerStub.claims(), id: "a", algorithm: "HS256"), "algorithm"),
                (Self.ed.token(IssuerStub.claims(), id: "a", header: [("crit", ["exp"])]), "(crit)"),
                // The key of another algorithm.
                (Self.ed.token(IssuerStub.claims(), id: "r"), "signature is not that of its key"),
                (TestIssuer.otherRSA.token(IssuerStub.claims(), id: "r"), "signature is not that of its key"),
                (TestIssuer.otherRSA.token(IssuerStub.claims()), "no known key has signed"),
                (
                    Self.ed.token(
                        IssuerStub.claims("a", for: 9, #","x":"\#(String(repeating: "x", count: 8000))""#)),
                    "longer than 8192"
                ),
            ]
            for (token, reason) in tokens {
                let answer = try site.get("/github/a", fields: [IssuerStub.field(token)])
                #expect(answer.status == 401)
                #expect(answer.problem("code") == "invalid_token")
                let why = answer.problem("detail") ?? ""
                #expect(why.contains(reason), "\(why)")
                #expect(
                    answer["WWW-Authenticate"]
                        == #"Bearer error="invalid_token", error_description="\#(why)""#)
                #expect(!answer.body.contains("ada") && !answer.body.contains(token.prefix(20)))
                // A key beside it is enough.
                let both = [IssuerStub.field(token), "X-Api-Key: k1"]
                #expect(try site.get("/github/a", fields: both).status == 200)
            }
            #expect(try site.get("/github/a")["WWW-Authenticate"] == "Bearer")
            #expect(try status(site, good) == 200)
        }
    }

    @Test func `A token ends at its exp, on an open connection too`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        try await World.run(stub.configure, automatic: Self.reply) { world, site in
            let client = try site.connect()
            let field = IssuerStub.field(Self.ed.token(IssuerStub.claims(for: 100), id: "a"))
            func status() throws -> Int {
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
                return try client.answer().status
            }
            #expect(try status() == 200)
            world.clock.advance(by: 59)
            #expect(try status() == 200)
            world.clock.advance(by: 40.5)
            #expect(try status() == 200)
            world.clock.advance(by: 0.5)
            #expect(try status() == 401)
            // The time of day alone may be set, too, which counts after a minute.
            let later = IssuerStub.field(Self.ed.token(IssuerStub.claims(for: 300), id: "a"))
            #expect(try site.get("/github/a", fields: [later]).status == 200)
            world.clock.set(by: 500)
            #expect(try site.get("/github/a", fields: [later]).status == 401)
        }
    }

    @Test
    func
        `A reload changes the rules and keeps the loaded keys`()
        async throws
    {
        let stub = IssuerStub([Self.ed.key("a")])
        try await World.run(
            {
                stub.configure(&$0)
                $0.jwt?.expose = ["github": ExposeRule(paths: ["/a"])]
            }, automatic: Self.reply
        ) { _, site in
            let token = Self.ed.token(IssuerStub.claims(for: 9, #","scope":"read""#), id: "a")
            #expect(try status(site, token) == 200)
            #expect(try status(site, token, "/github/b") == 404)
            #expect(try status(site, token, "/-/resources") == 403)
            stub.fail()
            var update = site.gateway.configuration
            update.jwt?.expose = nil
            update.jwt?.isOperator = true
            update.tokens = [GatewayToken(name: "first", secret: .text("t"))]
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try status(site, token, "/github/b") == 200)
            #expect(try status(site, token, "/-/resources") != 403)
            #expect(stub.count == 1)
            update.jwt?.rules.required = [.value("scope", "write")]
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try status(site, token) == 401)
        }
    }

    @Test func `A check that is under way at a reload is done again`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        stub.hold()
        try await World.run(
            {
                stub.configure(&$0)
                $0.jwt?.expose = ["github": ExposeRule(paths: ["/a"])]
            }, automatic: Self.reply
        ) { _, site in
            let field = IssuerStub.field(Self.ed.token(IssuerStub.claims(), id: "a"))
            let client = try site.connect()
            try client.send("GET /github/b HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
            await yielding(until: "the keys are fetched") { stub.count == 1 }
            var update = site.gateway.configuration
            // The number of the token's clients in the old rules is that of this one now.
            update.tokens = [GatewayToken(name: "all", secret: .text("t"))]
            await site.gateway.commit(try site.gateway.prepare(update))
            stub.release()
            #expect(try client.answer().status == 404)
        }
    }

    @Test func `A stream ends with its token`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        try await World.run(stub.configure, automatic: Self.reply) { world, site in
            let field = IssuerStub.field(Self.ed.token(IssuerStub.claims(for: 100), id: "a"))
            let client = try site.connect()
            try client.send(
                "GET /github/a HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(field)\r\n\r\n")
            #expect(try client.headAlone().status == 200)
            world.clock.advance(by: 70)
            await site.gateway.sweep(times: 1)
            await yielding(until: "the stream has a client") { await world.isObserved("a") }
            world.clock.advance(by: 31)
            await site.gateway.sweep(times: 1)
            _ = try client.rest()
            await world.waitUntilUnobserved("a")
        }
    }
}
