import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
@Suite(.enabled(if: TLSServer.isInstalled, "nginx and openssl are needed"))
struct TLSTests {
    let peer = LoopbackPeer { _ in PeerConnection.response() }
    let server: TLSServer

    // Off the loop: it waits for other processes.
    nonisolated init() throws { server = try #require(TLSServer(upstream: peer.port)) }

    private func transport(http2: Bool = true) -> CurlTransport {
        var options = TransportOptions()
        options.http2 = http2
        options.caFile = server.certificateFile
        return CurlTransport(options: options)
    }

    @Test func `HTTP/2 is spoken where the server chooses it`() async throws {
        let response = try await transport().answer(to: TransportRequest(url: server.url)).get()
        #expect(response.httpVersion == "HTTP/2")
        #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("HTTP/2.0 "))
        #expect(response.headers["content-type"] != nil)
        #expect(response.timings.tls > 0)
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
