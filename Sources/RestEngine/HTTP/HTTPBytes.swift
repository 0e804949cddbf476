public import Platform

/// Classes of bytes in the grammar of HTTP (RFC 9110 5.5, 5.6.2; RFC 9112 3).
@usableFromInline
package enum HTTPByte {
    /// A character of methods and header names (RFC 9110 5.6.2).
    @inlinable
    package static func isToken(_ byte: UInt8) -> Bool {
        // Bits for "!#$%&'*+-." and digits, and for letters and "^_`|~".
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte < 128 && high >> UInt64(byte & 63) & 1 == 1
    }

    /// Visible ASCII without `#`, which can't be part of a target.
    @inlinable
    package static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    /// Whether a header's value may contain the byte: all except control characters other than the tab.
    @inlinable
    package static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
    }

    /// Whether it is a space or a tab.
    @inlinable
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether it is a digit of ASCII.
    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// Searches, compares and splits the bytes of a head in place. These functions are inlined into the gateway's
/// parser, which is a hot path.
extension UnsafeRawBufferPointer {
    @inlinable @inline(__always)
    package func firstNewline(from start: Int) -> Int? { first(0x0A, from: start) }

    /// The first index of a byte, from `start` on.
    @inlinable @inline(__always)
    package func first(_ byte: UInt8, from start: Int = 0) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, CInt(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    @inlinable
    package func firstReturn(from start: Int, to end: Int) -> Int? {
        guard start < end, let base = baseAddress, let found = memchr(base + start, 0x0D, end - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    @inlinable @inline(__always)
    package func elementsEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let a = baseAddress, let b = other.baseAddress else { return count == 0 }
        return memcmp(a, b, count) == 0
    }

    /// Whether `text` is at `start`; the caller ensures that there are enough bytes.
    @inlinable @inline(__always)
    package func equals(_ text: StaticString, at start: Int) -> Bool {
        guard count - start >= text.utf8CodeUnitCount, let base = baseAddress else { return false }
        return memcmp(base + start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The same, ignoring ASCII case; `text` is in lower case.
    @inlinable @inline(__always)
    package func equalsIgnoringCase(_ text: StaticString, at start: Int) -> Bool {
        guard count - start >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where self[start + index].asciiLowercased != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// Whether all bytes equal `text`, which is in lower case, ignoring ASCII case.
    @inlinable
    package func isExactly(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && equalsIgnoringCase(text, at: 0)
    }

    /// The number, if there are only digits, at least one; otherwise nil.
    @inlinable
    package var decimal: Int? {
        guard !isEmpty, count <= 18 else { return nil }
        var value = 0
        for byte in self {
            guard HTTPByte.isDigit(byte) else { return nil }
            value = value * 10 + Int(byte &- 0x30)
        }
        return value
    }

    /// The members of a comma-separated list, without the blanks around them (RFC 9110 5.6.1).
    @inlinable
    package func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start <= count {
            var end = start
            while end < count, self[end] != UInt8(ascii: ",") { end += 1 }
            var first = start
            var last = end
            while first < last, HTTPByte.isBlank(self[first]) { first += 1 }
            while last > first, HTTPByte.isBlank(self[last - 1]) { last -= 1 }
            if last > first { body(UnsafeRawBufferPointer(rebasing: self[first..<last])) }
            start = end + 1
        }
    }
}
