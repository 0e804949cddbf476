import CCoding
import NIOCore
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Checks the encoders' results with the decoders that read APIs' content.
@Suite struct ContentCodingTests {
    /// Nil if the bytes aren't exactly one body in the coding.
    private func decode(_ coding: ContentCoding, _ bytes: [UInt8], expecting count: Int) -> [UInt8]? {
        let kind: ccoding_kind =
            switch coding {
            case .gzip: CCODING_GZIP
            case .brotli: CCODING_BROTLI
            case .zstd: CCODING_ZSTD
            }
        let decoder = ccoding_new(kind)
        defer { ccoding_free(decoder) }
        var decoded = [UInt8](repeating: 0, count: count + 1)
        let left: Int? = bytes.withUnsafeBufferPointer { input in
            decoded.withUnsafeMutableBufferPointer { output in
                var next = input.baseAddress
                var nextCount = input.count
                var room = output.baseAddress
                var roomCount = output.count
                let isSound = ccoding_run(decoder, &next, &nextCount, &room, &roomCount)
                return isSound && nextCount == 0 && ccoding_is_whole(decoder) ? roomCount : nil
            }
        }
        return left.map { Array(decoded.dropLast($0)) }
    }

    private func text(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let words = ["login", "octocat", "\":\"", "true,", "{\"id\":", "}, ", "42", "https://api.example/"]
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array(words.randomElement(using: &random)!.utf8) }
        return Array(bytes.prefix(count))
    }

    private func expectRoundTrip(_ coding: ContentCoding, _ bytes: [UInt8]) throws {
        let encoded = try #require(coding.encode(bytes), "\(coding) of \(bytes.count)")
        #expect(encoded.readableBytes < bytes.count / 2)
        #expect(
            decode(coding, Array(encoded.readableBytesView), expecting: bytes.count) == bytes,
            "\(coding) of \(bytes.count)")
    }

    @Test(arguments: ContentCoding.allCases)
    func `51.1 Content comes out as it went in, below and above what a thread keeps an encoder for`(
        coding: ContentCoding
    ) throws {
        for count in [1 << 10, 3000, 32 << 10, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 3 << 20] {
            try expectRoundTrip(coding, text(count, seed: UInt64(count)))
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func `51.1 An encoder that had no room begins anew for the next content`(coding: ContentCoding) throws {
        var random = SeededRandom(seed: 1)
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for round in 0..<20 {
            #expect(coding.encode(noise) == nil)
            #expect(coding.encode([]) == nil)
            try expectRoundTrip(coding, text(2000 + 731 * round, seed: UInt64(round)))
        }
    }

    @Test func `51.1 Each thread has encoders of its own, which end with it`() async {
        @Sendable func forms(_ content: [UInt8]) -> [[UInt8]?] {
            ContentCoding.allCases.map { $0.encode(content).map { Array($0.readableBytesView) } }
        }
        let contents = (0..<8).map { text(1500 + 4000 * $0, seed: UInt64($0)) }
        let alone = contents.map(forms)
        for _ in 0..<4 {
            let (made, makers) = AsyncStream.makeStream(of: Bool.self)
            for (content, expected) in zip(contents, alone) {
                PeerThread.start {
                    makers.yield((0..<10).allSatisfy { _ in forms(content) == expected })
                }
            }
            var count = 0
            for await isSame in made.prefix(contents.count) {
                #expect(isSame)
                count += 1
            }
            #expect(count == contents.count)
        }
    }

    @Test func `51.1 Of equals zstd comes first, then brotli, then gzip`() {
        #expect(ContentCoding.accepted("gzip, deflate, br, zstd") == [.zstd, .brotli, .gzip])
        #expect(ContentCoding.accepted("gzip, deflate, br") == [.brotli, .gzip])
        #expect(ContentCoding.accepted("zstd;q=0.5, gzip") == [.gzip, .zstd])
        #expect(ContentCoding.accepted("br;q=0, *") == [.gzip])
    }
}
