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

/// A pattern of paths: `*` is any part of a name, `?` one character of it, `**` any number of names or none.
struct FixtureGlob: Sendable, Equatable {
    let text: String
    private let names: [[Character]]

    init(_ text: String) {
        self.text = text
        names = text.split(separator: "/").map { Array($0.lowercased()) }
    }

    /// One pattern each line; empty lines and those that start with `#` are skipped.
    static func parse(_ lines: String) -> [FixtureGlob] {
        lines.split(whereSeparator: \.isNewline).map(trimmed)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { FixtureGlob(String($0)) }
    }

    /// Case is ignored, because some file systems do.
    func matches(_ path: FixturePath) -> Bool {
        Self.match(names[...], path.segments.map { Array($0.lowercased()) }[...], any: ["*", "*"]) {
            name, segment in
            Self.match(name[...], segment[...], any: "*") { $0 == "?" || $0 == $1 }
        }
    }

    /// Both levels are the same problem: a row in which one element stands for any number of others. Only the
    /// last such element is remembered, so it takes pattern times text steps at most.
    private static func match<Element: Equatable>(
        _ pattern: ArraySlice<Element>, _ text: ArraySlice<Element>, any: Element,
        one: (Element, Element) -> Bool
    ) -> Bool {
        var p = pattern.startIndex
        var t = text.startIndex
        var retry: (p: Int, t: Int)?
        while t < text.endIndex {
            if p < pattern.endIndex, pattern[p] == any {
                p += 1
                retry = (p, t)
            } else if p < pattern.endIndex, one(pattern[p], text[t]) {
                p += 1
                t += 1
            } else if let last = retry {
                p = last.p
                t = last.t + 1
                retry = (p, t)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == any }
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
        let token = FixtureHex.text(of: random()) + FixtureHex.text(of: random())
        expiries[token] = now + lifetime
        return token
    }

    func isValid(_ token: String, at now: Double) -> Bool {
        expiries[token].map { now < $0 } ?? false
    }

    mutating func forgetAll() { expiries = [:] }
}
