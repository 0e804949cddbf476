import Platform

/// Percent-encoding of text, as UTF-8 (RFC 3986 2.1).
package enum PercentEncoding {
    /// Path text: pchar and `/` are kept, all other characters are escaped, including `%` (D29).
    package static func path(_ text: String) -> String {
        String(decoding: encode(text.utf8, keeping: .path), as: UTF8.self)
    }

    /// One segment of a path: pchar is kept, all other characters are escaped, including `/` and `%` (RFC
    /// 3986 3.3).
    package static func segment(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encode(bytes, keeping: .segment), as: UTF8.self)
    }

    /// A segment of a URL in one spelling (RFC 3986 6.2.2): escapes of unreserved characters are decoded,
    /// others have capital digits, and characters that a segment can't have are escaped.
    package static func normalized(segment text: [UInt8]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var place = 0
        while place < text.count {
            var (byte, kept) = (text[place], ByteSet.segment)
            place += 1
            if byte == .percent, let escaped = hexPair(text[place...].prefix(2)) {
                (byte, kept) = (escaped, .component)
                place += 2
            }
            if kept.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name or value of a query parameter: pchar, `/` and `?` are kept, except `&`, `=` and `+` (D29).
    package static func parameter(_ text: String) -> String {
        String(decoding: encode(text.utf8, keeping: .parameter), as: UTF8.self)
    }

    /// Text that must be literal anywhere in a URL: unreserved characters are kept (RFC 3986 2.3).
    package static func component(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes, keeping: .component), as: UTF8.self)
    }

    /// Text that is part of a URL except for its non-ASCII characters: only those are escaped.
    package static func nonASCII(_ text: String) -> String {
        String(decoding: encode(text.utf8, keeping: .ascii), as: UTF8.self)
    }

    /// A name or value of a form body: letters, digits and `- . _ ~ / ?` are kept (6.6).
    package static func form(_ text: String) -> String {
        String(decoding: encode(text.utf8, keeping: .form), as: UTF8.self)
    }

    /// The decoded bytes. A `%` without two hexadecimal digits stays as it is, and so does `+`.
    package static func decodeBytes(_ text: some Collection<UInt8>) -> [UInt8] {
        text.withContiguousStorageIfAvailable(decodeBuffer)
            ?? Array(text).withUnsafeBufferPointer(decodeBuffer)
    }

    /// For one concrete type, so that it is compiled only once, without generics: bodies of megabytes are
    /// decoded here.
    private static func decodeBuffer(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: text.count) { bytes, count in
            var place = 0
            while place < text.count {
                var byte = text[place]
                place += 1
                if byte == .percent, place + 1 < text.count, let high = value(text[place]),
                    let low = value(text[place + 1])
                {
                    byte = high << 4 | low
                    place += 2
                }
                bytes.initializeElement(at: count, to: byte)
                count += 1
            }
        }
    }

    /// The decoded text; nil if the bytes are not UTF-8.
    package static func decode(_ text: String) -> String? {
        String(validating: decodeBytes(text.utf8), as: UTF8.self)
    }

    static func encode(_ bytes: some Sequence<UInt8>, keeping kept: ByteSet) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if kept.contains(byte) { encoded.append(byte) } else { append(byte, to: &encoded) }
        }
        return encoded
    }

    static func append(_ byte: UInt8, to encoded: inout [UInt8]) {
        encoded.append(.percent)
        encoded.append(digit(byte >> 4))
        encoded.append(digit(byte & 15))
    }

    /// The byte for the two leading digits.
    static func hexPair(_ digits: some Collection<UInt8>) -> UInt8? {
        var iterator = digits.makeIterator()
        guard let high = iterator.next().flatMap(value), let low = iterator.next().flatMap(value) else {
            return nil
        }
        return high << 4 | low
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x37 + value
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

/// A set of ASCII bytes. The names are those of the grammar in RFC 3986, appendix A.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    private init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    init(_ bytes: String) {
        for byte in bytes.utf8 {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte & 63) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: low & 1 << byte != 0
        case 64..<128: high & 1 << (byte & 63) != 0
        default: false
        }
    }

    static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    static let unreserved = letters + "0123456789-._~"

    static let ascii = ByteSet(low: .max, high: .max)
    static let scheme = ByteSet(letters + "0123456789+-.")
    static let path = ByteSet(unreserved + "!$&'()*+,;=" + ":@/")
    static let segment = ByteSet(unreserved + "!$&'()*+,;=" + ":@")
    static let parameter = ByteSet(unreserved + "!$'()*,;" + ":@/?")
    static let component = ByteSet(unreserved)
    static let form = ByteSet(unreserved + "/?")
    static let userinfo = ByteSet(unreserved + "!$&'()*+,;=" + ":%")
    static let registeredName = ByteSet(unreserved + "!$&'()*+,;=" + "%")
    static let escapedInLinkPath = ByteSet(" \"<>`{}")
    static let escapedInLinkQuery = ByteSet(" \"<>")
    static let escapedInLinkFragment = ByteSet(" \"<>`")
    static let addressLiteral = ByteSet(unreserved + ":%")
}
