import Platform

/// A charset by its name. UTF-8, ASCII and ISO-8859-1 are done here, everything else by iconv.
package struct TextCharset {
    private enum Kind {
        case utf8, ascii, latin1
        case iconv(String)
    }
    private let kind: Kind

    /// The name under which a content type says a charset (rule 6.4): in lower case, and the registered one
    /// for what is often called otherwise.
    static func ianaName(_ charset: String) -> String {
        switch charset.lowercased() {
        case "utf8": "utf-8"
        case "utf16": "utf-16"
        case "utf32": "utf-32"
        case "ascii": "us-ascii"
        case "latin1", "latin-1", "iso8859-1", "iso_8859-1": "iso-8859-1"
        case let name: name
        }
    }

    /// Nil when nobody knows the charset.
    package init?(_ charset: String) {
        switch Self.ianaName(charset) {
        case "utf-8": kind = .utf8
        case "us-ascii": kind = .ascii
        case "iso-8859-1": kind = .latin1
        default:
            // iconv takes options after a slash, and an empty name as the locale's charset.
            guard !charset.isEmpty, charset.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
                return nil
            }
            guard let handle = Self.open(from: charset, to: "UTF-8") else { return nil }
            iconv_close(handle)
            kind = .iconv(charset)
        }
    }

    /// Nil when the bytes are not of the charset.
    package func decode(_ bytes: [UInt8]) -> String? {
        switch kind {
        case .utf8: String(validating: bytes, as: UTF8.self)
        case .ascii: bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .latin1: Self.decodeLatin1(bytes)
        case .iconv(let charset):
            Self.convert(bytes, from: Self.withByteOrder(charset, of: bytes), to: "UTF-8")
                .flatMap { String(validating: $0, as: UTF8.self) }
        }
    }

    private static func decodeLatin1(_ bytes: [UInt8]) -> String {
        let extra = bytes.count(where: { $0 >= 0x80 })
        return String(unsafeUninitializedCapacity: bytes.count + extra) { text in
            var end = 0
            for byte in bytes {
                if byte < 0x80 {
                    text[end] = byte
                    end += 1
                } else {
                    text[end] = 0xC0 | byte >> 6
                    text[end + 1] = 0x80 | byte & 0x3F
                    end += 2
                }
            }
            return end
        }
    }

    /// Nil when the charset can't express the text.
    func encode(_ text: String) -> [UInt8]? {
        switch kind {
        case .utf8: return Array(text.utf8)
        case .ascii: return text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        case .latin1:
            let scalars = text.unicodeScalars
            return scalars.allSatisfy { $0.value < 0x100 } ? scalars.map { UInt8($0.value) } : nil
        case .iconv(let charset): return Self.convert(Array(text.utf8), from: "UTF-8", to: charset)
        }
    }

    /// UTF-16 without a byte order mark is big-endian (RFC 2781 4.3), and UTF-32 alike; iconv would take this
    /// machine's order.
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
        // No charset needs more than four bytes for one of another, beside a mark at the start.
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
