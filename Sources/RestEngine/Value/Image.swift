/// An image as received, with the information in its first bytes.
public struct Image: Sendable, Equatable {
    /// The format according to the first bytes, regardless of the content type.
    public enum Format: String, Sendable, CaseIterable {
        /// PNG (RFC 2083).
        case png
        /// JPEG (ISO/IEC 10918).
        case jpeg
        /// GIF 87a or 89a.
        case gif
        /// WebP (RFC 9649).
        case webp
        /// A bitmap of Windows.
        case bmp
    }

    /// The format according to the first bytes, regardless of the content type.
    public let format: Format
    /// The width in pixels, from the head of the file.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The file as received.
    public let bytes: [UInt8]

    /// Nil if the format is unknown, or the bytes end before the size.
    public init?(bytes: [UInt8]) {
        guard let (format, width, height) = ImageHeader(bytes).read(), width > 0, height > 0 else {
            return nil
        }
        self.format = format
        self.width = width
        self.height = height
        self.bytes = bytes
    }
}

/// Reads the size of an image from its header.
private struct ImageHeader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read() -> (Image.Format, Int, Int)? {
        png ?? gif ?? webp ?? bmp ?? jpeg
    }

    /// PNG specification 11.2.2: IHDR is the first chunk.
    private var png: (Image.Format, Int, Int)? {
        guard starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), has("IHDR", at: 12),
            let width = big(16, 4), let height = big(20, 4)
        else { return nil }
        return (.png, width, height)
    }

    private var gif: (Image.Format, Int, Int)? {
        guard has("GIF87a", at: 0) || has("GIF89a", at: 0), let width = little(6, 2),
            let height = little(8, 2)
        else { return nil }
        return (.gif, width, height)
    }

    /// The three forms of a WebP container: lossy, lossless, extended (RFC 9649).
    private var webp: (Image.Format, Int, Int)? {
        guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
        if has("VP8 ", at: 12), let width = little(26, 2), let height = little(28, 2) {
            return (.webp, width & 0x3FFF, height & 0x3FFF)
        }
        if has("VP8L", at: 12), byte(20) == 0x2F, let bits = little(21, 4) {
            return (.webp, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if has("VP8X", at: 12), let width = little(24, 3), let height = little(27, 3) {
            return (.webp, width + 1, height + 1)
        }
        return nil
    }

    /// A negative height means rows from the top.
    private var bmp: (Image.Format, Int, Int)? {
        guard has("BM", at: 0), let header = little(14, 4) else { return nil }
        if header == 12, let width = little(18, 2), let height = little(20, 2) {
            return (.bmp, width, height)
        }
        guard header >= 40, let width = little(18, 4), let height = little(22, 4) else { return nil }
        let rows = Int(Int32(truncatingIfNeeded: height)).magnitude
        return (.bmp, Int(Int32(truncatingIfNeeded: width)), Int(rows))
    }

    /// The size is in the first frame header, after any number of other segments (ITU T.81, annex B).
    private var jpeg: (Image.Format, Int, Int)? {
        guard starts([0xFF, 0xD8]) else { return nil }
        var position = 2
        while let marker = byte(position + 1), byte(position) == 0xFF {
            if marker == 0xFF {
                position += 1
                continue
            }
            if marker == 0x01 || (0xD0...0xD7).contains(marker) {
                position += 2
                continue
            }
            let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame, let height = big(position + 5, 2), let width = big(position + 7, 2) {
                return (.jpeg, width, height)
            }
            guard let length = big(position + 2, 2), length >= 2, marker != 0xDA, marker != 0xD9 else {
                return nil
            }
            position += 2 + length
        }
        return nil
    }

    private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func starts(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }

    private func has(_ text: String, at start: Int) -> Bool { bytes.dropFirst(start).starts(with: text.utf8) }

    private func big(_ start: Int, _ count: Int) -> Int? {
        guard start + count <= bytes.count else { return nil }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ start: Int, _ count: Int) -> Int? {
        guard start + count <= bytes.count else { return nil }
        return bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
