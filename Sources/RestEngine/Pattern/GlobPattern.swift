/// A compiled glob (14.9): `*` is zero or more bytes other than `/`, `?` exactly one, `**` anything, and
/// `**/` anything up to a slash, or nothing. It is matched against the whole URL without query and fragment,
/// as it is written: percent-encoded, with case.
public struct GlobPattern: Sendable, Equatable, CustomStringConvertible {
    /// As its author wrote it.
    public let text: String
    let steps: [GlobStep]
    private let program: GlobProgram

    /// Throws for text that is no glob; `base` is what a glob without a scheme is relative to.
    public init(_ text: String, base: BaseURL? = nil) throws(PatternError) {
        self.text = text
        steps = try GlobSyntax(text, base: base).steps()
        program = GlobProgram(steps)
    }

    public var description: String { text }

    /// Compares with the URL up to its query (14.9).
    public func matches(_ url: URLText) -> Bool {
        matches(Array(url.withoutQuery)[...])
    }

    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        program.matches(bytes)
    }
}
