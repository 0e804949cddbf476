import Platform

/// The arrays `cookies` of HAR 1.2: the cookies in the headers of a message, with hidden values (rule 48.2).
enum HARCookies {
    /// The cookies of a Cookie header (RFC 6265 4.2.1); empty without one.
    static func sent(_ header: String?) -> Tree {
        let parts = header?.split(separator: ";") ?? []
        return Tree(
            parts.map { part in
                let pair = part.drop { $0 == " " || $0 == "\t" }
                // Text without `=` is the value of a cookie without a name.
                let name = pair.firstIndex(of: "=").map { pair[..<$0] } ?? ""
                return Tree(pairs: [("name", Tree(String(name))), ("value", Tree(SecretMask.text))])
            })
    }

    /// The valid cookies of Set-Cookie headers.
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
