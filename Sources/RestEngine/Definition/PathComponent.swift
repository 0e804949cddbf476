import Platform

/// An escaped part of a path that a definition adds to its base (rules 37).
public struct PathComponent: Sendable, Hashable {
    /// The form in the URL; empty for a component that is dropped (37.2).
    let escaped: String

    init(escaped: String) { self.escaped = escaped }

    /// One segment of text: slashes, and other characters that a segment can't contain, are escaped (37.3).
    /// Throws for `.` or `..` between slashes in any encoding, because some servers would leave the folder
    /// (37.4).
    public init(_ text: String) throws(DefinitionError) {
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment,
                "'\(text.printable)' can't be a component of a path: it would lead to another path")
        }
        escaped = PercentEncoding.segment(text.utf8)
    }

    /// A whole number.
    package init(_ value: some BinaryInteger) { escaped = "\(value)" }

    package init(_ value: Bool) { escaped = value ? "true" : "false" }

    /// Throws for infinity and NaN.
    package init(_ value: Double) throws(DefinitionError) { try self.init(value.inURL()) }

    /// One or more segments with slashes between them, already escaped. Throws for dot segments and for
    /// characters that a path can't contain (37.5).
    package static func raw(_ text: EscapedText) throws(DefinitionError) -> PathComponent {
        try text.checkPath()
        return PathComponent(escaped: text.text)
    }

    /// The text of a path whose slashes separate segments, as in endpoints and templates. A leading slash is
    /// ignored.
    package static func path(_ text: String) throws(DefinitionError) -> PathComponent {
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment,
                "the path '\(text.printable)' has a segment '.' or '..' in it, which would lead to another path"
            )
        }
        let utf8 = text.utf8
        let rest = utf8.first == .slash ? Substring(utf8.dropFirst()) : text[...]
        return PathComponent(escaped: PercentEncoding.path(String(rest)))
    }

    /// The text with its escapes decoded.
    public var text: String { PercentEncoding.decode(escaped) ?? escaped }
}
