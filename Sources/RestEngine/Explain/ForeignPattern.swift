/// Patterns in the syntax of another program, which have a different meaning as a glob or a regular
/// expression.
struct ForeignPattern: Equatable {
    let message: String
    let hint: String

    /// Nil for a glob without foreign syntax.
    init?(glob text: String) {
        // Brackets in a host are an IPv6 address.
        let path =
            text.firstRange(of: "://").map { scheme in
                text[scheme.upperBound...].drop { $0 != "/" }
            } ?? text[...]
        let host = text.dropLast(path.count)
        var replaced = path.replacing(/\{[^{}\/]*\}/, with: "*")
        if path.firstMatch(of: /\{[^{}\/]*,[^{}\/]*\}/) != nil || path.contains("|") {
            self.init(text, "alternatives", "write a block for each, or search with rest.regex(\"…|…\")")
        } else if replaced != path {
            self.init(text, "a name in braces", "'*' is any one segment: write \"\(host)\(replaced)\"")
        } else if path.firstMatch(of: /(?:^|\/):[A-Za-z_]/) != nil {
            replaced = path.replacing(/(^|\/):[A-Za-z_][A-Za-z0-9_]*/) { "\($0.output.1)*" }
            self.init(text, "a name behind a colon", "'*' is any one segment: write \"\(host)\(replaced)\"")
        } else if path.firstMatch(of: /\[[^\[\]\/]+\]/) != nil {
            self.init(text, "a set of characters", "'?' is any one character; rest.regex(\"[a-z]\") has sets")
        } else if path.hasPrefix("^") || path.hasSuffix("$") || path.contains("\\") {
            self.init(
                text, "a regular expression", "write it as rest.regex(\"…\"), which searches the whole URL")
        } else if path.firstMatch(of: Self.luaClass) != nil {
            self.init(
                text, "a class of Lua's patterns",
                "'*' is any text without '/'; rest.regex(\"\\\\d+\") has classes")
        } else {
            return nil
        }
    }

    /// Nil for a regular expression without signs of a Lua pattern.
    init?(regex text: String) {
        guard let match = text.firstMatch(of: Self.luaClass) else { return nil }
        message =
            "the regular expression '\(text)' has '\(match.output)', which is a pattern of Lua's: here it stands for "
            + "itself"
        hint =
            "write \\\\ for %: rest.regex(\"\(text.replacing(Self.luaClass) { "\\\\\($0.output.dropFirst())" })\")"
    }

    /// `%d`, but not the beginning of an escaped byte such as `%da`.
    private static var luaClass: Regex<Substring> { /%[dwaslupx](?![0-9A-Fa-f])/ }

    private init(_ text: String, _ what: String, _ hint: String) {
        message =
            "the pattern '\(text)' has what looks like \(what), which globs don't know: it stands for itself"
        self.hint = hint
    }
}

extension URLPattern {
    /// URLs for trying blocks: the pattern with its wildcards filled in, in two ways. For a pattern without
    /// wildcards, or one that can't become a URL, the base URL of the service.
    @EngineActor
    package func samples(of service: Service) -> [URLText] {
        let base = service.baseURL?.url
        switch self {
        case .resource(let url): return [url]
        case .glob(let glob):
            var found: [URLText] = []
            for (folders, deep, name, one) in [("", "x", "x", "x"), ("a/b/", "a/b", "y2", "z")] {
                let filled = glob.text.replacing("**/", with: folders).replacing("**", with: deep)
                    .replacing("*", with: name).replacing("?", with: one)
                let url = URLText(filled).flatMap { $0.isHTTP ? $0 : nil } ?? base?.appendingPath(filled)
                if let url, !found.contains(url) { found.append(url) }
            }
            return found
        case .all, .regex, .predicate: return [base ?? URLText("http://localhost/")].compactMap { $0 }
        }
    }
}
