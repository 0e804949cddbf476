/// One cookie of a jar (RFC 6265 5.3).
public struct Cookie: Sendable, Equatable {
    /// Not empty.
    public var name: String
    /// Secret, mostly.
    public var value: String
    /// The host that gets it, and those below it unless it ``isHostOnly``; in lower case.
    public var domain: String
    /// Only the host that set it gets it.
    public var isHostOnly: Bool
    /// The paths that it is for begin with this.
    public var path: String
    /// It goes over https alone.
    public var isSecure: Bool
    /// Pages' scripts were not to see it.
    public var isHTTPOnly: Bool
    /// Unix seconds; nil for one that goes with the process.
    public var expiresAt: Double?
    /// When it was first set, Unix seconds.
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

    /// The one that takes the place of another has the same.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
            && isHostOnly == other.isHostOnly
    }

    func isOver(at now: Double) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// Where a cookie comes from, or is to go.
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

    /// RFC 6265 5.1.3: the host is the domain or below it; addresses have nothing below.
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

    /// RFC 6265 5.1.4: what a cookie without a path is for.
    var defaultPath: String {
        guard path.hasPrefix("/"), let last = path.lastIndex(of: "/"), last > path.startIndex else {
            return "/"
        }
        return String(path[..<last])
    }
}
