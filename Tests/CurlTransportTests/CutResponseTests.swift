import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Responses that end too early, or whose end can't be determined.
@EngineActor
struct CutResponseTests {
    let transport = CurlTransport()

    private func answer(_ bytes: [UInt8], pieces: Int = 1 << 16) async -> TransportResult {
        let peer = LoopbackPeer { _, connection in
            connection.send(bytes, inPiecesOf: pieces)
            connection.close()
        }
        return await transport.answer(to: TransportRequest(url: peer.baseURL))
    }

    private func answer(_ text: String) async -> TransportResult { await answer(Array(text.utf8)) }

    // MARK: Heads

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Type: text/pl", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\n",
    ])
    func `a head that ends before its blank line is a broken connection`(head: String) async {
        #expect(await answer(head).error?.code == .connectionFailed)
    }

    @Test(arguments: [
        "Content-Length: 18446744073709551620", "Content-Length: 9223372036854775808",
        "Content-Length: 000099999999999999999999999",
    ])
    func `a length beyond 64 bits is too large`(line: String) async {
        let error = await answer("HTTP/1.1 200 OK\r\n\(line)\r\n\r\nx").error
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: ["Content-Length: 2\r\ncontent-length: 3", "Content-Length: 2, 3", "Content-Length: 2,"])
    func `lengths that differ are refused`(lines: String) async {
        #expect(
            await answer("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nabc").error?.code == .decodingFailed)
    }

    @Test func `a length that is said twice is one`() async throws {
        let result = await answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 02\r\n\r\nab")
        #expect(try result.get().body == Array("ab".utf8))
    }

    @Test func `another protocol, for which nobody asked, is no success`() async {
        let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
        for rest in ["", "bytes", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"] {
            let error = await answer(head + rest).error
            #expect(error?.code == .decodingFailed)
            #expect(error?.message.contains("101") == true)
        }
    }

    @Test(arguments: [120_000, 1 << 20, 3 << 20])
    func `a line of a head that is too long is too large`(count: Int) async {
        let line = "X-Long: " + String(repeating: "x", count: count)
        let error = await answer("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n").error
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("head") == true)
    }

    @Test func `a head of too many lines is too large, interim ones count`() async {
        let lines = String(repeating: "X-Many: \(String(repeating: "x", count: 90))\r\n", count: 1500)
        let interim = "HTTP/1.1 103 Early Hints\r\n\(lines)\r\n"
        let final = "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n"
        #expect(await answer(final).error == nil)
        #expect(await answer(interim + interim + final).error?.code == .tooLarge)
    }

    @Test func `endless trailers are too large`() async {
        let line = "X-More: \(String(repeating: "x", count: 990))\r\n"
        let lines = String(repeating: line, count: 1000)
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n" + lines)
            connection.stall()
        }
        let error = await transport.answer(to: TransportRequest(url: peer.baseURL)).error
        #expect(error?.code == .tooLarge)
        #expect(error?.limit == 300 << 10)
    }

    // MARK: Codings

    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let header: String
        let bytes: [UInt8]
    }

    nonisolated static let text = Array((String(repeating: "resthost ", count: 20) + "0123456789").utf8)

    private nonisolated static let deflated: [UInt8] = [
        0x2B, 0x4A, 0x2D, 0x2E, 0xC9, 0xC8, 0x2F, 0x2E, 0x51, 0x28, 0x1A, 0x3A, 0x0C, 0x03, 0x43, 0x23, 0x63,
        0x13, 0x53, 0x33, 0x73, 0x0B, 0x4B, 0x00,
    ]
    private nonisolated static let gzip =
        [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3] + deflated + [0x24, 0x40, 0xC5, 0xFB, 0xBE, 0, 0, 0]

    nonisolated static let samples = [
        Sample(testDescription: "gzip", header: "gzip", bytes: gzip),
        Sample(testDescription: "x-gzip", header: "X-GZip", bytes: gzip),
        Sample(
            testDescription: "deflate", header: "deflate",
            bytes: [0x78, 0x9C] + deflated + [0x7A, 0xAF, 0x4A, 0x3E]),
        Sample(testDescription: "deflate without its head", header: "deflate", bytes: deflated),
        Sample(
            testDescription: "br", header: "br",
            bytes: [
                0x1B, 0xBD, 0x00, 0x00, 0xE4, 0xCD, 0x61, 0xAA, 0x86, 0x78, 0x7E, 0x0C, 0x82, 0x4D, 0x70,
                0x4B,
                0x18, 0x04, 0x52, 0x2C, 0x18, 0xAE, 0xDF, 0x9F, 0xBD, 0x84, 0x40, 0x62, 0x51, 0xF3, 0xC8,
                0x02,
            ]),
        Sample(
            testDescription: "zstd", header: "zstd",
            bytes: [
                0x28, 0xB5, 0x2F, 0xFD, 0x20, 0xBE, 0xD5, 0x00, 0x00, 0x98, 0x72, 0x65, 0x73, 0x74, 0x68,
                0x6F,
                0x73, 0x74, 0x20, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x01, 0x00,
                0x28,
                0x52, 0xE5, 0x08,
            ]),
        Sample(testDescription: "twice", header: "identity, gzip, gzip", bytes: Gzip.stored(gzip)),
    ]

    private func answer(_ coding: String, _ body: [UInt8], pieces: Int = 1 << 16) async -> TransportResult {
        await answer(
            PeerConnection.response(headers: [("Content-Encoding", coding)], body: body), pieces: pieces)
    }

    @Test(arguments: samples) func `a body is decoded, however it comes`(sample: Sample) async throws {
        for pieces in [1, 7, 1 << 16] {
            let response = try await answer(sample.header, sample.bytes, pieces: pieces).get()
            #expect(response.body == Self.text)
            #expect(!response.headers.contains("Content-Encoding"))
            #expect(!response.headers.contains("Content-Length"))
        }
    }

    @Test(arguments: samples) func `a body cut short is a failure, though its length fits`(sample: Sample)
        async
    {
        for count in 1..<sample.bytes.count {
            let error = await answer(sample.header, Array(sample.bytes.prefix(count))).error
            #expect(error?.code == .decodingFailed, "cut to \(count)")
            #expect(error?.phase == .receive)
        }
    }

    @Test(arguments: samples) func `what is behind the end is no part of it`(sample: Sample) async {
        let error = await answer(sample.header, sample.bytes + Array("more".utf8)).error
        #expect(error?.code == .decodingFailed)
    }

    @Test(arguments: [1, 20, 1 << 16])
    func `several members of gzip, or frames of zstd, are one body`(pieces: Int) async throws {
        let zeros = [UInt8](repeating: 0, count: 100)
        let members = Self.gzip + Gzip.stored([1, 2, 3]) + Self.gzip
        let body = Self.text + [1, 2, 3] + Self.text
        #expect(try await answer("gzip", members, pieces: pieces).get().body == body)
        #expect(try await answer("gzip", members + zeros, pieces: pieces).get().body == body)
        let frame = try #require(Self.samples.first { $0.header == "zstd" }).bytes
        #expect(try await answer("zstd", frame + frame, pieces: pieces).get().body == Self.text + Self.text)
        #expect(
            await answer("gzip", Array(members.dropLast()), pieces: pieces).error?.code == .decodingFailed)
    }

    @Test func `no body needs no end of its coding`() async throws {
        #expect(try await answer("gzip", []).get().body.isEmpty)
        let head = "HTTP/1.1 204 No Content\r\nContent-Encoding: br\r\n\r\n"
        #expect(try await answer(head).get().status == 204)
    }

    @Test func `a coding of the transfer is undone too`() async throws {
        let size = String(Self.gzip.count, radix: 16)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(size)\r\n"
        let bytes = Array(head.utf8) + Self.gzip + Array("\r\n0\r\n\r\n".utf8)
        #expect(try await answer(bytes).get().body == Self.text)
    }

    @Test(arguments: ["klingon", "gzip, klingon", "gzip, gzip, gzip, gzip, gzip, gzip"])
    func `a coding that nobody knows can't be decoded`(coding: String) async {
        #expect(await answer(coding, Self.gzip).error?.code == .decodingFailed)
    }
}
