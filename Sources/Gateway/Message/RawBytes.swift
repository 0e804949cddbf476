import Platform
import RestEngine

extension UnsafeRawBufferPointer {
    @inline(__always)
    func firstNewline(from start: Int) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    func firstReturn(from start: Int, to end: Int) -> Int? {
        guard start < end, let base = baseAddress, let found = memchr(base + start, 0x0D, end - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    @inline(__always)
    func elementsEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let a = baseAddress, let b = other.baseAddress else { return count == 0 }
        return memcmp(a, b, count) == 0
    }

    /// `text` stands at `start`; the caller knows that there are enough bytes.
    @inline(__always)
    func equals(_ text: StaticString, at start: Int) -> Bool {
        guard count - start >= text.utf8CodeUnitCount, let base = baseAddress else { return false }
        return memcmp(base + start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The same, ASCII case ignored; `text` is in lower case.
    @inline(__always)
    func equalsIgnoringCase(_ text: StaticString, at start: Int) -> Bool {
        guard count - start >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where self[start + index].asciiLowercased != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// The whole is `text`, which is in lower case, ASCII case ignored.
    func isExactly(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && equalsIgnoringCase(text, at: 0)
    }

    /// One or more digits and nothing else.
    var decimal: Int? {
        guard !isEmpty, count <= 18 else { return nil }
        var value = 0
        for byte in self {
            guard HTTPByte.isDigit(byte) else { return nil }
            value = value * 10 + Int(byte &- 0x30)
        }
        return value
    }

    /// The members of a comma-separated list, without the blanks around them (RFC 9110 5.6.1).
    func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
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

extension UInt8 {
    @inline(__always)
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
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
