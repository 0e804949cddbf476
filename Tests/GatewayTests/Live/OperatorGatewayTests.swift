import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// A gateway for operators alone, and the one of clients beside it (rule 66.10).
@Suite struct OperatorGatewayTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    private static let targets = [
        "/-/services", "/-/resources", "/-/metrics", "/-/explain?service=github&path=/a", "/-/openapi.json",
    ]

    private func statuses(_ site: Site, _ fields: [String] = []) throws -> Set<Int> {
        Set(try Self.targets.map { try site.get($0, fields: fields).status })
    }

    @Test func `66.10 It has the host's routes, but no resources and no commands`() async throws {
        try await World.run({ $0.audience = .operators }, control: FakeControl(), automatic: Self.reply) {
            _, site in
            #expect(try statuses(site) == [200])
            let resource = try site.get("/github/a")
            #expect(resource.status == 404)
            #expect(resource.problem("detail")?.hasPrefix("this address is for operators") == true)
            #expect(try site.get("/").status == 404)
            let command = try site.get("/-/reload", method: "POST")
            #expect(command.problem("code") == "admin_only")
            // A client through a proxy could be anyone.
            #expect(try statuses(site, ["Via: 1.1 a"]) == [403, 200])
            #expect(try site.get("/-/metrics", fields: ["Via: 1.1 a"]).status == 403)
            #expect(try site.get("/-/ready", fields: ["Via: 1.1 a"]).status == 200)
            let client = try site.connect()
            try client.send("GET /-/metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            let refused = try client.answer()
            #expect(refused.status == 421)
            #expect(refused.problem("detail")?.contains("server-names = [\"evil.example\"]") == true)
        }
    }

    @Test func `66.10 With credentials, whoever shows one is an operator`() async throws {
        try await World.run(
            {
                $0.audience = .operators
                $0.listen = ["0.0.0.0:0"]
                $0.tokens = [GatewayToken(name: "operator", secret: .text("t"), isOperator: true)]
            }, control: FakeControl()
        ) { _, site in
            let strangers = try statuses(site)
            #expect(strangers == [401])
            #expect(try statuses(site, ["Authorization: Bearer t"]) == [200])
            #expect(try statuses(site, ["Authorization: Bearer t", "Via: 1.1 a"]) == [200])
            #expect(try site.get("/-/health").status == 200)
        }
    }

    @Test func `66.10 An address that other machines reach needs credentials`() async throws {
        let world = await World.empty()
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
            var configuration = GatewayConfiguration(listen: ["127.0.0.1:0", address])
            configuration.audience = .operators
            #expect(throws: GatewayError.openToOperators(address)) {
                try Gateway(configuration, directory: world)
            }
            configuration.bearerToken = "t"
            #expect(throws: Never.self) { try Gateway(configuration, directory: world) }
            // An address of clients can make operators of them too.
            configuration = GatewayConfiguration(listen: [address])
            configuration.operatorListeners = [address, "0.0.0.0:9999"]
            #expect(throws: GatewayError.openToOperators(address)) {
                try Gateway(configuration, directory: world)
            }
        }
        var local = GatewayConfiguration(listen: ["127.0.0.2:0", "[::1]:0", "unix:/tmp/none.sock"])
        local.audience = .operators
        #expect(throws: Never.self) { try Gateway(local, directory: world) }
    }

    @Test func `66.10 Clients keep health and readiness, whatever they show`() async throws {
        try await World.run(
            {
                $0.hasOperatorsElsewhere = true
                $0.tokens = [
                    GatewayToken(name: "page", secret: .text("p")),
                    GatewayToken(name: "operator", secret: .text("t"), isOperator: true),
                ]
            }, control: FakeControl(), automatic: Self.reply
        ) { _, site in
            for token in ["p", "t"] {
                let field = ["Authorization: Bearer \(token)"]
                #expect(try statuses(site, field) == [403])
                #expect(try site.get("/-/events", fields: field).problem("code") == "operator_only")
                #expect(try site.get("/github/a", fields: field).body == "[1]")
                let names = try site.get("/-/nothing", fields: field).problem("detail")
                #expect(names == "there is no /-/nothing; there are /-/health, /-/ready")
                #expect(try site.get("/-/health", fields: field).json?["services"] == ["github"])
            }
            #expect(try site.get("/-/health").json == ["status": "ok"])
            #expect(try site.get("/-/ready").status == 200)
        }
    }

    @Test func `66.10 An update moves the routes to and fro, and ends streams of events`() async throws {
        try await World.run(control: FakeControl(), automatic: Self.reply) { _, site in
            let client = try site.asking("/-/events")
            let stream = StreamClient(client)
            #expect(try stream.head().status == 200)
            var update = site.gateway.configuration
            update.hasOperatorsElsewhere = true
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try statuses(site) == [403])
            #expect(try site.get("/-/ready").status == 200)
            #expect(throws: (any Error).self) { while true { _ = try stream.line() } }
            update.hasOperatorsElsewhere = false
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try statuses(site) == [200])
        }
    }

    @Test func `66.10 Operators see requests and failures of the clients' gateway`() async throws {
        let metrics = GatewayMetrics()
        try await World.run(
            {
                $0.hasOperatorsElsewhere = true
                $0.metrics = metrics
                $0.expose = ["github": ExposeRule(paths: ["/b"])]
            }, automatic: { _ in .success(.stub("{", status: 500)) }
        ) { world, site in
            var configuration = GatewayConfiguration(listen: ["127.0.0.1:0"])
            configuration.audience = .operators
            configuration.metrics = metrics
            configuration.threads = 1
            let gateway = try Gateway(configuration, directory: world, control: FakeControl())
            let own = Site(gateway: gateway, addresses: try gateway.start())
            _ = try own.get("/-/metrics")
            let stream = StreamClient(try own.asking("/-/events?kinds=response"))
            #expect(try stream.head().status == 200)
            #expect(try stream.line() == "retry: 2000")
            #expect(try site.get("/github/b").status >= 500)
            let event = try stream.event()
            #expect(event.name == "response" && event.json?["error"]?.string == "http_5xx")
            let text = try own.get("/-/metrics").body
            #expect(text.contains(#"resthost_gateway_failures_total{code="http_5xx"} 1"#), "\(text)")
            #expect(text.contains(#"resthost_resources{service="github"}"#))
            #expect(try site.get("/github/a").status == 404)
            #expect(try own.get("/-/explain?service=github&path=/a").status == 200)
            await gateway.stop(drain: 0)
        }
    }

    @Test func `66.10 It speaks TLS and HTTP/2, and takes certificates of clients`() async throws {
        let folder = TemporaryFolder()
        folder.write("server.pem", TestCertificates.server)
        folder.write("server.key", TestCertificates.serverKey)
        folder.write("clients.pem", TestCertificates.authority)
        func configure(_ configuration: inout GatewayConfiguration) {
            configuration.audience = .operators
            configuration.tls = GatewayTLS(
                certificate: "\(folder.path)/server.pem", key: "\(folder.path)/server.key")
        }
        try await World.run(configure, control: FakeControl()) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            #expect(try await client.get("/-/metrics").status == 200)
            #expect(try await client.get("/github/a").status == 404)
        }
        try await World.run(
            {
                configure(&$0)
                $0.listen = ["0.0.0.0:0"]
                $0.clientCertificates = GatewayClientCertificates(authority: "\(folder.path)/clients.pem")
            }, control: FakeControl()
        ) { _, site in
            let known = try await SecureClient(
                port: site.port, .showing(TestCertificates.backend, TestCertificates.backendKey))
            #expect(try await known.get("/-/metrics").status == 200)
            let stranger = try? await SecureClient(
                port: site.port, .showing(TestCertificates.stranger, TestCertificates.strangerKey))
            let refused = try? await stranger?.get("/-/metrics")
            #expect(refused == nil)
        }
    }
}
