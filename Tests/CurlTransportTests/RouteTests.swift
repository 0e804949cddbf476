import CurlTransport
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Options that change the address or the way to the URL's host.
@EngineActor
struct RouteTests {
    private func transport(_ set: (inout TransportOptions) -> Void) -> CurlTransport {
        var options = TransportOptions()
        set(&options)
        return CurlTransport(options: options)
    }

    // MARK: unix_socket

    @Test func `a Unix domain socket is asked whatever the URL's host is`() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/socket"
        let peer = LoopbackPeer(unixSocket: path) { request, connection in
            connection.respond(text: request.method + request.text)
        }
        defer { folder.remove("socket") }
        let transport = transport { $0.unixSocket = path }
        for body: [UInt8]? in [nil, [0x61]] {
            let request = TransportRequest(
                method: "PUT", url: "http://docker.test/v1/info?all=1", body: body)
            let response = try await transport.answer(to: request).get()
            #expect(response.body == Array("PUT".utf8) + (body ?? []))
        }
        let seen = try #require(peer.requests.first)
        #expect(seen.target == "/v1/info?all=1" && seen.headers["Host"] == "docker.test")
        #expect(peer.connectionCount == 1)
    }

    @Test func `a Unix domain socket that is not there is a connection failure`() async throws {
        let transport = transport { $0.unixSocket = "/none/socket" }
        let error = try #require(
            await transport.answer(to: TransportRequest(url: "http://a.test/")).error)
        #expect(error.code == .connectionFailed && error.phase == .connect)
    }

    // MARK: proxy

    @Test func `a proxy gets the whole URL of a plain request`() async throws {
        let peer = LoopbackPeer { request, connection in connection.respond(text: request.text) }
        let transport = transport { $0.proxy = peer.baseURL }
        let request = TransportRequest(method: "POST", url: "http://a.test/x?y=1", body: [0x62])
        let response = try await transport.answer(to: request).get()
        #expect(response.body == [0x62])
        let seen = try #require(peer.requests.first)
        #expect(seen.target == "http://a.test/x?y=1" && seen.headers["Host"] == "a.test")
        #expect(response.timings.bytesSent == Int64(seen.headBytes + 1))
    }

    @Test func `a proxy is asked for a tunnel to a secure host, and its refusal is the error`() async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(403) }
        let transport = transport { $0.proxy = peer.baseURL }
        let headers = Headers([("Authorization", "secret")])
        let result = await transport.answer(
            to: TransportRequest(url: "https://a.test/x", headers: headers))
        #expect(result.error?.code == .connectionFailed)
        let seen = try #require(peer.requests.first)
        #expect(seen.method == "CONNECT" && seen.target == "a.test:443")
        #expect(!seen.head.contains("secret"))
    }

    @Test func `a proxy that is not there is a connection failure`() async throws {
        let transport = transport { $0.proxy = "http://127.0.0.1:\(LoopbackPeer.unusedPort())" }
        let error = try #require(
            await transport.answer(to: TransportRequest(url: "http://a.test/")).error)
        #expect(error.code == .connectionFailed && error.phase == .connect)
    }

    @Test func `a SOCKS proxy is asked for the host's name, and resolves it`() async throws {
        let asked = Mutex<[String]>([])
        let proxy = LoopbackPeer { place in
            asked.withLock { $0.append(place) }
        } _: { request, connection in
            connection.respond(text: request.target)
        }
        let transport = transport { $0.proxy = "socks5h://127.0.0.1:\(proxy.port)" }
        let response = try await transport.answer(
            to: TransportRequest(url: "http://nowhere.invalid:8080/x?y=1")
        ).get()
        #expect(response.body == Array("/x?y=1".utf8))
        #expect(asked.withLock { $0 } == ["nowhere.invalid:8080"])
        #expect(proxy.requests.first?.headers["Host"] == "nowhere.invalid:8080")
    }

    @Test(arguments: [
        ("127.0.0.1", "direct"), ("a.test,127.0.0.0/8", "direct"), ("*", "direct"), ("a.test", "by proxy"),
    ])
    func `hosts of no_proxy are asked without it`(hosts: String, way: String) async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(text: "direct") }
        let proxy = LoopbackPeer { _, connection in connection.respond(text: "by proxy") }
        let transport = transport {
            $0.proxy = proxy.baseURL
            $0.noProxy = hosts
        }
        let response = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        #expect(String(decoding: response.body, as: UTF8.self) == way)
    }

    @Test func `credentials of a proxy go to it alone, and into no error`() async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(407) }
        let transport = transport { $0.proxy = "http://user:canary@127.0.0.1:\(peer.port)" }
        let error = try #require(
            await transport.answer(to: TransportRequest(url: "https://a.test/")).error)
        #expect(peer.requests.first?.headers["Proxy-Authorization"]?.hasPrefix("Basic ") == true)
        #expect(!"\(error)".contains("canary"))
        let none = self.transport { $0.proxy = "http://user:canary@127.0.0.1:\(LoopbackPeer.unusedPort())" }
        let failure = try #require(await none.answer(to: TransportRequest(url: "http://a.test/")).error)
        #expect(!"\(failure)".contains("canary") && failure.peer?.contains("canary") != true)
    }

    // MARK: resolve, ip

    @Test func `a host is reached at the address that it is given, by this transport alone`() async throws {
        let peer = LoopbackPeer { request, connection in connection.respond(text: request.target) }
        let url = "http://api.invalid:\(peer.port)/x"
        let known = transport { $0.addresses = ["api.invalid:\(peer.port)": "127.0.0.1"] }
        #expect(try await known.answer(to: TransportRequest(url: url)).get().status == 200)
        #expect(peer.requests.first?.headers["Host"] == "api.invalid:\(peer.port)")
        let other = CurlTransport()
        #expect(await other.answer(to: TransportRequest(url: url)).error?.code == .dnsFailed)
    }

    @Test func `a host that has no address of the version asked for can't be reached`() async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(text: "") }
        let request = TransportRequest(url: peer.baseURL)
        #expect(try await transport { $0.ip = .v4 }.answer(to: request).get().status == 200)
        let error = try #require(await transport { $0.ip = .v6 }.answer(to: request).error)
        #expect(error.code == .dnsFailed || error.code == .connectionFailed)
    }

    @Test func `without a proxy of its own it follows the environment, with an empty one it does not`()
        async
    {
        // Runs in another process, because the environment is shared by all tests.
        await #expect(processExitsWith: .success) { @EngineActor in
            let peer = LoopbackPeer { _, connection in connection.respond(text: "direct") }
            let proxy = LoopbackPeer { _, connection in connection.respond(text: "by proxy") }
            setenv("http_proxy", proxy.baseURL, 1)
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            for (option, expected) in [(nil, "by proxy"), ("", "direct")] {
                var options = TransportOptions()
                options.proxy = option
                let result = await CurlTransport(options: options).answer(
                    to: TransportRequest(url: peer.baseURL))
                guard (try? result.get().body) == Array(expected.utf8) else { exit(1) }
            }
        }
    }
}
