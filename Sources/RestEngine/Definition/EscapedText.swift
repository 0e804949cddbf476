import Platform

/// A part of a URL that its author has escaped, used unchanged (rules 36.6, 37.5). `%2F` in it stays a slash
/// inside a segment.
public struct EscapedText: Sendable, Hashable, CustomStringConvertible {
    /// The text, which is ASCII.
    public let text: String

    /// Throws for characters that a URL can't contain: blanks, control characters, letters beyond ASCII, and
    /// a `%` without two hexadecimal digits (RFC 3986 2.1).
    public init(_ text: String) throws(DefinitionError) {
        try Self.check(text, ByteSet.inEscapedText, "a URL")
        self.text = text
    }

    public var description: String { text }

    /// Throws if the text can't be part of a path: a path consists of segments with slashes between them, and
    /// has no dot segment in any encoding (D31).
    func checkPath() throws(DefinitionError) {
        try Self.check(text, .path, "a path")
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment, "'\(text)' has a segment '.' or '..' in it, which would lead to another path")
        }
    }

    /// Throws if the text can't be the value of a query parameter.
    func checkQueryValue() throws(DefinitionError) {
        try Self.check(text, .escapedParameter, "the value of a query's parameter")
    }

    private static func check(_ text: String, _ allowed: ByteSet, _ what: String) throws(DefinitionError) {
        let bytes = Array(text.utf8)
        for (place, byte) in bytes.enumerated() {
            if byte == .percent {
                guard PercentEncoding.hexPair(bytes[(place + 1)...]) != nil else {
                    throw DefinitionError(
                        .invalidEscapes,
                        "'\(text.printable)' is not escaped: its '%' stands without two hexadecimal digits")
                }
            } else if !allowed.contains(byte) {
                let shown =
                    byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "a character"
                let escape = PercentEncoding.component([byte])
                throw DefinitionError(
                    .invalidEscapes,
                    "'\(text.printable)' is not escaped: \(what) can't hold \(shown) at byte \(place + 1), "
                        + "write \(escape == "\(Character(Unicode.Scalar(byte)))" ? "its escape" : escape)")
            }
        }
    }
}

extension ByteSet {
    fileprivate static let inEscapedText = ByteSet(unreserved + "!$&'()*+,;=:@/?")
    /// The bytes of ``parameter``, plus the plus and equals signs that the author wrote on purpose.
    fileprivate static let escapedParameter = ByteSet(unreserved + "!$'()*+,;=:@/?")
}

extension Double {
    /// The number in a path or a query: a whole number without a fraction, any other in the fewest digits
    /// with the same value (rule 36.4).
    package func inURL() throws(DefinitionError) -> String {
        guard isFinite else { throw DefinitionError(.notFinite, "\(self) is no number that a URL can hold") }
        return Int64(exactly: self).map { "\($0)" } ?? description
    }
}
