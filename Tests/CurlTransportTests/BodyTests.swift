import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct BodyTests {
    let transport = CurlTransport()

    private func received(_ bytes: [UInt8]) async -> TransportResult {
        let peer = LoopbackPeer { _, connection in
            connection.send(bytes)
            connection.close()
        }
        return await transport.answer(to: TransportRequest(url: peer.baseURL))
    }

    private func encoded(_ coding: String, _ body: [UInt8]) async -> TransportResult {
        await received(
            PeerConnection.response(headers: [("Content-Encoding", coding), ("ETag", "x")], body: body))
    }

    // MARK: Sent

    @Test(arguments: [1, 65_536, 65_537, 500_000])
    func `a body arrives whole, whatever its size`(count: Int) async throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        for _ in 0..<2 {
            let request = TransportRequest(method: "PUT", url: peer.baseURL, body: body)
            let response = try await transport.answer(to: request).get()
            let seen = try #require(peer.requests.last)
            #expect(seen.body == body)
            // If the body fills the first buffer together with the head, the head's size can't be seen.
            let sent = Int(response.timings.bytesSent)
            #expect(sent == seen.headBytes + count || count == 65_536 && sent == count)
        }
    }

    // MARK: Received

    @Test func `every way to frame a body gives the same bytes`() async throws {
        let framings = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nhello",
        ]
        for framing in framings {
            #expect(try await received(Array(framing.utf8)).get().body == Array("hello".utf8))
        }
    }

    @Test func `bytes that come one by one are put together`() async throws {
        let body = (0..<2000).map { UInt8(truncatingIfNeeded: $0) }
        let peer = LoopbackPeer { _, connection in
            connection.send(PeerConnection.response(body: body), inPiecesOf: 1)
        }
        #expect(try await transport.answer(to: TransportRequest(url: peer.baseURL)).get().body == body)
    }

    @Test(arguments: [1, 100, 10_000, 1_500_000])
    func `a body has room behind its end`(count: Int) async throws {
        let body = [UInt8](repeating: 1, count: count)
        let plain = try await received(PeerConnection.response(body: body)).get().body
        #expect(plain.count == count)
        #expect(plain.capacity >= count + 64)
        let closed = try await received(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + body).get().body
        #expect(closed.count == count)
        #expect(closed.capacity >= count + 64)
    }

    @Test func `gzip, brotli and zstandard are decoded and no longer announced`() async throws {
        let hello = Array("hello".utf8)
        let bodies: [(String, [UInt8])] = [
            ("gzip", Gzip.stored(hello)),
            ("br", [0x0B, 0x02, 0x80] + hello + [0x03]),
            ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 5 << 3 | 1, 0, 0] + hello),
        ]
        for (coding, bytes) in bodies {
            let response = try await encoded(coding, bytes).get()
            #expect(response.body == hello)
            #expect(!response.headers.contains("Content-Encoding"))
            #expect(!response.headers.contains("Content-Length"))
            #expect(response.headers["ETag"] == "x")
            #expect(response.timings.bytesReceived == Int64(bytes.count))
        }
    }

    @Test func `what was not decoded stays announced`() async throws {
        let response = try await encoded("identity", [1, 2, 3]).get()
        #expect(response.headers["Content-Encoding"] == "identity")
        #expect(response.headers["Content-Length"] == "3")
    }

    @Test(arguments: [("gzip", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), ("rot13", [1])])
    func `a body that can't be decoded is an error`(coding: String, body: [UInt8]) async {
        let error = await encoded(coding, body).error
        #expect(error?.code == .decodingFailed)
        #expect(error?.phase == .receive)
    }

    @Test(arguments: [204, 304]) func `a status without a body has none`(status: Int) async throws {
        let response = try await received(Array("HTTP/1.1 \(status) X\r\nETag: x\r\n\r\n".utf8)).get()
        #expect(response.status == status)
        #expect(response.body.isEmpty)
    }
}
