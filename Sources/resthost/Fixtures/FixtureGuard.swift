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
