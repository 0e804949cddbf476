import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct LimitTests {
    let transport = CurlTransport()

    private func answer(limit: Int, _ bytes: [UInt8]) async -> TransportResult {
        let peer = LoopbackPeer { _, connection in
            connection.send(bytes)
            connection.stall()
        }
        return await transport.answer(to: TransportRequest(url: peer.baseURL, maxBodyBytes: limit))
    }

    private func expectTooLarge(_ result: TransportResult, _ limit: Int) {
        #expect(result.error?.code == .tooLarge)
        #expect(result.error?.limit == limit)
        #expect(result.error?.phase == .receive)
    }

    @Test func `a body of exactly the limit passes`() async throws {
        let body = [UInt8](repeating: 1, count: 1000)
        #expect(try await answer(limit: 1000, PeerConnection.response(body: body)).get().body == body)
    }

    @Test func `a body that announces more is not waited for`() async {
        let result = await answer(limit: 1000, Array("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\nx".utf8))
        expectTooLarge(result, 1000)
    }

    @Test func `a length beyond all reason is too large, too`() async {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx"
        expectTooLarge(await answer(limit: 1000, Array(head.utf8)), 1000)
    }

    @Test func `an endless chunked body stops at the limit`() async {
        let chunk = "400\r\n" + String(repeating: "x", count: 1024) + "\r\n"
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(String(repeating: chunk, count: 2000))
            connection.stall()
        }
        let request = TransportRequest(url: peer.baseURL, maxBodyBytes: 100_000)
        expectTooLarge(await transport.answer(to: request), 100_000)
    }

    @Test func `a gzip bomb stops at the decoded limit`() async {
        let bomb = Gzip.zeros(100 << 20)
        #expect(bomb.count < 1 << 20)
        let result = await answer(
            limit: 1 << 20, PeerConnection.response(headers: [("Content-Encoding", "gzip")], body: bomb))
        expectTooLarge(result, 1 << 20)
    }

    @Test func `an encoded body may be longer on the line than decoded`() async throws {
        let body = Gzip.stored([1, 2, 3])
        let result = await answer(
            limit: 3, PeerConnection.response(headers: [("Content-Encoding", "gzip")], body: body))
        #expect(try result.get().body == [1, 2, 3])
    }
}
