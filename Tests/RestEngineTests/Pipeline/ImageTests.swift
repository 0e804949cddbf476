import RestEngine
import TestSupport
import Testing

struct ImageTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 1, 2, 0, 0, 0, 3]
    private static let gif: [UInt8] = Array("GIF87a".utf8) + [0x02, 0x01, 3, 0]
    private static let bmp: [UInt8] =
        Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [
            40, 0, 0, 0, 2, 1, 0, 0, 0xFD, 0xFF, 0xFF, 0xFF,
        ]
    private static let oldBMP: [UInt8] =
        Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [12, 0, 0, 0, 2, 1, 3, 0]
    /// A comment, a table and a fill byte precede the frame.
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xFE, 0, 3, 0x41, 0xFF, 0xC4, 0, 2, 0xFF, 0xFF, 0xC2, 0, 8, 8, 0, 3, 1, 2, 1]
    private static func webp(_ chunk: String, _ data: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + Array(chunk.utf8) + [0, 0, 0, 0] + data
    }
    private static let lossy = webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x02, 0x41, 3, 0])
    private static let lossless = webp("VP8L", [0x2F, 0x01, 0x81, 0, 0])
    private static let extended = webp("VP8X", [0, 0, 0, 0, 1, 1, 0, 2, 0, 0])

    static let rows: [(Image.Format, Int, Int, [UInt8])] = [
        (.png, 258, 3, png), (.gif, 258, 3, gif), (.bmp, 258, 3, bmp), (.bmp, 258, 3, oldBMP),
        (.jpeg, 258, 3, jpeg),
        (.webp, 258, 3, lossy), (.webp, 258, 3, lossless), (.webp, 258, 3, extended),
    ]

    @Test(arguments: rows)
    func `18.4 the size of an image`(format: Image.Format, width: Int, height: Int, bytes: [UInt8]) throws {
        let image = try #require(Image(bytes: bytes))
        #expect(image.format == format && image.width == width && image.height == height)
    }

    @Test(arguments: rows)
    func `18.4 an image that ends too early is none`(
        format: Image.Format, width: Int, height: Int, bytes: [UInt8]
    ) {
        for count in bytes.indices.dropLast(format == .jpeg || format == .webp || format == .png ? 1 : 0) {
            // Data that is cut after the size is still an image.
            if let image = Image(bytes: Array(bytes[..<count])) {
                #expect(image.width == width && image.height == height)
            }
        }
        #expect(Image(bytes: Array(bytes[..<8])) == nil)
        #expect(Image(bytes: []) == nil)
    }

    @Test func `18.4 an image without pixels is none`() {
        #expect(Image(bytes: Array("GIF89a".utf8) + [0, 0, 1, 0]) == nil)
    }

    @Test func `seeded: no bytes upset the reader`() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<5000 {
            var bytes = Self.rows[random.int(below: Self.rows.count)].3
            for _ in 0..<3 { bytes[random.int(below: bytes.count)] = UInt8(random.int(below: 256)) }
            _ = Image(bytes: Array(bytes[..<random.int(below: bytes.count + 1)]) + random.bytes(upTo: 8))
        }
    }
}
