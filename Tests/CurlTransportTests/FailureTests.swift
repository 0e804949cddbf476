import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct FailureTests {
    let transport = CurlTransport()

    private func failure(_ handler: @escaping LoopbackPeer.Handler) async throws -> TransportError {
        let peer = LoopbackPeer(handler)
        defer { peer.close() }
        return try #require(await transport.answer(to: TransportRequest(url: peer.baseURL)).error)
    }

    @Test func `a port on which nobody listens is a failed connection`() async throws {
        let url = "http://127.0.0.1:\(LoopbackPeer.unusedPort())/"
        let error = try #require(await transport.answer(to: TransportRequest(url: url)).error)
        #expect(error.code == .connectionFailed)
        #expect(error.phase == .connect)
    }

    @Test func `a name that does not exist is a failed look-up`() async throws {
        let result = await transport.answer(to: TransportRequest(url: "http://nonexistent.invalid/"))
        let error = try #require(result.error)
        #expect(error.code == .dnsFailed)
        #expect(error.phase == .dns)
    }

    @Test func `an answer that is not HTTP can't be decoded`() async throws {
        let error = try await failure { _, connection in
            connection.send("SSH-2.0-OpenSSH_9\r\nthis is another protocol\r\n\r\n")
            connection.close()
        }
        #expect(error.code == .decodingFailed)
    }

    @Test func `a response shorter than its length is a broken connection`() async throws {
        let error = try await failure { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            connection.close()
        }
        #expect(error.code == .connectionFailed)
        #expect(error.phase == .receive)
    }

    @Test func `a chunked response without its end is a broken connection`() async throws {
        let error = try await failure { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            connection.close()
        }
        #expect(error.code == .connectionFailed)
        #expect(error.phase == .receive)
    }

    @Test func `a chunk without a size can't be decoded`() async throws {
        let error = try await failure { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n")
            connection.close()
        }
        #expect(error.code == .decodingFailed)
        #expect(error.phase == .receive)
    }

    @Test func `a connection that closes without an answer has failed`() async throws {
        let error = try await failure { _, connection in connection.close() }
        #expect(error.code == .connectionFailed)
        #expect(error.phase == .firstByte)
    }

    @Test func `a reset in the middle of a body is a broken connection`() async throws {
        let error = try await failure { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            connection.reset()
        }
        #expect(error.code == .connectionFailed)
    }

    @Test(arguments: [
        "", "/relative", "ftp://127.0.0.1/", "file:///etc/passwd", "http//x", "http://127.0.0.1/a b",
        "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\0", "http://", "http://127.0.0.1:99999/",
        "gopher://h/",
    ])
    func `what is no absolute http URL is refused`(url: String) async {
        let result = await transport.answer(to: TransportRequest(url: url))
        #expect(result.error?.code == .invalidURL)
    }

    @Test func `one bad transfer leaves the others alone`() async throws {
        let peer = LoopbackPeer { request, connection in
            switch request.path {
            case "/garbage": connection.send("garbage\r\n\r\n")
            case "/cut": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
            default: return connection.respond(text: request.path)
            }
            connection.close()
        }
        var good = 0
        var bad = 0
        let _: Bool? = await waiting(for: "60 results") { notified in
            for number in 0..<60 {
                let path = ["/garbage", "/cut", "/good"][number % 3]
                _ = transport.send(TransportRequest(url: peer.baseURL + path)) { result in
                    if case .success = result { good += 1 } else { bad += 1 }
                    if good + bad == 60 { notified(true) }
                }
            }
        }
        #expect(good == 20)
        #expect(bad == 40)
    }
}
