/// Bytes of ASCII by name, and what is to be known of their letters. Parsers ask this of each byte, so it is
/// inlined into all modules.
extension UInt8 {
    @inlinable package static var tab: UInt8 { UInt8(ascii: "\t") }
    @inlinable package static var newline: UInt8 { UInt8(ascii: "\n") }
    @inlinable package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
    @inlinable package static var hash: UInt8 { UInt8(ascii: "#") }
    @inlinable package static var percent: UInt8 { UInt8(ascii: "%") }
    @inlinable package static var star: UInt8 { UInt8(ascii: "*") }
    @inlinable package static var dot: UInt8 { UInt8(ascii: ".") }
    @inlinable package static var slash: UInt8 { UInt8(ascii: "/") }
    @inlinable package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable package static var question: UInt8 { UInt8(ascii: "?") }
    @inlinable package static var at: UInt8 { UInt8(ascii: "@") }

    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    @inlinable @inline(__always)
    package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension [String] {
    /// As `joined(separator:)` is, for what each start does: that one is generic, and the first time the
    /// runtime looks through all conformances of the program for it.
    package func plainlyJoined(_ separator: String) -> String {
        var text = ""
        for (index, part) in enumerated() {
            if index > 0 { text += separator }
            text += part
        }
        return text
    }
}
