import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// Bodies as they arrive. Large ones are kept in pieces.
struct ReceivedBodyTests {
    private static let mebibyte = 1 << 20

    /// Bytes in which all blocks differ.
    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = (0..<4093).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        while bytes.count < count {
            block[bytes.count % block.count] &+= 1
            bytes.append(contentsOf: block.prefix(count - bytes.count))
        }
        return bytes
    }

    /// Receives the bytes in parts of that size; returns the body and the sizes of memory that it asked for.
    private func received(_ bytes: [UInt8], inPartsOf size: Int) -> (body: ReceivedBody, rooms: [Int]) {
        var body = ReceivedBody()
        var rooms: [Int] = []
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: size) {
                let part = UnsafeRawBufferPointer(rebasing: all[start..<min(start + size, all.count)])
                if let room = body.room(for: part.count) {
                    rooms.append(room)
                    body.makeRoom(for: part.count)
                }
                body.append(part)
            }
        }
        return (body, rooms)
    }

    @Test(arguments: [
        (0, 1000), (1, 1), (1_000_000, 16_384), (1 << 20, 16_384), ((1 << 20) + 1, 16_384), (2_200_000, 9999),
        (4_100_000, 2_000_000), (2 << 20, 1 << 20),
    ])
    func `what came is joined in its order, with room behind its end`(count: Int, part: Int) {
        let bytes = Self.bytes(count)
        var (body, _) = received(bytes, inPartsOf: part)
        #expect(body.count == count && body.isEmpty == (count == 0))
        #expect(count > Self.mebibyte || !body.isInPieces)
        let joined = body.join()
        #expect(joined == bytes)
        #expect(count < 1000 || joined.capacity >= count + 64)
        #expect(body.isEmpty && !body.isInPieces)
    }

    @Test func `no more than a piece is ever copied to a larger place, or asked for ahead`() {
        let (body, rooms) = received(Self.bytes(8_000_000), inPartsOf: 16_384)
        #expect(body.isInPieces)
        #expect(rooms == rooms.sorted())
        #expect(rooms.last.map { $0 < 8_000_000 + 2 * Self.mebibyte } == true)
        // The size doubles up to a mebibyte. From there on each block has one mebibyte more.
        #expect(rooms.count < 8 + 8)
        #expect(ReceivedBody.room(forAnnounced: .max) == Self.mebibyte + 64)
    }

    // MARK: In transfers

    private static let size = 2_500_000

    private static func peer(_ bytes: [UInt8]) -> LoopbackPeer {
        LoopbackPeer { _, connection in
            connection.send(bytes)
            connection.close()
        }
    }

    @Test(arguments: ["announced", "chunked", "closed"]) @EngineActor
    func `a large body arrives whole, and ticks run while it comes`(framing: String) async throws {
        let body = Self.bytes(Self.size)
        let peer =
            switch framing {
            case "announced": Self.peer(PeerConnection.response(body: body))
            case "closed": Self.peer(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + body)
            default:
                Self.peer(
                    Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                        + Array("\(String(body.count, radix: 16))\r\n".utf8) + body
                        + Array("\r\n0\r\n\r\n".utf8))
            }
        let growth = try await BodyGrowth(of: peer.baseURL)
        #expect(try growth.result.get().body == body)
        #expect(try growth.result.get().timings.bytesReceived == Int64(Self.size))
        #expect(growth.most < 1 << 20)
    }

    @Test @EngineActor func `a cancelled large body is not reported, wherever it is`() async throws {
        let peer = Self.peer(PeerConnection.response(body: Self.bytes(Self.size)))
        let transport = CurlTransport()
        for ends in [true, false] {
            var timesReported = 0
            let transfer = try #require(
                transport.send(TransportRequest(url: peer.baseURL)) { _ in timesReported += 1 }
                    as? CurlTransfer)
            // Cancels while the body arrives, or while its pieces are joined, when it has no handle any more.
            await yielding(until: "the body \(ends ? "has come" : "comes")") {
                ends ? transfer.handle == nil : transfer.handle?.body.isInPieces ?? true
            }
            // The joining may be over already.
            let before = timesReported
            transfer.cancel()
            let answer = await transport.answer(to: TransportRequest(url: peer.baseURL))
            #expect(try answer.get().body.count == Self.size)
            #expect(timesReported == before)
        }
    }

    @Test @EngineActor func `a large body is too large at the byte that is`() async {
        let peer = Self.peer(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + Self.bytes(Self.size))
        for (limit, code) in [(Self.size, nil), (Self.size - 1, TransportError.Code.tooLarge)] {
            let request = TransportRequest(url: peer.baseURL, maxBodyBytes: limit)
            #expect(await CurlTransport().answer(to: request).error?.code == code)
        }
    }
}
