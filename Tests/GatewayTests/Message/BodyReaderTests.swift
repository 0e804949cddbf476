import NIOCore
import TestSupport
import Testing

@testable import Gateway

@Suite struct BodyReaderTests {
    /// What came of pieces: the body's bytes, how it ended, and what is left.
    private struct Run: Equatable {
        var body = ""
        var end = "needs more"
        var rest = ""

        init(_ pieces: [[UInt8]], contentLength: Int? = nil) {
            var limits = GatewayLimits()
            limits.maxHeaderBytes = 60
            var reader = BodyReader(contentLength: contentLength, limits: limits)
            var input = ByteBuffer()
            pieces: for piece in pieces {
                input.writeBytes(piece)
                guard end == "needs more" else { continue }
                reading: while true {
                    switch reader.next(&input) {
                    case .needMore: break reading
                    case .part(let part): body += String(decoding: part.readableBytesView, as: UTF8.self)
                    case .end:
                        end = "end"
                        break reading
                    case .fault(let fault):
                        end = "\(fault)"
                        break reading
                    }
                }
            }
            if end == "end" { rest = String(decoding: input.readableBytesView, as: UTF8.self) }
        }
    }

    private static let seeds = [
        "5\r\nhello\r\n0\r\n\r\nGET", "00a\r\n0123456789\r\n1\r\nx\r\n0\r\nX-Checksum: 7\r\nY: z\r\n\r\n",
        "0\r\n\r\n",
        "F\r\n0123456789abcde\r\nf\r\n0123456789abcde\r\n0\r\n\r\n",
    ]

    @Test func `50.2 What is in chunks ends where it says`() {
        #expect(Run([Array(Self.seeds[0].utf8)]) == Run(Self.seeds[0].utf8.map { [$0] }))
        let run = Run([Array(Self.seeds[0].utf8)])
        #expect((run.body, run.end, run.rest) == ("hello", "end", "GET"))
        #expect(Run([Array("abcdef".utf8)], contentLength: 4).rest == "ef")
        #expect(Run([Array("abc".utf8)], contentLength: 4).end == "needs more")
    }

    @Test func `50.3 Changed chunks have one meaning however they are split`() {
        var random = SeededRandom(seed: 5)
        let spice: [UInt8] = [0, 9, 10, 13, 32, 45, 48, 58, 59, 65, 102, 120, 127, 255]
        for _ in 0..<2000 {
            var bytes = Array(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let byte = spice[Int.random(in: 0..<spice.count, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: if bytes.count > 1 { bytes.remove(at: index) }
                }
            }
            let whole = Run([bytes])
            let split = Int.random(in: 0...bytes.count, using: &random)
            #expect(whole == Run([Array(bytes[..<split]), Array(bytes[split...])]), "\(bytes)")
            #expect(whole == Run(bytes.map { [$0] }), "\(bytes)")
        }
    }
}
