import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// A few kilobytes may decode to any number of megabytes. Other transfers of the loop don't wait for that.
struct BodyDecoderTests {
    private static let size = 10_000 * 258 + 1
    private static let zeros = Gzip.soundZeros(copies: 10_000)

    /// Decodes a chunk with this many bytes allowed at a time; returns the size of each result.
    private func decode(_ codings: [String], _ chunk: [UInt8], allowance: Int) throws -> [Int] {
        let decoder = try #require(BodyDecoder(codings))
        var sizes: [Int] = []
        var taken = 0
        while true {
            var (left, size) = (allowance, 0)
            let outcome = chunk[taken...].withUnsafeBytes { rest in
                decoder.decode(rest, allowance: &left) { part in
                    #expect(part.allSatisfy { $0 == 0 })
                    size += part.count
                    return true
                }
            }
            sizes.append(size)
            guard case .interrupted(let count) = outcome else {
                #expect(outcome == .taken && decoder.isWhole)
                return sizes
            }
            taken += count
        }
    }

    @Test(arguments: [1, 5000, 32 << 10, 100_000, 1 << 20])
    func `a chunk is decoded as far as is allowed, and then on`(allowance: Int) throws {
        let sizes = try decode(["gzip"], Self.zeros, allowance: allowance)
        #expect(sizes.reduce(0, +) == Self.size)
        #expect(sizes.allSatisfy { $0 < allowance + (32 << 10) })
        #expect(sizes.count >= Self.size / (allowance + (32 << 10)))
    }

    @Test func `what a coding holds inside of another counts as well`() throws {
        let sizes = try decode(["gzip", "gzip"], Gzip.stored(Self.zeros), allowance: 40_000)
        #expect(sizes.reduce(0, +) == Self.size)
        #expect(sizes.count > 20)
    }

    private func peer(_ body: [UInt8]) -> LoopbackPeer {
        LoopbackPeer { _ in PeerConnection.response(headers: [("Content-Encoding", "gzip")], body: body) }
    }

    @Test @EngineActor func `ticks run while a body is decoded`() async throws {
        let peer = peer(Self.zeros)
        let growth = try await BodyGrowth(of: peer.baseURL)
        #expect(try growth.result.get().body.count == Self.size)
        #expect(growth.most < 1 << 20)
    }

    @Test @EngineActor func `a transfer that rests can be cancelled, and its handle used again`() async throws
    {
        // Its last byte never comes, so the transfer is still under way when this test looks.
        let large = LoopbackPeer { _, connection in
            let field = "Content-Encoding: gzip\r\nContent-Length: \(Self.zeros.count)\r\n\r\n"
            connection.send("HTTP/1.1 200 OK\r\n" + field)
            connection.send(Array(Self.zeros.dropLast()))
            connection.stall()
        }
        let small = peer(Gzip.stored([7]))
        let transport = CurlTransport()
        let transfer = try #require(
            transport.send(TransportRequest(url: large.baseURL)) { _ in Issue.record("it was told") }
                as? CurlTransfer)
        await yielding(until: "the body begins") { (transfer.handle?.body.count ?? 0) > 0 }
        transfer.cancel()
        for _ in 1...3 {
            let answer = await transport.answer(to: TransportRequest(url: small.baseURL))
            #expect(try answer.get().body == [7])
        }
    }

    @Test @EngineActor func `a body that goes wrong after a rest fails`() async throws {
        var body = Self.zeros
        body[body.count - 6] ^= 1
        let (sick, sound) = (peer(body), peer(Self.zeros))
        let broken = await CurlTransport().answer(to: TransportRequest(url: sick.baseURL))
        #expect(broken.error?.code == .decodingFailed)
        let request = TransportRequest(url: sound.baseURL, maxBodyBytes: 2 << 20)
        #expect(await CurlTransport().answer(to: request).error?.code == .tooLarge)
    }
}
