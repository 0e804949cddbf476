import Platform

/// A part of a URL that its author has escaped, to be taken as it is (rules 36.6, 37.5). `%2F` in it stays a
/// slash inside a segment.
public struct EscapedText: Sendable, Hashable, CustomStringConvertible {
    /// The text, which is ASCII.
    public let text: String

    /// Throws for what no URL holds: blanks, control characters, letters beyond ASCII, and a `%` without two
    /// hexadecimal digits (RFC 3986 2.1).
    public init(_ text: String) throws(DefinitionError) {
        try Self.check(text, ByteSet.inEscapedText, "a URL")
        self.text = text
    }

    public var description: String { text }

    /// What of it a path may hold: segments with slashes between them, and no dot segment however encoded
    /// (D31).
    func checkPath() throws(DefinitionError) {
        try Self.check(text, .path, "a path")
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment, "'\(text)' has a segment '.' or '..' in it, which would lead to another path")
        }
    }

    /// What of it the value of a query's parameter may hold.
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
    /// As ``parameter``, with the plus and the equals sign that its author meant.
    fileprivate static let escapedParameter = ByteSet(unreserved + "!$'()*+,;=:@/?")
}

extension Double {
    /// As a path or a query shows it: a whole one without fraction, any other in the fewest digits that mean
    /// it (rule 36.4).
    public func inURL() throws(DefinitionError) -> String {
        guard isFinite else { throw DefinitionError(.notFinite, "\(self) is no number that a URL can hold") }
        return Int64(exactly: self).map { "\($0)" } ?? description
    }
}
