import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The clients to which the host shows its state (rule 66.9).
@Suite struct OperatorTests {
    private static let targets = [
        "/-/resources", "/-/metrics", "/-/explain?service=github&path=/a", "/-/events",
    ]

    /// The status of each route, asked with these fields.
    private func statuses(_ site: Site, _ fields: [String] = []) throws -> Set<Int> {
        Set(try Self.targets.map { try site.get($0, fields: fields).status })
    }

    @Test func `66.9 Clients on this machine are operators if no tokens are needed`() async throws {
        try await World.run(control: FakeControl()) { _, site in
            #expect(try statuses(site) == [200])
            for field in [
                "Forwarded: for=1.2.3.4", "Via: 1.1 a", "X-Forwarded-For: 127.0.0.1", "x-real-ip: ::1",
            ] {
                let through = try statuses(site, [field])
                #expect(through == [403], "\(field)")
                for target in ["/-/health", "/-/ready"] {
                    let answer = try site.get(target, fields: [field])
                    #expect(answer.status == 200)
                }
            }
            let refused = try site.get("/-/metrics", fields: ["Via: 1.1 a"])
            #expect(refused.problem("code") == "operator_only")
            // The route isn't listed either.
            let names = try site.get("/-/nothing", fields: ["Via: 1.1 a"]).problem("detail")
            #expect(
                names
                    == "there is no /-/nothing; there are /-/health, /-/ready, /-/services, /-/openapi.json")
        }
    }

    @Test func `66.9 With tokens it is those that say so`() async throws {
        try await World.run(
            {
                $0.bearerToken = "plain"
                $0.tokens = [
                    GatewayToken(name: "other", secret: .text("other")),
                    GatewayToken(name: "operator", secret: .text("operator"), isOperator: true),
                ]
            }, control: FakeControl()
        ) { _, site in
            #expect(try statuses(site) == [401])
            for (token, status) in [("plain", 403), ("other", 403), ("operator", 200)] {
                let seen = try statuses(site, ["Authorization: Bearer \(token)"])
                #expect(seen == [status], "\(token)")
            }
            // A proxy's fields don't matter for a client with a token.
            #expect(try statuses(site, ["Authorization: Bearer operator", "Via: 1.1 a"]) == [200])
        }
    }

    @Test func `66.9 Or a listener of their own`() async throws {
        let folder = TemporaryFolder()
        let text = "unix:\(folder.path)/operators.sock"
        try await World.run(
            {
                $0.listen = ["127.0.0.1:0", text]
                $0.operatorListeners = [text]
                $0.bearerToken = "plain"
            }, control: FakeControl()
        ) { _, site in
            #expect(try statuses(site, ["Authorization: Bearer plain"]) == [403])
            for (field, status) in [("", 401), ("Authorization: Bearer plain\r\n", 200)] {
                let client = try Client(path: "\(folder.path)/operators.sock")
                try client.send("GET /-/metrics HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
                let answer = try client.answer()
                #expect(answer.status == status)
            }
        }
    }

    @Test func `55.7 A client has a quarter of the streams where nobody says otherwise`() {
        var limits = GatewayLimits()
        limits.maxConnections = 40
        #expect(limits.usualStreams <= 10)
        limits.maxConnections = 1
        #expect(limits.usualStreams == 1)
    }
}
