import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Clients that show a name and a password (RFC 7617).
@Suite struct BasicTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    /// A quick hash of `secret`.
    private static let hash =
        "$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0c2FsdA$dClvKSmj66n6MdMWNv3Go4mvH1Ym2WIGiJvquqa+mfE"

    private static let users = [
        GatewayUser(name: "ada", hash: hash, expose: ["github": ExposeRule(paths: ["/a"])]),
        GatewayUser(name: "grace", hash: hash, isOperator: true),
    ]

    private static func field(_ name: String, _ password: String) -> String {
        "Authorization: Basic " + Base64.encode(Array("\(name):\(password)".utf8))
    }

    private func status(_ site: Site, _ field: String, _ target: String = "/github/a") throws -> Int {
        try site.get(target, fields: [field]).status
    }

    @Test func `The right password lets its user in, with the user's own access`() async throws {
        try await World.run({ $0.users = Self.users }, automatic: Self.reply) { _, site in
            for _ in 0..<2 {
                let first = try status(site, Self.field("ada", "secret"))
                #expect(first == 200)
                #expect(try status(site, Self.field("ada", "secret"), "/github/b") == 404)
                #expect(try status(site, Self.field("grace", "secret"), "/github/b") == 200)
                #expect(try status(site, Self.field("grace", "secret"), "/-/resources") != 403)
                for (name, password) in [
                    ("ada", "Secret"), ("ada", ""), ("", "secret"), ("Ada", "secret"), ("nobody", "secret"),
                    ("ada:secret", ""), ("ada", "secret\0"),
                ] {
                    #expect(try status(site, Self.field(name, password)) == 401)
                }
            }
            for field in [
                "Basic", "Basic ", "Basic !", "Basic YWRh", "Bearer YWRhOnNlY3JldA==", "Basic /w==",
            ] {
                #expect(try status(site, "Authorization: \(field)") == 401)
            }
            #expect(try status(site, "authorization: bAsIc YWRhOnNlY3JldA==") == 200)
        }
    }

    @Test func `RFC 7617 2 the refusal asks for a name and a password`() async throws {
        try await World.run({ $0.users = Self.users }) { _, site in
            let none = try site.get("/github/a")
            #expect(none["WWW-Authenticate"] == #"Basic realm="resthost", charset="UTF-8""#)
            #expect(none.problem("detail") == "a name with a password is needed")
            let wrong = try site.get("/github/a", fields: [Self.field("ada", "wrong-word")])
            #expect(wrong.problem("code") == "invalid_credentials")
            #expect(wrong["WWW-Authenticate"] == none["WWW-Authenticate"])
            #expect(!wrong.body.contains("wrong-word") && !wrong.body.contains("ada"))
        }
    }

    @Test func `A right password is not hashed again for five minutes, and a reload doesn't change that`()
        async throws
    {
        let checks = PasswordChecks(uptime: { 5 })
        let hash = try PasswordHash(Self.hash)
        #expect(checks.until(of: Array("secret".utf8), hash) == nil)
        let outcome: Double?? = await waiting(for: "the check") { notified in
            checks.check(Array("secret".utf8), hash, from: "a") { notified(try? $0.get()) }
        }
        #expect(outcome == .some(.some(305)))
        #expect(checks.until(of: Array("secret".utf8), hash) == 305)
        #expect(checks.until(of: Array("Secret".utf8), hash) == nil)
        try await World.run({ $0.users = Self.users }, automatic: Self.reply) { world, site in
            let client = try site.connect()
            func status() throws -> Int {
                try client.send(
                    "GET /github/a HTTP/1.1\r\nHost: localhost\r\n\(Self.field("ada", "secret"))\r\n\r\n")
                return try client.answer().status
            }
            #expect(try status() == 200)
            var update = site.gateway.configuration
            update.users.reverse()
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try status() == 200)
            world.clock.advance(by: 301)
            #expect(try status() == 200)
            // The hash of another password.
            update.users = [
                GatewayUser(
                    name: "ada", hash: Self.hash.replacing("i=1000", with: "i=1001"))
            ]
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try status() == 401)
        }
    }

    private final class Outcomes: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func append(_ outcome: String) { list.withLock { $0.append(outcome) } }
    }

    @Test func `Equal checks share one, and those beyond the limits are refused`() async throws {
        let checks = PasswordChecks(uptime: { 0 })
        // Takes long enough that all others come meanwhile.
        let slow = try PasswordHash(Self.hash.replacing("i=1000", with: "i=1000000"))
        let outcomes = Outcomes()
        func check(_ password: String, from client: String) {
            checks.check(Array(password.utf8), slow, from: client) { result in
                switch result {
                case .success(let until): outcomes.append(until == nil ? "wrong" : "right")
                case .failure(let problem): outcomes.append(problem.code)
                }
            }
        }
        for _ in 0..<20 { check("same", from: "a") }
        for number in 0..<PasswordChecks.mostOfClient { check("b\(number)", from: "b") }
        check("one more", from: "b")
        #expect(outcomes.all == ["too_many_sign_ins"])
        await yielding(until: "all are checked") {
            outcomes.all.count == 20 + PasswordChecks.mostOfClient + 1
        }
        #expect(outcomes.all.filter { $0 == "wrong" }.count == 20 + PasswordChecks.mostOfClient)
    }

    @Test(arguments: [("a:b", hash), ("", hash), ("a", "secret"), ("a", "$1$a$b")])
    func `Users that can't be recognised are refused`(name: String, hash: String) {
        var configuration = GatewayConfiguration()
        configuration.users = [GatewayUser(name: name, hash: hash)]
        #expect(throws: GatewayError.self) { try configuration.check() }
    }
}
