import Platform

/// A charset by its name. UTF-8, ASCII, ISO-8859-1 and windows-1252 are implemented here, all others by
/// iconv.
///
/// Text labelled ASCII or ISO-8859-1 may really be windows-1252, and is decoded as such, as in browsers
/// (https://encoding.spec.whatwg.org/#names-and-labels). Text is encoded in exactly the requested charset.
package struct TextCharset {
    private enum Kind {
        case utf8, ascii, latin1, windows1252
        case iconv(String)
    }
    private let kind: Kind

    /// Common names, to suggest one for a misspelled name; iconv knows more.
    package static let commonNames = [
        "utf-8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "iso-8859-1", "iso-8859-2", "iso-8859-5",
        "iso-8859-7", "iso-8859-9", "iso-8859-15", "windows-1250", "windows-1251", "windows-1252",
        "windows-1253", "windows-1254", "windows-1257", "koi8-r", "koi8-u", "shift_jis", "euc-jp",
        "iso-2022-jp", "euc-kr", "gb18030", "gbk", "gb2312", "big5",
    ]

    /// The name of a charset in a content type (rule 6.4): in lower case, and the registered name for common
    /// aliases.
    static func ianaName(_ charset: String) -> String {
        switch charset.lowercased() {
        case "utf8": "utf-8"
        case "utf16": "utf-16"
        case "utf32": "utf-32"
        case "ascii": "us-ascii"
        case "latin1", "latin-1", "iso8859-1", "iso_8859-1": "iso-8859-1"
        case "cp1252", "x-cp1252": "windows-1252"
        case let name: name
        }
    }

    /// Nil if the charset is unknown.
    package init?(_ charset: String) {
        switch Self.ianaName(charset) {
        case "utf-8": kind = .utf8
        case "us-ascii": kind = .ascii
        case "iso-8859-1": kind = .latin1
        case "windows-1252": kind = .windows1252
        default:
            // iconv reads options after a slash, and an empty name as the locale's charset.
            guard !charset.isEmpty, charset.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
                return nil
            }
            guard let handle = Self.open(from: charset, to: "UTF-8") else { return nil }
            iconv_close(handle)
            kind = .iconv(charset)
        }
    }

    /// Nil if the bytes are invalid in the charset.
    package func decode(_ bytes: [UInt8]) -> String? {
        switch kind {
        case .utf8: String(validating: bytes, as: UTF8.self)
        case .ascii, .latin1, .windows1252: Self.decodeWindows1252(bytes)
        case .iconv(let charset):
            Self.convert(bytes, from: Self.withByteOrder(charset, of: bytes), to: "UTF-8")
                .flatMap { String(validating: $0, as: UTF8.self) }
        }
    }

    /// Each byte is a character.
    static func decodeWindows1252(_ bytes: [UInt8]) -> String {
        // No character takes more than three bytes in UTF-8.
        let extra = bytes.count(where: { $0 >= 0x80 })
        return String(unsafeUninitializedCapacity: bytes.count + 2 * extra) { text in
            var end = 0
            for byte in bytes {
                if byte < 0x80 {
                    text[end] = byte
                    end += 1
                } else {
                    for unit in UTF8.encode(scalar(of: byte)) ?? UTF8.encodedReplacementCharacter {
                        text[end] = unit
                        end += 1
                    }
                }
            }
            return end
        }
    }

    private static func scalar(of byte: UInt8) -> Unicode.Scalar {
        0x80..<0xA0 ~= byte ? windows1252[Int(byte - 0x80)] : Unicode.Scalar(byte)
    }

    /// The characters for 0x80 to 0x9F (https://encoding.spec.whatwg.org/#index-windows-1252).
    private static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// Nil if the charset can't represent the text.
    func encode(_ text: String) -> [UInt8]? {
        switch kind {
        case .utf8: return Array(text.utf8)
        case .ascii: return text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        case .latin1:
            let scalars = text.unicodeScalars
            return scalars.allSatisfy { $0.value < 0x100 } ? scalars.map { UInt8($0.value) } : nil
        case .windows1252:
            let scalars = text.unicodeScalars
            let bytes = scalars.compactMap(Self.byte)
            return bytes.count == scalars.count ? bytes : nil
        case .iconv(let charset): return Self.convert(Array(text.utf8), from: "UTF-8", to: charset)
        }
    }

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if let index = windows1252.firstIndex(of: scalar) { return UInt8(0x80 + index) }
        return scalar.value < 0x100 && !(0x80..<0xA0 ~= scalar.value) ? UInt8(scalar.value) : nil
    }

    /// UTF-16 without a byte order mark is big-endian (RFC 2781 4.3), and so is UTF-32; iconv would use the
    /// byte order of this machine.
    private static func withByteOrder(_ charset: String, of bytes: [UInt8]) -> String {
        switch charset.lowercased() {
        case "utf-16", "utf16":
            bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) ? charset : "UTF-16BE"
        case "utf-32", "utf32":
            bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0, 0])
                ? charset : "UTF-32BE"
        default: charset
        }
    }

    private static func open(from source: String, to target: String) -> iconv_t? {
        let handle = iconv_open(target, source)
        return handle == iconv_t(bitPattern: -1) ? nil : handle
    }

    private static func convert(_ bytes: [UInt8], from source: String, to target: String) -> [UInt8]? {
        guard let handle = open(from: source, to: target) else { return nil }
        defer { iconv_close(handle) }
        // No charset needs more than four bytes for one of another, besides a mark at the start.
        var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
        var written = 0
        let ok = bytes.withUnsafeBytes { source in
            output.withUnsafeMutableBufferPointer { target in
                // iconv declares its input mutable but only reads it.
                var input = UnsafeMutablePointer(mutating: source.bindMemory(to: CChar.self).baseAddress)
                var inputLeft = source.count
                var cursor = target.baseAddress
                var outputLeft = target.count
                let converted =
                    inputLeft == 0 || iconv(handle, &input, &inputLeft, &cursor, &outputLeft) != -1
                let flushed = iconv(handle, nil, nil, &cursor, &outputLeft)
                written = target.count - outputLeft
                return converted && inputLeft == 0 && flushed == 0
            }
        }
        return ok ? output[..<written].map(UInt8.init(bitPattern:)) : nil
    }
}
