import Platform
import TestSupport
import Testing

@testable import Gateway

@Suite struct RequestParserFuzzTests {
    private static let seeds = [
        "GET /a/b?c=d HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\nIf-None-Match: \"x\"\r\n\r\n",
        "\r\n\r\nHEAD http://h/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET / HTTP/1.0\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
    ]

    @Test(arguments: seeds)
    func `Where the bytes are split makes no difference`(_ text: String) {
        let bytes = Array(text.utf8)
        let whole = ParserRun([bytes]).results
        #expect(!whole.isEmpty)
        for index in bytes.indices {
            #expect(ParserRun([Array(bytes[..<index]), Array(bytes[index...])]).results == whole)
        }
        #expect(ParserRun(bytes.map { [$0] }).results == whole)
    }

    @Test
    func `Changed requests give the same outcome however they are split, and never more than they hold`() {
        var random = SeededRandom(seed: 7)
        var limits = GatewayLimits()
        limits.maxHeaderBytes = 160
        limits.maxTargetBytes = 30
        let spice: [UInt8] = [0, 9, 10, 13, 32, 35, 58, 127, 128, 255, 65, 47]
        for _ in 0..<4000 {
            var bytes = Array(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let byte = spice[Int.random(in: 0..<spice.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                case 2 where bytes.count > 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
                }
            }
            let whole = ParserRun([bytes], limits: limits)
            let split = Int.random(in: 0...bytes.count, using: &random)
            let parts = ParserRun([Array(bytes[..<split]), Array(bytes[split...])], limits: limits)
            let single = ParserRun(bytes.map { [$0] }, limits: limits)
            #expect(whole.results == parts.results, "\(bytes)")
            #expect(whole.results == single.results, "\(bytes)")
            #expect(whole.heads.reduce(0) { $0 + $1.head.length } <= bytes.count)
        }
    }

    @Test func `RFC 9112 2.2 a bare CR is reported when it is seen, wherever it is`() {
        for text in Self.seeds.dropLast() {
            let bytes = Array(text.utf8)
            let end = ParserRun([bytes]).heads.first?.head.length ?? bytes.count
            for index in 0..<end where index == 0 || bytes[index - 1] != .carriageReturn {
                // Inserts bytes that don't belong to the request, and ends there.
                let changed = bytes[..<index] + [.carriageReturn, UInt8(ascii: "x")]
                #expect(ParserRun([Array(changed)]).results == [.fault(.bareReturn)], "\(index) of \(text)")
            }
        }
    }

    @Test func `Random bytes never crash the parser`() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(ParserRun([bytes]).heads.isEmpty)
        }
    }
}
