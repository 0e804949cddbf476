import Platform

/// A compiled glob (14.9): `*` is zero or more bytes other than `/`, `?` exactly one, `**` any text, and
/// `**/` any text up to a slash, or no text. It is matched against the whole URL without query and fragment,
/// as written: percent-encoded, case-sensitive.
package struct GlobPattern: Sendable, Equatable, CustomStringConvertible {
    /// The pattern as its author wrote it.
    package let text: String
    let steps: [GlobStep]
    private let program: GlobProgram

    /// Throws for text that is no glob; a glob without a scheme is relative to `base`.
    package init(_ text: String, base: BaseURL? = nil) throws(PatternError) {
        self.text = text
        steps = try GlobSyntax(text, base: base).steps()
        program = GlobProgram(steps)
    }

    /// For text that is not part of a URL: the pattern and the compared text are not percent-encoded.
    package init(unescaped text: String) {
        self.text = text
        steps = GlobStep.parse(text.utf8)
        program = GlobProgram(steps)
    }

    package var description: String { text }

    /// The pattern, if it may match the path of a resource. Throws for a character that such paths have as an
    /// escape only: a search by the pattern would find nothing, and not say why.
    package func forPaths() throws(PatternError) -> GlobPattern {
        let host = text.firstRange(of: "://").map { text[$0.upperBound...].prefix { $0 != "/" } }
        let start = host?.endIndex ?? text.startIndex
        for index in text.utf8.indices where index >= start {
            let byte = text.utf8[index]
            guard byte < 0x80, byte > 0x20, !"%?".utf8.contains(byte), !ByteSet.path.contains(byte) else {
                continue
            }
            let escape = String(decoding: PercentEncoding.encode([byte], keeping: .path), as: UTF8.self)
            throw PatternError(
                .badGlob, pattern: text, message: "'\(Character(UnicodeScalar(byte)))'",
                offset: text.utf8.distance(from: text.startIndex, to: index),
                suggestion: "globs know only *, ** and ?, and a path has \(escape) for it")
        }
        return self
    }

    /// ``matches(_:)`` as a value.
    var function: @Sendable (URLText) -> Bool { { url in matches(url) } }

    /// Matches the URL up to its query (14.9).
    package func matches(_ url: URLText) -> Bool {
        matches(Array(url.withoutQuery)[...])
    }

    /// Matches the whole URL; a `?` of the pattern also matches the `?` before a query.
    package func matchesWhole(_ url: URLText) -> Bool {
        matches(Array(url.string.utf8)[...])
    }

    package func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        program.matches(bytes)
    }

    /// Whether it can match any URL below `base`: each step that is reached after the base's text can be
    /// completed to some URL.
    package func canMatch(below base: BaseURL) -> Bool {
        var now = StepSet(steps)
        now.insert(0)
        for byte in base.url.withoutQuery {
            var next = StepSet(steps)
            now.advance(over: byte, into: &next)
            now = next
        }
        return !now.indices.isEmpty
    }

    /// Whether it certainly matches every URL that `other` matches: both are equal, or this one is a literal
    /// text followed by `**`, and the other begins with that text.
    package func covers(_ other: GlobPattern) -> Bool {
        if steps == other.steps { return true }
        guard steps.last == .deep else { return false }
        let text = steps.dropLast()
        return text.allSatisfy { $0.literal != nil } && other.steps.starts(with: text)
    }
}

/// Parses a glob as a script writes it.
struct GlobSyntax {
    private let text: String
    private let base: BaseURL?

    init(_ text: String, base: BaseURL?) {
        self.text = text
        self.base = base
    }

    /// The steps of the whole pattern, including the base (14.9). The base contains no wildcards, and its
    /// query is not used (D20).
    func steps() throws(PatternError) -> [GlobStep] {
        let bytes = try encoded()
        let letters = bytes.prefix(while: \.isASCIILetter).count
        let hasScheme = letters > 0 && bytes[letters...].first == .colon
        if let base, !hasScheme {
            return base.url.withoutQuery.map(GlobStep.byte)
                + GlobStep.parse(bytes.first == .slash ? bytes.dropFirst() : bytes[...])
        }
        return GlobStep.parse(hasScheme ? Self.normalised(bytes, schemeEnd: letters) : bytes)
    }

    /// URLs contain no spaces and only ASCII, so in a pattern these characters stand for their escapes.
    private func encoded() throws(PatternError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case 0..<0x20, 0x7F:
                throw PatternError(
                    .badGlob, pattern: text, message: "control character", offset: offset,
                    suggestion: "URLs have none: write its escape, such as %0A")
            case .hash:
                throw PatternError(
                    .badGlob, pattern: text, message: "fragment", offset: offset,
                    suggestion: "the fragment of a URL is ignored; write %23 for a '#' in a path")
            case 0x20, 0x80...: PercentEncoding.append(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Normalises the pattern as `URLText` does a URL: scheme and host in lower case, no default port, and a
    /// slash for the empty path (D20, D21).
    private static func normalised(_ bytes: [UInt8], schemeEnd: Int) -> [UInt8] {
        let scheme = bytes[..<schemeEnd].map(\.asciiLowercased)
        let rest = bytes[(schemeEnd + 1)...]
        guard rest.starts(with: [.slash, .slash]) else { return scheme + [.colon] + rest }
        let start = rest.startIndex + 2
        let end = rest[start...].firstIndex(of: .slash) ?? rest.endIndex
        let hostStart = rest[start..<end].lastIndex(of: .at).map { $0 + 1 } ?? start
        var authority = rest[start..<hostStart] + rest[hostStart..<end].map(\.asciiLowercased)
        if let port = URLAuthority.defaultPort(of: scheme) {
            let suffix = Array(":\(port)".utf8)
            if authority.suffix(suffix.count).elementsEqual(suffix) { authority.removeLast(suffix.count) }
        }
        // `**` may extend into the path itself.
        let reachesPath = zip(authority, authority.dropFirst()).contains { $0 == (.star, .star) }
        let path = end == rest.endIndex && !reachesPath ? [.slash] : rest[end...]
        return scheme + [.colon, .slash, .slash] + authority + path
    }
}
