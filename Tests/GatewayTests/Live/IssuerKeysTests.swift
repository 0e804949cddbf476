import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The keys of an issuer of tokens: loads, failures and changes.
@Suite struct IssuerKeysTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private static let ed = TestIssuer.ed25519

    private func status(_ site: Site, _ token: String, _ target: String = "/github/a") throws -> Int {
        try site.get(target, fields: [IssuerStub.field(token)]).status
    }

    @Test func `While the keys can't be loaded the answer is 503, or the known keys stay`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        stub.fail()
        try await World.run(stub.configure, automatic: Self.reply) { world, site in
            let token = Self.ed.token(IssuerStub.claims(for: 100_000), id: "a")
            let answer = try site.get("/github/a", fields: [IssuerStub.field(token)])
            #expect(answer.status == 503 && answer["Retry-After"] == "10")
            #expect(answer.problem("code") == "keys_unavailable")
            #expect(try status(site, token) == 503)
            #expect(stub.count == 1)
            #expect(
                stub.complaints == [
                    "the keys for tokens can't be loaded from https://issuer.example/keys: connection refused; tokens get 503"
                ])
            world.clock.advance(by: 10)
            stub.use([Self.ed.key("a")])
            #expect(try status(site, token) == 200)
            #expect(stub.count == 2)
            stub.fail()
            for _ in 0..<5 {
                world.clock.advance(by: 1000)
                #expect(try status(site, token) == 200)
            }
            #expect(stub.complaints.last?.hasSuffix("the known keys stay in use") == true)
            stub.answer(.success(Array(repeating: 0x20, count: 300 << 10)))
            world.clock.advance(by: 1000)
            #expect(try status(site, token) == 200)
            #expect(stub.complaints.last?.contains("is longer than 256 KiB") == true)
        }
    }

    @Test func `An unknown kid loads the keys again, once in 10 s`() async throws {
        let stub = IssuerStub([Self.ed.key("a")])
        try await World.run(stub.configure, automatic: Self.reply) { world, site in
            let old = Self.ed.token(IssuerStub.claims(), id: "a")
            let new = TestIssuer.ec256.token(IssuerStub.claims(), id: "b")
            let first = try status(site, old)
            #expect(first == 200)
            stub.use([Self.ed.key("a"), TestIssuer.ec256.key("b")])
            #expect(try status(site, new) == 401)
            #expect(stub.count == 1)
            world.clock.advance(by: 10)
            #expect(try status(site, new) == 200)
            #expect(stub.count == 2)
            for id in ["c", "d", "e"] {
                #expect(try status(site, TestIssuer.rsa.token(IssuerStub.claims(), id: id)) == 401)
            }
            #expect(stub.count == 2)
            world.clock.advance(by: 10)
            for id in ["c", "d", "e"] {
                #expect(try status(site, TestIssuer.rsa.token(IssuerStub.claims(), id: id)) == 401)
            }
            #expect(stub.count == 3)
            // A token without a kid may be of a new key as well.
            world.clock.advance(by: 10)
            stub.use([TestIssuer.rsa.key(nil), TestIssuer.ec256.key("b")])
            #expect(try status(site, TestIssuer.rsa.token(IssuerStub.claims())) == 200)
            #expect(stub.count == 4)
        }
    }

    @Test func `A removed key stops working within 5 minutes, on open connections too`() async throws {
        let stub = IssuerStub([Self.ed.key("a"), TestIssuer.ec256.key("b")])
        try await World.run(stub.configure, automatic: Self.reply) { world, site in
            let client = try site.connect()
            let field = IssuerStub.field(Self.ed.token(IssuerStub.claims(for: 100_000), id: "a"))
            func status() throws -> Int {
                try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
                return try client.answer().status
            }
            #expect(try status() == 200)
            stub.use([TestIssuer.ec256.key("b")])
            var seconds = 0
            while try status() == 200, seconds < 1000 {
                seconds += 5
                world.clock.advance(by: 5)
            }
            #expect(seconds > 0 && seconds <= 300)
            #expect(try status() == 401)
            #expect(
                try site.get(
                    "/github/a",
                    fields: [IssuerStub.field(TestIssuer.ec256.token(IssuerStub.claims(for: 9000), id: "b"))]
                ).status == 200)
        }
    }

    @Test func `Keys of a file are read, and again when it has changed`() async throws {
        let folder = TemporaryFolder()
        func write(_ keys: [Tree]) {
            folder.write("keys.json", String(decoding: TestIssuer.set(keys), as: UTF8.self))
        }
        write([Self.ed.key("a")])
        try await World.run(
            {
                $0.jwt = GatewayJWT(keys: .file("\(folder.path)/keys.json"), rules: IssuerStub.rules)
            }, automatic: Self.reply
        ) { world, site in
            let first = try status(site, Self.ed.token(IssuerStub.claims(), id: "a"))
            #expect(first == 200)
            write([TestIssuer.rsa.key("b")])
            world.clock.advance(by: 10)
            #expect(try status(site, TestIssuer.rsa.token(IssuerStub.claims(), id: "b")) == 200)
        }
    }

    @Test(arguments: ["http://issuer.example/keys", "ftp://issuer.example/keys", "keys", "https://"])
    func `Keys that anyone on the way could replace are refused`(url: String) {
        var configuration = GatewayConfiguration()
        configuration.jwt = GatewayJWT(keys: .url(url), rules: IssuerStub.rules)
        #expect(throws: GatewayError.self) { try configuration.check() }
        configuration.jwt?.keys = .url("http://127.0.0.1:80/keys")
        #expect(throws: Never.self) { try configuration.check() }
    }
}
