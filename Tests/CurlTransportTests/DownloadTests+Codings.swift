import RestEngine
import TestSupport
import Testing

/// Bodies that go into files and are encoded, although the request didn't ask for that.
extension DownloadTests {
    /// Encodes the bytes as one member after another, because each holds 64 KiB.
    private nonisolated static func packed(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 50_000).flatMap { start in
            Gzip.stored(Array(bytes[start..<min(start + 50_000, bytes.count)]))
        }
    }

    private nonisolated static let fields = [("Content-Encoding", "gzip"), ("ETag", "\"1\"")]

    /// Decoded, the part is as long as the missing bytes, or shorter.
    @Test(arguments: [200_000, 50_000])
    func `56.4 a packed part is not put behind what came unpacked, and all is asked for anew`(count: Int)
        async throws
    {
        let peer = Self.cut { request, connection in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return connection.respond(headers: [("ETag", "\"1\"")], body: Self.whole)
            }
            connection.respond(
                206, headers: Self.fields + [("Content-Range", "bytes \(start)-299999/300000")],
                body: Self.packed([UInt8](repeating: 0, count: count)))
        }
        let request = try request(peer)
        let entity = try await request.entity()
        #expect(bytes == Self.whole && entity.content.tree?["bytes"]?.int == 300_000)
        #expect(peer.requests.map { $0.headers["Range"] == nil } == [true, false, true])
        #expect(request.attempts.map(\.error?.code) == [.connectionFailed, .decodingFailed, nil])
    }

    @Test func `56.4 a packed whole begins anew, and is unpacked`() async throws {
        let peer = Self.cut { _, connection in
            connection.respond(headers: Self.fields, body: Self.packed(Self.whole))
        }
        let entity = try await download(peer)
        #expect(bytes == Self.whole && entity.content.tree?["bytes"]?.int == 300_000)
        #expect(peer.requests.count == 2)
    }

    @Test func `56.3 56.4 a packed body that is cut is the end, and the old file stays`() async throws {
        folder.write("file", "old")
        let peer = LoopbackPeer { _, connection in
            let body = Self.packed(Self.whole)
            connection.send(
                "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
            )
            connection.send(Array(body[..<100_000]))
            connection.close()
        }
        let error = await #expect(throws: RequestError.self) { try await self.download(peer) }
        #expect(error?.code == "connection_failed" && peer.requests.count == 1)
        #expect(bytes == Array("old".utf8))
    }
}
