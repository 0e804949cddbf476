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

    /// Compares with the whole URL: its `?` is one of the characters that a `?` stands for.
    func matchesWhole(_ url: URLText) -> Bool {
        matches(Array(url.string.utf8)[...])
    }

    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        program.matches(bytes)
    }

    /// Whether it can match any URL below `base`: every way on from the base's text leads to some URL.
    public func canMatch(below base: BaseURL) -> Bool {
        var now = StepSet(steps)
        now.insert(0)
        for byte in base.url.withoutQuery {
            var next = StepSet(steps)
            now.advance(over: byte, into: &next)
            now = next
        }
        return !now.indices.isEmpty
    }

    /// Whether it certainly matches whatever `other` does: both are the same, or this one is text and then anything,
    /// and the other begins with that text.
    public func covers(_ other: GlobPattern) -> Bool {
        if steps == other.steps { return true }
        guard steps.last == .deep else { return false }
        let text = steps.dropLast()
        return text.allSatisfy { $0.literal != nil } && other.steps.starts(with: text)
    }
}
