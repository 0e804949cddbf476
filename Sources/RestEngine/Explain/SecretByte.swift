import Platform

/// Classes of bytes for ``SecretScan``.
enum SecretByte {
    static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "$"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "+"), UInt8(ascii: "*"):
            true
        default: false
        }
    }

    /// Ends a part of a sentence.
    static func endsPart(_ byte: UInt8) -> Bool { ".,:;)".utf8.contains(byte) }

    static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Whether the value of a `code` parameter is an OAuth code, which is as secret as a token (RFC 6749
    /// 4.1.2). The name is not specific, but codes of errors and countries are shorter.
    static func areCode(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard value.count >= 16, !value.contains(UInt8(ascii: ":")) else { return false }
        let padding = value.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return !value.dropLast(padding).contains(UInt8(ascii: "="))
    }

    /// Ends the authority of a URL; its host begins after the last `@` before this byte.
    static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "/?#\"'<>\\".utf8.contains(byte)
    }

    /// Ends a header field in a line of text.
    static func endsHeader(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || "\"'\\".utf8.contains(byte)
    }

    /// Ends a JSON value that is not a string.
    static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 || ",}]{[\"'\\".utf8.contains(byte) }

    /// Words that are not text, and therefore not secret.
    static func areLiteral(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        ["null", "true", "false", "nil"].contains { word.elementsEqual($0.utf8) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The index of the next such byte; the end of the buffer when there is none.
    func place(of byte: UInt8, from start: Int) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(self)[start...])
        guard let first = rest.baseAddress, let found = memchr(first, Int32(byte), rest.count) else {
            return count
        }
        return start + (UnsafeRawPointer(found) - first)
    }
}
