import RestEngine

/// Which paths need a token: all below `private`, and those that the folder's `.protected` lists.
struct FixtureGuard: Sendable {
    static let fileName = ".protected"

    private let globs: [FixtureGlob]

    init(_ lines: String = "") { globs = [FixtureGlob("private/**")] + FixtureGlob.parse(lines) }

    func covers(_ path: FixturePath) -> Bool { globs.contains { $0.matches(path) } }

    /// Nil when the request carries a valid token; else the refusal (RFC 6750 section 3).
    static func refusal(_ headers: Headers, _ tokens: FixtureTokens, at now: Double) -> FixtureRefusal? {
        var challenge = "Bearer realm=\"fixtures\""
        if let token = bearer(headers["Authorization"]) {
            if tokens.isValid(token, at: now) { return nil }
            challenge += ", error=\"invalid_token\""
        }
        return FixtureRefusal(401, "Requires authentication", headers: [("WWW-Authenticate", challenge)])
    }

    private static func bearer(_ credentials: String?) -> String? {
        let parts = credentials?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

/// A pattern of paths, in the language of configuration blocks (rule 14.9): `*` is any part of a name, `?`
/// one byte of it, `**` any number of names or none. Of names as they are, not as URLs escape them.
struct FixtureGlob: Sendable {
    let text: String
    /// It is empty, or consists of `**` alone.
    private let coversRoot: Bool
    private let patterns: [GlobPattern]

    init(_ text: String) {
        self.text = text
        let names = text.lowercased().split(separator: "/")
        coversRoot = names.allSatisfy { $0 == "**" }
        // A pattern of all that is below a folder covers the folder too.
        let folder = names.last == "**" ? [names.dropLast()] : []
        patterns = ([names[...]] + folder).map { GlobPattern(unescaped: $0.joined(separator: "/")) }
    }

    /// One pattern each line; empty lines and those that start with `#` are skipped.
    static func parse(_ lines: String) -> [FixtureGlob] {
        lines.split(whereSeparator: \.isNewline).map(trimmed)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { FixtureGlob(String($0)) }
    }

    /// Case is ignored, because some file systems do.
    func matches(_ path: FixturePath) -> Bool {
        guard !path.isRoot else { return coversRoot }
        let names = Array(path.segments.joined(separator: "/").lowercased().utf8)
        return patterns.contains { $0.matches(names[...]) }
    }

    private static func trimmed(_ line: Substring) -> Substring {
        let start = line.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}

/// Bearer tokens that expire.
struct FixtureTokens: Sendable {
    /// Seconds.
    let lifetime: Double
    private let random: @Sendable () -> UInt64
    private var expiries: [String: Double] = [:]

    init(lifetime: Double, random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }) {
        self.lifetime = lifetime
        self.random = random
    }

    mutating func issue(at now: Double) -> String {
        expiries = expiries.filter { $0.value > now }
        let token = Hex.encode(
            [random(), random()].flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
        expiries[token] = now + lifetime
        return token
    }

    func isValid(_ token: String, at now: Double) -> Bool {
        expiries[token].map { now < $0 } ?? false
    }

    mutating func forgetAll() { expiries = [:] }
}
