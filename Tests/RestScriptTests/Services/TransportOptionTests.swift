import Platform
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `rest.service { transport = … }`: the connections of a service.
@Suite(.leakChecked) @EngineActor
struct TransportOptionTests {
    private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="

    private func load(
        _ options: String, _ change: (inout ScriptOptions) -> Void = { _ in }
    ) throws -> (options: TransportOptions?, lines: [String]) {
        let fixture = ScriptFixture()
        fixture.options.capabilities = .all
        let transport = StubTransport(scheduler: fixture.engine.scheduler)
        var made: TransportOptions?
        fixture.options.makeTransport = {
            made = $0
            return transport
        }
        change(&fixture.options)
        try fixture.load(
            "print(select(2, pcall(rest.service, { name = 's', base_url = 'https://b.test', transport = { \(options) } })))",
            path: "/app/main.lua")
        fixture.close()
        return (made, fixture.lines)
    }

    @Test func `each option reaches the transport`() throws {
        let given = """
            cookies = true, http2 = false, proxy = "socks5h://u:p@127.0.0.1:1080", no_proxy = "a.test,10.0.0.0/8",
            ca_file = "ca.pem", ca_path = "trusted", client_certificate = "me.pem", client_key = "key.pem",
            pins = { "\(Self.pin)" }, min_tls = "1.3", ip = "v4",
            resolve = { ["B.test:443"] = "192.0.2.1", ["b.test:8443"] = "::1" },
            user_agent = "u", max_connections = 9, max_connections_per_host = 3
            """
        for option in ServiceOptions.schema.descriptions.last?.fields ?? [] where option.name != "unix_socket"
        {
            #expect(given.contains("\(option.name) ="), "\(option.name) is not tried")
        }
        let (options, lines) = try load(given)
        #expect(lines == ["service s"])
        var expected = TransportOptions()
        expected.http2 = false
        expected.proxy = "socks5h://u:p@127.0.0.1:1080"
        expected.noProxy = "a.test,10.0.0.0/8"
        expected.caFile = "/app/ca.pem"
        expected.caPath = "/app/trusted"
        expected.clientCertificate = "/app/me.pem"
        expected.clientKey = "/app/key.pem"
        expected.pins = [Self.pin]
        expected.minTLS = .tls13
        expected.ip = .v4
        expected.addresses = ["b.test:443": "192.0.2.1", "b.test:8443": "::1"]
        expected.userAgent = "u"
        expected.maxTotalConnections = 9
        expected.maxConnectionsPerHost = 3
        #expect(options == expected)
    }

    @Test(arguments: [
        ("min_tls = '1.1'", #"option 'transport.min_tls' is "1.2" or "1.3", got "1.1""#),
        ("ip = 'ipv4'", #"option 'transport.ip' is "any" or "v4" or "v6", got "ipv4""#),
        (
            "client_key = 'k.pem'",
            "option 'transport.client_key' needs 'transport.client_certificate' beside it"
        ),
        (
            "pins = { 'sha1//AAAA' }",
            "'sha1//AAAA' of 'transport.pins' is no pin: it must be sha256// and the SHA-256 of the public key in base64"
        ),
        (
            "pins = { 'sha256//AA_A' }",
            "'sha256//AA_A' of 'transport.pins' is no pin: the base64 of 32 bytes has 44 characters, of which the last is '='"
        ),
        (
            "resolve = { ['b.test'] = '192.0.2.1' }",
            #"'b.test' = '192.0.2.1' of 'transport.resolve' is none: resolve = { ["api.example.com:443"] = "192.0.2.1" }"#
        ),
        (
            "resolve = { ['b.test:443'] = 1 }",
            #"option 'transport.resolve' has texts: resolve = { ["api.example.com:443"] = "192.0.2.1" }"#
        ),
        (
            "resolve = { ['b.test/x:443'] = '192.0.2.1' }",
            #"'b.test/x:443' = '192.0.2.1' of 'transport.resolve' is none: resolve = { ["api.example.com:443"] = "192.0.2.1" }"#
        ),
        ("clientcertificate = 'a'", "unknown option 'clientcertificate': did you mean 'client_certificate'?"),
    ])
    func `what is wrong is said`(options: String, message: String) throws {
        #expect(try load(options).lines == [message])
    }

    @Test func `a host that may not be requested can't be reached by another name`() throws {
        let grant = try #require(HostGrant("b.test"))
        let refused = try load("resolve = { ['b.test:443'] = '10.0.0.1' }") {
            $0.capabilities.hosts = .only([grant])
        }
        #expect(
            refused.lines.first?.contains("requests to https://10.0.0.1/ are not allowed") == true,
            "\(refused.lines)")
        for option in ["ca_path", "client_certificate"] {
            let lines = try load("\(option) = '/etc/x'") { $0.capabilities.read = .below(["/app"]) }.lines
            #expect(lines == ["reading '/etc/x' is not allowed: grant it with --allow-read /etc/x"])
        }
    }
}
