import Platform
import RestEngine
import Testing

@testable import Gateway

@Suite struct ListenTests {
    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:-1", ":8080", "::1:80", "example.org:80",
        "unix:relative", "unix:/" + String(repeating: "a", count: 110), "[127.0.0.1:80",
    ])
    func `Text that is no address is refused with a reason`(_ text: String) async {
        let world = await World.empty()
        var configuration = GatewayConfiguration()
        configuration.listen = [text]
        #expect {
            _ = try Gateway(configuration, directory: world)
        } throws: { error in
            guard case GatewayError.badAddress(text, _) = error else { return false }
            return true
        }
    }

    @Test func `An address that is listed twice is refused: its TLS would be the other's too`() async {
        let world = await World.empty()
        var configuration = GatewayConfiguration()
        configuration.listen = ["127.0.0.1:0", "127.0.0.1:0"]
        configuration.listenerTLS = ["127.0.0.1:0": nil]
        #expect {
            _ = try Gateway(configuration, directory: world)
        } throws: { error in
            guard case GatewayError.badAddress("127.0.0.1:0", let why) = error else { return false }
            return why.contains("listed twice")
        }
    }

    @Test func `It listens on several addresses, and a taken one is named`() async throws {
        let path = "/tmp/resthost-gateway-\(getpid()).sock"
        try await World.run(
            { $0.listen = ["127.0.0.1:0", "localhost:0", "unix:" + path] },
            automatic: { _ in .success(.stub("[1]")) }
        ) { world, site in
            #expect(site.addresses.count == 3)
            #expect(site.addresses[0].hasPrefix("127.0.0.1:"))
            #expect(site.port != 0)
            let client = try Client(path: path)
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.answer().body == "[1]")

            for taken in [site.addresses[0], "unix:" + path] {
                var configuration = GatewayConfiguration()
                configuration.listen = ["127.0.0.1:0", taken]
                let second = try Gateway(configuration, directory: world)
                #expect(throws: GatewayError.addressInUse(taken)) { try second.start() }
            }
            #expect(throws: GatewayError.alreadyStarted) { try site.gateway.start() }
            #expect(try site.get("/github/a").status == 200)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `A socket whose program is gone is replaced`() async throws {
        let path = "/tmp/resthost-gateway-left-\(getpid()).sock"
        Client.leaveSocket(at: path)
        #expect(access(path, F_OK) == 0)
        try await World.run({ $0.listen = ["unix:" + path] }) { _, _ in
            let client = try Client(path: path)
            try client.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.answer().status == 200)
        }
    }

    @Test func `A refusal by the system is explained`() async throws {
        let world = await World.empty()
        let cases: [(String, GatewayError)] = [
            ("unix:/nowhere/at/all.sock", .missingFolder("unix:/nowhere/at/all.sock")),
            ("192.0.2.1:0", .addressNotAvailable("192.0.2.1:0")),
        ]
        for (text, error) in cases {
            var configuration = GatewayConfiguration()
            configuration.listen = [text]
            let gateway = try Gateway(configuration, directory: world)
            #expect(throws: error) { try gateway.start() }
        }
    }
}
