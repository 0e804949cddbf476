import NIOCore
import TestSupport
import Testing

@testable import Gateway

@Suite struct BodyReaderTests {
    /// The result of reading pieces: the body's bytes, its end, and the rest.
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
        "3;a=b\r\nabc\r\n2 ; c = \"d\\\";e\" ;f\r\nde\r\n0;last\r\n\r\nGET",
    ]

    @Test func `50.2 A body in chunks ends at its last chunk`() {
        #expect(Run([Array(Self.seeds[0].utf8)]) == Run(Self.seeds[0].utf8.map { [$0] }))
        let run = Run([Array(Self.seeds[0].utf8)])
        #expect((run.body, run.end, run.rest) == ("hello", "end", "GET"))
        #expect(Run([Array("abcdef".utf8)], contentLength: 4).rest == "ef")
        #expect(Run([Array("abc".utf8)], contentLength: 4).end == "needs more")
    }

    @Test(arguments: [
        "3;a=b", "3;a", "3 ;a", "3\t;\ta", "3;a = b", "3;a;b=c;d", "3;a=\"\"", "3;a=\"b;c = d\"",
        "3;a=\"\\\"\"", "003;a",
        "3;a=\"\u{e4}\t\"",
    ])
    func `50.2 Extensions of chunks are ignored`(_ line: String) {
        let run = Run([Array("\(line)\r\nabc\r\n0;z=\"1\"\r\n\r\nGET".utf8)])
        #expect((run.body, run.end, run.rest) == ("abc", "end", "GET"))
    }

    @Test(arguments: [
        "3;", "3 ", "3;a=", "3;=b", "3;a b", "3;a ", "3;;a", "3;a=\"b", "3;a=\"b\"c", "3;a=\"\\", "3;a=b=c",
        "3,a", ";a", " 3;a",
        "3;a=\"\r\n\"", "3;a\rb", "3;a\nb", "3;a=\"\u{0}\"", "3;a=\"\u{7f}\"", "3;\u{e4}",
        "0000000000000003;a",
    ])
    func `50.3 A malformed extension makes the chunk invalid`(_ line: String) {
        let bytes = Array("\(line)\r\nabc\r\n0\r\n\r\nGET".utf8)
        #expect(Run([bytes]).end == "badChunk")
        #expect(Run(bytes.map { [$0] }).end == "badChunk")
    }

    @Test func `50.3 Extensions are no longer than a line, and no more than their chunks are worth`() {
        let long = String(repeating: "x", count: 250)
        #expect(Run([Array("1;\(long)\r\na\r\n0\r\n\r\n".utf8)]).end == "end")
        #expect(Run([Array("1;\(long)xxxx\r\na\r\n0\r\n\r\n".utf8)]).end == "badChunk")
        let small = "1;\(long)\r\na\r\n"
        #expect(Run([Array((String(repeating: small, count: 60) + "0\r\n\r\n").utf8)]).end == "end")
        #expect(Run([Array((String(repeating: small, count: 100) + "0\r\n\r\n").utf8)]).end == "badChunk")
        let large = "78;\(long)\r\n" + String(repeating: "a", count: 120) + "\r\n"
        #expect(Run([Array((String(repeating: large, count: 1000) + "0\r\n\r\n").utf8)]).end == "end")
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
