import Platform

/// What a definition adds to the path of its base, escaped (rules 37).
public struct PathComponent: Sendable, Hashable {
    /// As it is in the URL; empty for one that is dropped (37.2).
    let escaped: String

    init(escaped: String) { self.escaped = escaped }

    /// One segment of text: a slash in it is escaped, as all else that no segment holds (37.3). Throws for a
    /// `.` or `..` between slashes, however encoded, which some server would read as a way out (37.4).
    public init(_ text: String) throws(DefinitionError) {
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment,
                "'\(text.printable)' can't be a component of a path: it would lead to another path")
        }
        escaped = PercentEncoding.segment(text.utf8)
    }

    /// A whole number.
    public init(_ value: some BinaryInteger) { escaped = "\(value)" }

    public init(_ value: Bool) { escaped = value ? "true" : "false" }

    /// Throws for infinity and NaN.
    public init(_ value: Double) throws(DefinitionError) { try self.init(value.inURL()) }

    /// One segment, or more with slashes between them, that is escaped already. Throws for dot segments and
    /// for what no path holds (37.5).
    public static func raw(_ text: EscapedText) throws(DefinitionError) -> PathComponent {
        try text.checkPath()
        return PathComponent(escaped: text.text)
    }

    /// Text of a path, whose slashes part its segments: what endpoints and templates have. A leading slash is
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

    /// The text that it stands for.
    public var text: String { PercentEncoding.decode(escaped) ?? escaped }
}
