import CurlTransport
import Platform
import RestEngine
import TestSupport
import Testing

/// The two options that lead somewhere else than the URL's host.
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

    @Test func `without a proxy of its own it follows the environment, with an empty one it does not`()
        async
    {
        // In a process of its own: the environment is everybody's.
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
