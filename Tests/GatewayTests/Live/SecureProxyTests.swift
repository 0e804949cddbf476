import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The PROXY protocol before TLS, with HTTP/1.1 and HTTP/2.
@Suite struct SecureProxyTests {
    private static let text = [UInt8]("PROXY TCP4 203.0.113.9 192.0.2.1 56324 443\r\n".utf8)
    private static let binary: [UInt8] =
        [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x21, 0x11, 0, 12, 203, 0, 113, 9, 192, 0, 2, 1]
        + [1, 2, 3, 4]
    /// A check of health by the proxy itself.
    private static let local: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x20, 0, 0, 0]

    /// The address that a route sees.
    private static let route = GatewayRoute(method: "GET", template: "/client", expirationSeconds: nil) {
        request, finish in
        let address = request.client.address ?? "none"
        finish(.success(.content(Entity(content: .value(Tree(address)), timestamp: 0))))
    }

    private func run(
        _ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (World, Site) async throws -> Void
    ) async throws {
        try await MultiplexingTests().run {
            $0.trustedProxies = ["127.0.0.1"]
            $0.proxyProtocolListeners = ["127.0.0.1:0"]
            $0.routes = [Self.route]
            configure(&$0)
        } _: { world, site in
            try await body(world, site)
        }
    }

    private static let headers = [(text, "203.0.113.9"), (binary, "203.0.113.9"), (local, "127.0.0.1")]

    @Test(arguments: headers)
    func `61.1 63.1 A header before TLS states the address, for HTTP/1.1 and for each stream`(
        header: [UInt8], address: String
    ) async throws {
        let log = AccessList()
        try await run({ $0.accessLog = log.append }) { _, site in
            let client = try await SecureClient(port: site.port, .init(header: header))
            for _ in 1...2 { #expect(try await client.get("/client").body == "\"\(address)\"") }
            let streams = try await MultiplexedClient(port: site.port, behind: header)
            for _ in 1...2 { #expect(try await streams.get("/client").body == "\"\(address)\"") }
            // The address that a header states is no trusted proxy.
            let stated = try await streams.get("/client", [("x-forwarded-for", "198.51.100.1")])
            #expect(stated.body == (address == "127.0.0.1" ? #""198.51.100.1""# : "\"\(address)\""))
        }
        #expect(log.clients.subtracting(["198.51.100.1"]) == [address])
    }

    @Test func `61.1 Limits count the clients behind a proxy that speaks TLS for nobody`() async throws {
        try await run({ $0.limits.perClient = GatewayRate(requests: 2, per: 60) }) { _, site in
            let first = try await MultiplexedClient(port: site.port, behind: Self.text)
            let second = try await MultiplexedClient(port: site.port, behind: Self.binary)
            var statuses: [Int] = []
            for client in [first, second, first] { statuses.append(try await client.get("/client").status) }
            #expect(statuses == [200, 200, 429], "both connections are one client's")
            let other = try await MultiplexedClient(port: site.port, behind: Self.local)
            #expect(try await other.get("/client").status == 200)
        }
    }

    @Test func `61.4 TLS without a header is closed, and so is a header without TLS in time`() async throws {
        try await run({ $0.limits.headerTimeout = 5 }) { _, site in
            await #expect(throws: (any Error).self) { try await SecureClient(port: site.port) }
            let client = try site.connect()
            try client.send(Self.text)
            await yielding(until: "it is accepted") { site.gateway.connections == 1 }
            await site.gateway.sweep(times: 10)
            #expect(try client.rest().isEmpty)
            let slow = try site.connect()
            try slow.send(Array(Self.text.dropLast(3)))
            await yielding(until: "it is accepted") { site.gateway.connections == 1 }
            await site.gateway.sweep(times: 10)
            #expect(try slow.rest().isEmpty)
        }
    }
}
