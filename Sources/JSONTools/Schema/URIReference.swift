/// A URI or a reference to one (RFC 3986).
struct URIReference {
    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring?
    private(set) var fragment: Substring?

    init(_ text: some StringProtocol) {
        var rest = Substring(text)
        if let hash = rest.firstIndex(of: "#") {
            fragment = rest[rest.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let colon = rest.firstIndex(where: { ":/?".contains($0) }), rest[colon] == ":" {
            scheme = rest[..<colon]
            rest = rest[rest.index(after: colon)...]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// This reference seen from a base (RFC 3986 5.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var result = self
        if scheme != nil { return result }
        result.scheme = base.scheme
        if authority != nil { return result }
        result.authority = base.authority
        if path.isEmpty {
            result.path = base.path
            result.query = query ?? base.query
        } else if !path.hasPrefix("/") {
            let folder =
                base.path.lastIndex(of: "/").map { base.path[...$0] } ?? (base.authority == nil ? "" : "/")
            result.path = Self.withoutDots(String(folder) + path)
        } else {
            result.path = Self.withoutDots(String(path))
        }
        return result
    }

    /// Resolves `.` and `..` (RFC 3986 5.2.4).
    private static func withoutDots(_ path: String) -> Substring {
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { segments.append("") }
            case "..":
                if segments.count > 1 || segments.first.map({ !$0.isEmpty }) ?? false {
                    segments.removeLast()
                }
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return Substring(segments.joined(separator: "/"))
    }

    var withoutFragment: String {
        (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path
            + (query.map { "?\($0)" } ?? "")
    }
}
