import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Clients behind proxies that state their addresses.
@Suite struct ProxyTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    /// The addresses that a route sees.
    private static let route = GatewayRoute(method: "GET", template: "/client", expirationSeconds: nil) {
        request, finish in
        let address = request.client.address ?? "none"
        finish(.success(.content(Entity(content: .value(Tree(address)), timestamp: 0))))
    }

    // MARK: Fields

    @Test func `From a trusted proxy the last address that no proxy has is the client's`() async throws {
        let log = AccessList()
        try await World.run({
            $0.trustedProxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]
            $0.routes = [Self.route]
            $0.accessLog = log.append
        }) { _, site in
            let chains: [([String], String)] = [
                ([], "127.0.0.1"), (["X-Forwarded-For: 203.0.113.9"], "203.0.113.9"),
                (["X-Forwarded-For: 198.51.100.1, 203.0.113.9"], "203.0.113.9"),
                (["X-Forwarded-For: 198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
                (["X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.9,10.1.2.3"], "203.0.113.9"),
                (["X-Forwarded-For: 10.1.1.1, 10.1.2.3"], "10.1.1.1"),
                (["X-Forwarded-For: unknown"], "127.0.0.1"),
                (["X-Forwarded-For: 10.1.1.1, x, 10.1.2.3"], "10.1.2.3"),
                (["X-Forwarded-For: ,"], "127.0.0.1"), (["X-Forwarded-For: 203.0.113.9:4711"], "203.0.113.9"),
                (["X-Forwarded-For: 2001:DB9::1"], "2001:db9::1"),
                (["X-Forwarded-For: ::ffff:203.0.113.9"], "203.0.113.9"),
                (["Forwarded: for=203.0.113.9;proto=https;by=10.0.0.1"], "203.0.113.9"),
                (["Forwarded: for=198.51.100.1, For=203.0.113.9, for=10.1.2.3"], "203.0.113.9"),
                ([#"Forwarded: proto=http; for="[2001:db9::17]:4711""#], "2001:db9::17"),
                ([#"Forwarded: for="203.0.113.9, for=198.51.100.1""#], "127.0.0.1"),
                ([#"Forwarded: by="a,b;for=198.51.100.1";for=203.0.113.9"#], "203.0.113.9"),
                (["Forwarded: for=_hidden"], "127.0.0.1"),
                (["Forwarded: for=198.51.100.1, for=_x, for=10.1.2.3"], "10.1.2.3"),
                (["Forwarded: proto=https"], "127.0.0.1"),
                (["Forwarded: for=203.0.113.9", "X-Forwarded-For: 198.51.100.1"], "203.0.113.9"),
                // A client's text doesn't reach into what the proxy adds, neither by a string that it leaves
                // open nor by a mark that forms one character with the comma.
                ([#"Forwarded: for="198.51.100.1, for=203.0.113.9"#], "203.0.113.9"),
                ([#"Forwarded: for="198.51.100.1\, for="203.0.113.9:1""#], "203.0.113.9"),
                (["Forwarded: for=198.51.100.1\u{600}, for=203.0.113.9"], "203.0.113.9"),
                (["X-Forwarded-For: 198.51.100.1\u{600}, 203.0.113.9"], "203.0.113.9"),
            ]
            for (fields, client) in chains {
                let answer = try site.get("/client", fields: fields)
                #expect(answer.body == "\"\(client)\"", "\(fields)")
            }
            #expect(log.clients.isSuperset(of: ["203.0.113.9", "2001:db9::17", "127.0.0.1"]))
            #expect(!log.clients.contains("198.51.100.1"))
        }
    }

    @Test func `From all others the fields count for nothing`() async throws {
        let folder = TemporaryFolder()
        try await World.run({
            $0.listen = ["127.0.0.1:0", "unix:\(folder.path)/a.sock"]
            $0.trustedProxies = ["10.0.0.0/8", "unix"]
            $0.routes = [Self.route]
        }) { _, site in
            let fields = ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"]
            #expect(try site.get("/client", fields: fields).body == #""127.0.0.1""#)
            let unix = try Client(path: "\(folder.path)/a.sock")
            for (field, client) in [("X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9"), ("", "none")] {
                try unix.send("GET /client HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
                #expect(try unix.answer().body == "\"\(client)\"")
            }
            // Trust changes with the rules, on open connections too.
            var update = site.gateway.configuration
            update.trustedProxies = ["127.0.0.0/8"]
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try site.get("/client", fields: fields).body == #""203.0.113.9""#)
            try unix.send("GET /client HTTP/1.1\r\nHost: localhost\r\n\(fields[0])\r\n\r\n")
            #expect(try unix.answer().body == #""none""#)
        }
    }

    @Test func `Limits count the clients behind a proxy, not the proxy`() async throws {
        try await World.run(
            {
                $0.trustedProxies = ["127.0.0.1"]
                $0.limits.perClient = GatewayRate(requests: 1, per: 60)
            }, automatic: Self.reply
        ) { _, site in
            func status(_ address: String) throws -> Int {
                try site.get("/github/a", fields: ["X-Forwarded-For: \(address)"]).status
            }
            for address in ["203.0.113.1", "203.0.113.2", "2001:db9:0:1::1"] {
                let first = try status(address)
                #expect(first == 200)
                #expect(try status(address) == 429)
            }
            // The same network of 64 bits.
            #expect(try status("2001:db9:0:1::2") == 429)
        }
    }

    // MARK: The PROXY protocol

    private static let v4 = [UInt8]("PROXY TCP4 203.0.113.9 192.0.2.1 56324 443\r\n".utf8)
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func binary(_ command: UInt8, _ family: UInt8, _ body: [UInt8], length: Int? = nil)
        -> [UInt8]
    {
        let length = length ?? body.count
        return signature + [0x20 | command, family, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    private static let binaryV4 = binary(1, 0x11, [203, 0, 113, 9, 192, 0, 2, 1, 1, 2, 3, 4])
    private static let binaryV6 = binary(
        1, 0x21,
        [0x20, 1, 0xd, 0xb9] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 20))

    /// Headers, and the addresses that they state; nil for none.
    private static let headers: [([UInt8], String?)] = [
        (v4, "203.0.113.9"), ([UInt8]("PROXY TCP6 2001:db9::7 ::1 1 2\r\n".utf8), "2001:db9::7"),
        ([UInt8]("PROXY UNKNOWN\r\n".utf8), nil), ([UInt8]("PROXY UNKNOWN ffff::1 x y z\r\n".utf8), nil),
        (binaryV4, "203.0.113.9"), (binaryV6, "2001:db9::7"), (binary(0, 0, []), nil),
        (binary(1, 0, []), nil),
        (binary(1, 0x11, [203, 0, 113, 9, 192, 0, 2, 1, 1, 2, 3, 4, 5, 0, 1, 9]), "203.0.113.9"),
        (binary(0, 0x11, [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4]), nil),
    ]

    @Test(arguments: headers)
    func `Each header states the address, however it comes`(header: [UInt8], address: String?) {
        let whole = header + Array("GET".utf8)
        let expected: ProxyHeaderReader.Source =
            address.flatMap { NetworkAddress($0) }.map { .address($0) } ?? .proxy
        #expect(ProxyHeaderReader.read(whole) == .header(expected, length: header.count))
        for count in 0..<header.count { #expect(ProxyHeaderReader.read(Array(whole[..<count])) == .needMore) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXY TCP4 203.0.113.9 192.0.2.1 56324\r\n", "PROXY TCP4 x y 1 2\r\n",
        "PROXY TCP4 2001:db9::7 ::1 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n",
        "PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n", "PROXY\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n",
        "PROXY UNKNOWN " + String(repeating: "x", count: 200), "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
    ]) func `Other bytes are no header`(text: String) {
        #expect(ProxyHeaderReader.read(Array(text.utf8)) == .fault)
    }

    @Test(arguments: [
        binary(2, 0x11, [UInt8](repeating: 0, count: 12)), binary(1, 0x11, [1, 2, 3, 4]),
        binary(1, 0x21, [1, 2, 3, 4]),
        binary(1, 0x99, [UInt8](repeating: 0, count: 40)), binary(1, 0x11, [], length: 65_535),
        signature + [0x11, 0x11, 0, 0],
    ]) func `Other binary headers are no header`(bytes: [UInt8]) {
        #expect(ProxyHeaderReader.read(bytes) == .fault)
    }

    @Test func `A listener for the PROXY protocol takes it from trusted proxies, and closes others`()
        async throws
    {
        try await World.run({
            $0.listen = ["127.0.0.1:0", "127.0.0.2:0"]
            $0.trustedProxies = ["127.0.0.1"]
            $0.proxyProtocolListeners = ["127.0.0.1:0"]
            $0.routes = [Self.route]
            $0.limits.perClient = GatewayRate(requests: 100)
        }) { _, site in
            let request = "GET /client HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for (header, address) in Self.headers {
                let client = try site.connect()
                for byte in header { try client.send([byte]) }
                try client.send(request + request)
                #expect(try client.answer().body == "\"\(address ?? "127.0.0.1")\"")
                #expect(try client.answer().body == "\"\(address ?? "127.0.0.1")\"")
            }
            // The stated address is no trusted proxy.
            let stated = try site.connect()
            try stated.send(
                Self.v4
                    + Array(
                        "GET /client HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n"
                            .utf8))
            #expect(try stated.answer().body == #""203.0.113.9""#)
            let plain = try site.connect()
            try plain.send(request)
            #expect(try plain.rest().isEmpty)
            var update = site.gateway.configuration
            update.trustedProxies = ["10.0.0.1"]
            await site.gateway.commit(try site.gateway.prepare(update))
            let stranger = try site.connect()
            #expect(try stranger.rest().isEmpty)
        }
    }

    @Test func `A header of the PROXY protocol has the time of a handshake`() async throws {
        try await World.run({
            $0.trustedProxies = ["127.0.0.1"]
            $0.proxyProtocolListeners = ["127.0.0.1:0"]
            $0.limits.headerTimeout = 5
        }) { _, site in
            let client = try site.connect()
            try client.send(Array(Self.v4.dropLast(3)))
            await yielding(until: "it is accepted") { site.gateway.connections == 1 }
            await site.gateway.sweep(times: 10)
            #expect(try client.rest().isEmpty)
        }
    }

    // MARK: Configuration

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.1/8", "10.0.0", "example.com", "", "/8", "10.0.0.0/", "10.0.0.0/x", "::1/129",
        "10.0.0.1:80",
        "[::1]", "fe80::1%eth0",
    ]) func `Texts that name no proxy are refused`(text: String) {
        var configuration = GatewayConfiguration()
        configuration.trustedProxies = [text]
        #expect(throws: GatewayError.self) { try configuration.check() }
    }

    @Test func `Without a trusted proxy no listener can take the PROXY protocol`() {
        var configuration = GatewayConfiguration()
        configuration.proxyProtocolListeners = ["127.0.0.1:8080"]
        #expect(throws: GatewayError.self) { try configuration.check() }
        configuration.trustedProxies = ["0.0.0.0/0", "::/0", "unix"]
        #expect(throws: Never.self) { try configuration.check() }
    }
}
