/// One cookie of a jar (RFC 6265 5.3).
public struct Cookie: Sendable, Equatable {
    /// Not empty.
    public var name: String
    /// Usually secret.
    public var value: String
    /// In lower case: the host that gets the cookie, and its subdomains unless the cookie ``isHostOnly``.
    public var domain: String
    /// Only the host that set the cookie gets it.
    public var isHostOnly: Bool
    /// The prefix of the paths that get the cookie.
    public var path: String
    /// The cookie is sent over https only.
    public var isSecure: Bool
    /// The server did not want scripts of pages to read it.
    public var isHTTPOnly: Bool
    /// Unix seconds; nil for a cookie that ends with the process.
    public var expiresAt: Double?
    /// Unix seconds of the time when it was first set.
    public var created: Double

    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, expiresAt: Double? = nil, created: Double = 0
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expiresAt = expiresAt
        self.created = created
    }

    /// A cookie that replaces another has the same name, domain and path.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
            && isHostOnly == other.isHostOnly
    }

    func isOver(at now: Double) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// The URL that a cookie comes from, or is to be sent to.
struct CookiePlace {
    /// In lower case, brackets of an IPv6 address included.
    let host: String
    let path: String
    let isSecure: Bool

    init(host: String, path: String, isSecure: Bool) {
        self.host = host
        self.path = path
        self.isSecure = isSecure
    }

    /// RFC 6265 5.1.3: the host is the domain or below it; addresses have no subdomains.
    func isIn(_ domain: String) -> Bool {
        if host == domain { return true }
        return host.hasSuffix("." + domain) && !isAddress
    }

    var isAddress: Bool {
        host.hasPrefix("[")
            || host.split(separator: ".", omittingEmptySubsequences: false).last.map { last in
                !last.isEmpty && last.utf8.allSatisfy(HTTPByte.isDigit)
            } ?? false
    }

    /// RFC 6265 5.1.4.
    func isUnder(_ prefix: String) -> Bool {
        if path == prefix { return true }
        guard path.hasPrefix(prefix) else { return false }
        return prefix.hasSuffix("/") || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    /// RFC 6265 5.1.4: the path for a cookie that names none.
    var defaultPath: String {
        guard path.hasPrefix("/"), let last = path.lastIndex(of: "/"), last > path.startIndex else {
            return "/"
        }
        return String(path[..<last])
    }
}
