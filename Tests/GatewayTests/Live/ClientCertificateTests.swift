import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Clients that are identified by their certificate (rules 62).
@Suite struct ClientCertificateTests {
    private typealias Known = GatewayClientCertificates.Client

    private static func reply(_ request: TransportRequest) -> TransportResult { .success(.stub("[1]")) }

    private static let backend = SecureClient.Manner.showing(
        TestCertificates.backend, TestCertificates.backendKey)
    private static let page = SecureClient.Manner.showing(TestCertificates.page, TestCertificates.pageKey)
    private static let stranger = SecureClient.Manner.showing(
        TestCertificates.stranger, TestCertificates.strangerKey)
    private static let expired = SecureClient.Manner.showing(
        TestCertificates.expired, TestCertificates.expiredKey)

    private func folder() -> TemporaryFolder {
        let folder = TemporaryFolder()
        folder.write("server.pem", TestCertificates.server)
        folder.write("server.key", TestCertificates.serverKey)
        folder.write("clients.pem", TestCertificates.authority)
        return folder
    }

    private func configure(
        _ configuration: inout GatewayConfiguration, _ folder: TemporaryFolder, _ clients: [Known]? = nil
    ) {
        configuration.tls = GatewayTLS(
            certificate: "\(folder.path)/server.pem", key: "\(folder.path)/server.key")
        configuration.clientCertificates = GatewayClientCertificates(
            authority: "\(folder.path)/clients.pem", clients: clients)
    }

    /// The status of a read, or nil if the connection is refused.
    private func status(
        _ site: Site, _ manner: SecureClient.Manner, _ target: String = "/github/a", token: String? = nil
    ) async -> Int? {
        guard let client = try? await SecureClient(port: site.port, manner) else { return nil }
        let fields = token.map { ["Authorization: Bearer \($0)"] } ?? []
        return try? await client.get(target, fields: fields).status
    }

    @Test func `62.1 Only clients with a certificate of the authority are accepted`() async throws {
        let folder = folder()
        try await World.run(
            {
                configure(&$0, folder)
                $0.listen = ["127.0.0.1:0", "unix:\(folder.path)/a.sock"]
            }, automatic: Self.reply
        ) { _, site in
            #expect(await status(site, Self.backend) == 200)
            #expect(await status(site, Self.page) == 200)
            #expect(await status(site, .usual) == nil)
            #expect(await status(site, Self.stranger) == nil)
            #expect(await status(site, Self.expired) == nil)
            let plain = try Client(path: "\(folder.path)/a.sock")
            try plain.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let refused = try plain.answer()
            #expect(refused.status == 403)
            #expect(refused.problem("code") == "certificate_needed")
            try plain.send("GET /-/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try plain.answer().status == 200)
        }
    }

    @Test func `62.2 Each name reaches what it is for`() async throws {
        let folder = folder()
        let clients = [
            Known(name: "page.internal", expose: ["github": ExposeRule(paths: ["/users/*"])]),
            Known(name: "else"),
        ]
        try await World.run({ configure(&$0, folder, clients) }, automatic: Self.reply) { _, site in
            #expect(await status(site, Self.page) == 404)
            #expect(await status(site, Self.page, "/github/users/1") == 200)
            #expect(await status(site, Self.backend) == 403)
            #expect(await status(site, Self.backend, "/-/health") == 200)
        }
    }

    @Test func `62.3 Beside tokens a certificate is one of two ways`() async throws {
        let folder = folder()
        let set: (inout GatewayConfiguration) -> Void = {
            configure(&$0, folder, [Known(name: "backend")])
            $0.tokens = [
                GatewayToken(
                    name: "users", secret: .text("abc"),
                    expose: ["github": ExposeRule(paths: ["/users/*"])])
            ]
        }
        try await World.run(set, automatic: Self.reply) { _, site in
            #expect(await status(site, .usual) == 401)
            #expect(await status(site, .usual, "/github/users/1", token: "abc") == 200)
            #expect(await status(site, .usual, token: "abd") == 401)
            #expect(await status(site, Self.backend) == 200)
            #expect(await status(site, Self.backend, token: "abc") == 404)
            #expect(await status(site, Self.backend, token: "abd") == 200)
            #expect(await status(site, Self.page) == 401)
            #expect(await status(site, Self.stranger) == nil)
        }
    }

    @Test func `62.4 Limits of a client are those of its name`() async throws {
        let folder = folder()
        let set: (inout GatewayConfiguration) -> Void = {
            configure(&$0, folder)
            $0.limits.perClient = GatewayRate(requests: 1, per: 3600, burst: 1)
        }
        try await World.run(set, automatic: Self.reply) { _, site in
            #expect(await status(site, Self.backend) == 200)
            #expect(await status(site, Self.backend) == 429)
            #expect(await status(site, Self.page) == 200)
        }
    }

    @Test func `62.5 Another authority holds for connections that are there`() async throws {
        let folder = folder()
        try await World.run({ configure(&$0, folder) }, automatic: Self.reply) { _, site in
            let client = try await SecureClient(port: site.port, Self.backend)
            #expect(try await client.get("/github/a").status == 200)
            folder.write("clients.pem", TestCertificates.otherAuthority)
            try await site.gateway.renewCertificates()
            #expect(try await client.get("/github/a").status == 403)
            #expect(await status(site, Self.backend) == nil)
            #expect(await status(site, Self.stranger) == 200)
        }
    }

    @Test func `62.6 An authority without a listener that asks for it makes no sense`() async {
        let folder = folder()
        var configuration = GatewayConfiguration()
        configure(&configuration, folder)
        #expect(throws: Never.self) { try configuration.check() }
        configuration.tls = nil
        #expect(throws: GatewayError.self) { try configuration.check() }
        configuration.tls = GatewayTLS(
            certificate: "\(folder.path)/server.pem", key: "\(folder.path)/server.key")
        configuration.clientCertificates?.authority = "\(folder.path)/server.key"
        #expect(throws: GatewayError.self) { try configuration.check() }
    }

    @Test func `62.7 Names are read from a certificate, whatever its bytes are`() throws {
        let backend = try SecureClient.certificate(TestCertificates.backend)
        #expect(ClientCertificate.names(inDER: backend) == ["backend"])
        let page = try SecureClient.certificate(TestCertificates.page)
        #expect(
            ClientCertificate.names(inDER: page)
                == ["page@example.org", "page.internal", "spiffe://example.org/page"])
        // Invalid bytes must not end the process.
        for count in 0..<page.count { _ = ClientCertificate.names(inDER: Array(page[..<count])) }
        for place in page.indices {
            for byte in [0, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var broken = page
                broken[place] = byte
                _ = ClientCertificate.names(inDER: broken)
            }
        }
    }
}
