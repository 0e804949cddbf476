import Platform

/// Checks paths from untrusted clients before they become path text below a base URL.
package enum PathText {
    /// The reason why a path is rejected; follows "the path" in a sentence.
    package enum ValidationError: Sendable, Equatable, CustomStringConvertible {
        case dotSegment, emptyFirstSegment, absoluteURL, backslash, controlCharacter, overlongCharacter,
            impossibleCharacter

        package var description: String {
            switch self {
            case .dotSegment: "leaves the base URL of the service: it has a segment '.' or '..' in it"
            case .emptyFirstSegment:
                "begins with an empty segment: '//' would be read as the start of a host's name"
            case .absoluteURL: "is a URL of its own"
            case .backslash: "has a backslash, which some servers read as a slash"
            case .controlCharacter: "has a control character in it"
            case .overlongCharacter:
                "has a character in overlong UTF-8 in it, which some servers read as another one"
            case .impossibleCharacter:
                "has half a surrogate pair or a character beyond U+10FFFF in it, which UTF-8 doesn't have"
            }
        }
    }

    /// Whether ``validationError(to:)`` rejects the text.
    package static func escapesBase(_ text: String) -> Bool { validationError(to: text) != nil }

    /// Finds text that a server or proxy could read as leaving the base: a `.` or `..` segment, a second
    /// leading slash, a URL, a backslash, a control character, an overlong form of any of these, or bytes
    /// that UTF-8 forbids (RFC 3629 3), in plain or repeatedly escaped form. Bytes that can't begin a UTF-8
    /// character are letters of another charset, and are allowed (promise S3.3).
    package static func validationError(to text: String) -> ValidationError? {
        let bytes = fullyDecoded(text.utf8)
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return .controlCharacter }
        if bytes.contains(UInt8(ascii: "\\")) { return .backslash }
        if has(isOverlong, bytes) { return .overlongCharacter }
        if has(isImpossible, bytes) { return .impossibleCharacter }
        if bytes.starts(with: [.slash, .slash]) { return .emptyFirstSegment }
        let path = Array(bytes.first == .slash ? bytes.dropFirst() : bytes[...])
        if let colon = URLReference.schemeEnd(path), path[(colon + 1)...].first == .slash {
            return .absoluteURL
        }
        return path.split(separator: .slash).contains(where: isDots) ? .dotSegment : nil
    }

    /// Whether some byte and the continuation byte after it satisfy `rule`.
    private static func has(_ rule: (_ lead: UInt8, _ next: UInt8) -> Bool, _ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { lead, next in next & 0xC0 == 0x80 && rule(lead, next) }
    }

    /// Whether they begin an overlong form of a character; sequences of five and six bytes were once part of
    /// UTF-8.
    private static func isOverlong(_ lead: UInt8, _ next: UInt8) -> Bool {
        switch lead {
        case 0xC0, 0xC1: true
        case 0xE0: next < 0xA0
        case 0xF0: next < 0x90
        case 0xF8: next < 0x88
        case 0xFC: next < 0x84
        default: false
        }
    }

    /// Whether they begin a surrogate, U+D800 to U+DFFF, or a character beyond U+10FFFF.
    private static func isImpossible(_ lead: UInt8, _ next: UInt8) -> Bool {
        switch lead {
        case 0xED: next >= 0xA0
        case 0xF4: next >= 0x90
        case 0xF5...0xFD: true
        default: false
        }
    }

    /// True for text with a segment `.` or `..`, plain or repeatedly escaped; a backslash separates segments
    /// too.
    package static func hasDotSegment(_ text: String) -> Bool { hasDotSegment(text.utf8) }

    static func hasDotSegment(_ text: some Sequence<UInt8>) -> Bool {
        // A fast test: most text has no dot and no escape.
        guard text.contains(where: { $0 == .dot || $0 == .percent }) else { return false }
        return fullyDecoded(text).split(whereSeparator: { $0 == .slash || $0 == UInt8(ascii: "\\") })
            .contains(where: isDots)
    }

    /// Some servers treat `..;x` as `..` (path parameters, RFC 3986 3.3).
    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        return (1...2).contains(name.count) && name.allSatisfy { $0 == .dot }
    }

    /// Decodes repeated escapes completely in one pass: each decoded byte may complete an escape before it.
    private static func fullyDecoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text {
            bytes.append(byte)
            while bytes.count >= 3, bytes[bytes.count - 3] == .percent,
                let decoded = PercentEncoding.hexPair(bytes.suffix(2))
            {
                bytes.removeLast(3)
                bytes.append(decoded)
            }
        }
        return bytes
    }
}
