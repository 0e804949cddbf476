/// Classes of bytes in the grammar of HTTP (RFC 9110 5.6.2, RFC 9112 3).
enum HTTPByte {
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // Bits of "!#$%&'*+-.", digits; and of letters, "^_`|~".
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte < 128 && high >> UInt64(byte & 63) & 1 == 1
    }

    /// Visible ASCII without `#`, which is no part of a target.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") }

    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == .tab }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let carriageReturn = UInt8(ascii: "\r")
    static let newline = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let question = UInt8(ascii: "?")
    static let percent = UInt8(ascii: "%")
    static let dot = UInt8(ascii: ".")
}
