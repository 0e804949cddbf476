/// Classes of bytes in the grammar of HTTP (RFC 9110 5.5, 5.6.2; RFC 9112 3).
public enum HTTPByte {
    /// A character of methods and header names (RFC 9110 5.6.2).
    @inlinable
    public static func isToken(_ byte: UInt8) -> Bool {
        // Bits of "!#$%&'*+-.", digits; and of letters, "^_`|~".
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte < 128 && high >> UInt64(byte & 63) & 1 == 1
    }

    /// Visible ASCII without `#`, which is no part of a target.
    @inlinable
    public static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    /// What a header's value may contain: everything but control characters, and of those the tab.
    @inlinable
    public static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
    }

    /// Whether it is a space or a tab.
    @inlinable
    public static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether it is a digit of ASCII.
    @inlinable
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
