import CurlTransport
import RestEngine
import Synchronization
import TestSupport
import Testing

@EngineActor
@Suite(.enabled(if: TLSServer.isInstalled, "nginx and openssl are needed"))
struct TLSTests {
    let peer = LoopbackPeer { _ in PeerConnection.response() }
    let server: TLSServer

    // Not on the loop, because it waits for other processes.
    nonisolated init() throws { server = try #require(TLSServer(upstream: peer.port)) }

    private func transport(
        http2: Bool = true, _ set: (inout TransportOptions) -> Void = { _ in }
    ) -> CurlTransport {
        var options = TransportOptions()
        options.http2 = http2
        options.caFile = server.certificateFile
        set(&options)
        return CurlTransport(options: options)
    }

    @Test func `a folder of certificates is trusted like a file`() async throws {
        let transport = transport {
            $0.caFile = nil
            $0.caPath = server.folder + "/trusted"
        }
        #expect(try await transport.answer(to: TransportRequest(url: server.url)).get().status == 200)
    }

    @Test func `by a proxy the head of the response is the server's, not that of the tunnel`() async throws {
        let port = server.port
        let proxy = LoopbackPeer(readsBodies: false) { _, connection in connection.tunnel(to: port) }
        let transport = transport { $0.proxy = proxy.baseURL }
        let response = try await transport.answer(to: TransportRequest(url: server.url)).get()
        #expect(response.headers["Proxy-agent"] == nil)
        #expect(response.headers["Server"]?.hasPrefix("nginx") == true)
        #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("HTTP/2"))
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }

    @Test(arguments: [false, true])
    func `the bytes sent by a proxy are those of the tunnel, once, and of the request`(http2: Bool)
        async throws
    {
        let port = server.port
        let proxy = LoopbackPeer(readsBodies: false) { _, connection in connection.tunnel(to: port) }
        let transport = transport(http2: http2) { $0.proxy = proxy.baseURL }
        var sent: [Int64] = []
        for body in ["", "", "four"] {
            let request = TransportRequest(method: "POST", url: server.url, body: Array(body.utf8))
            sent.append(try await transport.answer(to: request).get().timings.bytesSent)
        }
        let tunnel = try #require(proxy.requests.first)
        #expect(proxy.requests.count == 1 && sent[1] > 0)
        #expect(sent[0] == sent[1] + Int64(tunnel.headBytes))
        #expect(sent[2] >= sent[1] + 4)
    }

    @Test func `a proxy with TLS is trusted by the same certificates, or is named as distrusted`()
        async throws
    {
        let request = TransportRequest(url: "http://nowhere.invalid/")
        let known = transport { $0.proxy = server.url }
        #expect(try await known.answer(to: request).get().status == 200)
        let unknown = transport {
            $0.caFile = nil
            $0.proxy = server.url
        }
        let error = try #require(await unknown.answer(to: request).error)
        #expect(error.code == .tlsFailed && error.peer == "proxy 127.0.0.1:\(server.port)")
        #expect(error.message.hasPrefix("the proxy's certificate can't be trusted"))
    }

    @Test func `a server that wants to know its client gets the certificate`() async throws {
        let request = TransportRequest(url: server.strictURL)
        let known = transport {
            $0.clientCertificate = server.folder + "/client.pem"
            $0.clientKey = server.folder + "/client.key.pem"
        }
        let response = try await known.answer(to: request).get()
        #expect(String(decoding: response.body, as: UTF8.self) == "TLSv1.2 CN=client")
        // A connection of a known client exists. Unknown clients must not use it.
        #expect(try await transport().answer(to: request).get().status == 400)
        let wrong = transport { $0.clientCertificate = server.folder + "/none.pem" }
        let error = try #require(await wrong.answer(to: request).error)
        #expect(error.code == .tlsFailed && error.message.hasPrefix("the client's certificate"))
    }

    @Test func `one pin must be that of the server's key, also on a connection that is open`() async throws {
        let request = TransportRequest(url: server.url)
        let right = try #require(server.pin)
        let wrong = "sha256//" + String(repeating: "A", count: 43) + "="
        #expect(TransportOptions.problem(ofPin: right) == nil)
        _ = try await transport().answer(to: request).get()
        let pinned = transport { $0.pins = [wrong, right] }
        #expect(try await pinned.answer(to: request).get().status == 200)
        let error = try #require(await transport { $0.pins = [wrong] }.answer(to: request).error)
        #expect(error.code == .tlsFailed)
        #expect(error.message == "the server's public key is not the pinned one")
    }

    @Test func `a server of an older TLS than the lowest is refused`() async throws {
        let request = TransportRequest(url: server.strictURL)
        #expect(try await transport { $0.minTLS = .tls12 }.answer(to: request).get().status == 400)
        let error = try #require(await transport { $0.minTLS = .tls13 }.answer(to: request).error)
        #expect(error.code == .tlsFailed && error.phase == .tls)
    }

    @Test func `HTTP/2 is spoken where the server chooses it`() async throws {
        let response = try await transport().answer(to: TransportRequest(url: server.url)).get()
        #expect(response.httpVersion == "HTTP/2")
        #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("HTTP/2.0 "))
        #expect(response.headers["content-type"] != nil)
        #expect(response.timings.tlsSeconds > 0)
    }

    @Test(arguments: [false, true])
    func `40.4 bytes over TLS on an idle connection are no answer, and session tickets are allowed`(
        http2: Bool
    ) async throws {
        let port = server.port
        let last = Mutex<PeerConnection?>(nil)
        let proxy = LoopbackPeer(readsBodies: false) { _, connection in
            last.withLock { $0 = connection }
            connection.tunnel(to: port)
        }
        let transport = transport(http2: http2) { $0.proxy = proxy.baseURL }
        for number in 0..<5 {
            let response = try await transport.answer(to: TransportRequest(url: server.url)).get()
            #expect(response.timings.isConnectionReused == (number > 0))
        }
        guard !http2 else { return }
        last.withLock { $0 }?.send("no record of TLS")
        let response = try await transport.answer(to: TransportRequest(url: server.url)).get()
        #expect(!response.timings.isConnectionReused && proxy.connectionCount == 2)
    }

    @Test func `HTTP/2 can be switched off`() async throws {
        let response = try await transport(http2: false).answer(to: TransportRequest(url: server.url)).get()
        #expect(response.httpVersion == "HTTP/1.1")
    }

    @Test func `a cold burst shares one HTTP/2 connection`() async throws {
        let transport = transport()
        var bodies: Set<[UInt8]> = []
        var done = 0
        let allDone = Gate()
        for _ in 0..<20 {
            _ = transport.send(TransportRequest(url: server.url)) { result in
                if case .success(let response) = result { bodies.insert(response.body) }
                done += 1
                if done == 20 { allDone.open() }
            }
        }
        await allDone.opened()
        #expect(bodies.count == 1)
    }

    @Test(arguments: [5, 200_000]) func `methods, headers and bodies go over HTTP/2`(count: Int) async throws
    {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let request = TransportRequest(
            method: "PUT", url: server.url + "echo", headers: Headers([("X-Header", "value")]), body: body)
        let response = try await transport().answer(to: request).get()
        #expect(response.httpVersion == "HTTP/2")
        let seen = try #require(peer.requests.last)
        #expect(seen.method == "PUT")
        #expect(seen.headers["X-Header"] == "value")
        #expect(seen.body == body)
    }

    @Test func `files and forms go over HTTP/2`() async throws {
        let folder = TemporaryFolder()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        folder.write("file", bytes: bytes)
        let path = "\(folder.path)/file"
        let transport = transport()
        let part = MultipartPart(name: "a", source: .file(path: path))
        for upload: Upload in [.file(path: path), .multipart([part, part]), .file(path: path)] {
            let request = TransportRequest(method: "POST", url: server.url + "echo", upload: upload)
            let response = try await transport.answer(to: request).get()
            #expect(response.httpVersion == "HTTP/2" && response.status == 200)
            let seen = try #require(peer.requests.last)
            if case .file = upload {
                #expect(seen.body == bytes)
            } else {
                #expect(seen.body.count > 400_000)
                #expect(seen.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
                #expect(seen.text.hasSuffix("--\r\n"))
            }
        }
    }

    @Test func `a certificate that nobody vouches for is refused, and the error says why`() async throws {
        let error = try #require(await CurlTransport().answer(to: TransportRequest(url: server.url)).error)
        #expect(error.code == .tlsFailed)
        #expect(error.phase == .tls)
        #expect(error.message.contains("self-signed"))
    }

    @Test func `a certificate for another host is refused`() async throws {
        let url = "https://localhost:\(server.port)/"
        let error = try #require(await transport().answer(to: TransportRequest(url: url)).error)
        #expect(error.code == .tlsFailed)
    }
}
