import Platform

/// The arrays `cookies` of HAR 1.2: what the headers of a message say in parts, values hidden (rule 48.2).
enum HARCookies {
    /// Of a Cookie header (RFC 6265 4.2.1); nil for none.
    static func sent(_ header: String?) -> Tree {
        let parts = header?.split(separator: ";") ?? []
        return Tree(
            parts.map { part in
                let pair = part.drop { $0 == " " || $0 == "\t" }
                // A cookie without `=` is a value without a name.
                let name = pair.firstIndex(of: "=").map { pair[..<$0] } ?? ""
                return Tree(pairs: [("name", Tree(String(name))), ("value", Tree(SecretMask.text))])
            })
    }

    /// Of Set-Cookie headers, those that are cookies.
    static func set(_ headers: [String], at now: Double) -> Tree { Tree(headers.compactMap { set($0, now) }) }

    private static func set(_ header: String, _ now: Double) -> Tree? {
        guard let cookie = SetCookie(header) else { return nil }
        var pairs: [(String, Tree)] = [
            ("name", Tree(cookie.name)), ("value", Tree(SecretMask.text)),
            ("httpOnly", Tree(cookie.isHTTPOnly)), ("secure", Tree(cookie.isSecure)),
        ]
        if let path = cookie.path { pairs.append(("path", Tree(path))) }
        if let domain = cookie.domain { pairs.append(("domain", Tree(domain))) }
        if let end = cookie.maxAge.map({ now + $0 }) ?? cookie.expires,
            let text = InternetTime.text(end, withMilliseconds: true)
        {
            pairs.append(("expires", Tree(text)))
        }
        return Tree(pairs: pairs)
    }
}
