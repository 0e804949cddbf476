/// The cookies of one jar: which may be set, which are sent where, and which are removed when there are too
/// many (RFC 6265 5.3, 5.4). Times are Unix seconds, given by the caller.
struct CookieTable {
    /// A change that a copy of the table has to repeat.
    enum Change: Equatable {
        case set(Cookie)
        case removed(Cookie)
    }

    /// The reason why a cookie was refused, for the log.
    enum Refusal: String, Error {
        case foreignDomain = "the domain is not the server's"
        case publicSuffix = "its domain is a public suffix"
        case insecure = "a secure cookie can only be set over https"
        case prefix = "it lacks attributes that its name's prefix requires"
        case covered = "there is a secure cookie of that name"
    }

    private struct Entry {
        var cookie: Cookie
        var lastUsed: Double
    }

    static let mostOfDomain = 50
    static let mostInAll = 3000
    /// Bytes of a Cookie header; servers reject longer ones.
    static let mostHeaderBytes = 16 << 10

    private var entries: [String: [Entry]] = [:]
    private(set) var count = 0
    private let isPublicSuffix: @Sendable (String) -> Bool

    init(isPublicSuffix: @escaping @Sendable (String) -> Bool) { self.isPublicSuffix = isPublicSuffix }

    /// All cookies, by domain, path and name.
    func all(at now: Double) -> [Cookie] {
        entries.values.joined().map(\.cookie).filter { !$0.isOver(at: now) }
            .sorted { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }
    }

    // MARK: Setting

    /// Handles a cookie that a server sends.
    mutating func take(
        _ sent: SetCookie, from place: CookiePlace, at now: Double
    ) throws(Refusal) -> [Change] {
        var domain = sent.domain
        if let wanted = domain, isPublicSuffix(wanted) || place.isAddress {
            guard wanted == place.host else { throw place.isIn(wanted) ? .publicSuffix : .foreignDomain }
            domain = nil
        }
        if let domain, !place.isIn(domain) { throw .foreignDomain }
        guard place.isSecure || !sent.isSecure else { throw .insecure }
        let cookie = Cookie(
            name: sent.name, value: sent.value, domain: domain ?? place.host, isHostOnly: domain == nil,
            path: sent.path ?? place.defaultPath, isSecure: sent.isSecure, isHTTPOnly: sent.isHTTPOnly,
            expiresAt: sent.maxAge.map { now + $0 }
                ?? sent.expires.map { min($0, now + SetCookie.mostSeconds) },
            created: now)
        try Self.check(cookie, hasRoot: sent.path == "/")
        if !place.isSecure, isCovered(cookie, place) { throw .covered }
        return put(cookie, at: now)
    }

    /// RFC 6265bis 4.1.3: the rules for names with a prefix such as `__Host-`.
    private static func check(_ cookie: Cookie, hasRoot: Bool) throws(Refusal) {
        let name = cookie.name.lowercased()
        if name.hasPrefix("__secure-"), !cookie.isSecure { throw .prefix }
        if name.hasPrefix("__host-"), !cookie.isSecure || !cookie.isHostOnly || !hasRoot { throw .prefix }
    }

    /// RFC 6265bis 5.7: a cookie from http doesn't replace or hide one from https.
    private func isCovered(_ cookie: Cookie, _ place: CookiePlace) -> Bool {
        entries.values.joined().contains { entry in
            let other = entry.cookie
            let isNear =
                other.domain == cookie.domain || cookie.domain.hasSuffix("." + other.domain)
                || other.domain.hasSuffix("." + cookie.domain)
            let path = CookiePlace(host: place.host, path: cookie.path, isSecure: false)
            return other.isSecure && other.name == cookie.name && isNear && path.isUnder(other.path)
        }
    }

    /// Stores a cookie that was checked; one that has expired only removes its predecessor.
    mutating func put(_ new: Cookie, at now: Double) -> [Change] {
        var cookie = new
        var changes: [Change] = []
        var list = entries[cookie.domain] ?? []
        let known = list.firstIndex { $0.cookie.isSame(as: cookie) }
        if cookie.isOver(at: now) {
            guard let known else { return [] }
            count -= 1
            changes.append(.removed(list.remove(at: known).cookie))
            entries[cookie.domain] = list.isEmpty ? nil : list
            return changes
        }
        if let known {
            cookie.created = list[known].cookie.created
            list[known] = Entry(cookie: cookie, lastUsed: now)
        } else {
            list.append(Entry(cookie: cookie, lastUsed: now))
            count += 1
        }
        changes.append(.set(cookie))
        entries[cookie.domain] = list
        if list.count > Self.mostOfDomain { changes += makeRoom(in: [cookie.domain], at: now) }
        if count > Self.mostInAll { changes += makeRoom(in: Array(entries.keys), at: now) }
        return changes
    }

    /// Removes expired cookies and, if there are none, the least recently used one.
    private mutating func makeRoom(in domains: [String], at now: Double) -> [Change] {
        let gone = remove(in: domains) { $0.isOver(at: now) }
        if !gone.isEmpty { return gone }
        let oldest = domains.compactMap { domain in
            entries[domain]?.min { ($0.lastUsed, $0.cookie.created) < ($1.lastUsed, $1.cookie.created) }
        }.min { $0.lastUsed < $1.lastUsed }
        guard let oldest else { return [] }
        return remove(in: [oldest.cookie.domain]) { $0.isSame(as: oldest.cookie) }
    }

    /// Removes the cookies for which `matches` is true; nil: in all domains.
    mutating func remove(in domains: [String]? = nil, where matches: (Cookie) -> Bool) -> [Change] {
        var changes: [Change] = []
        for domain in domains ?? Array(entries.keys) {
            guard let list = entries[domain] else { continue }
            let left = list.filter { !matches($0.cookie) }
            guard left.count < list.count else { continue }
            count -= list.count - left.count
            changes += list.map(\.cookie).filter(matches).map(Change.removed)
            entries[domain] = left.isEmpty ? nil : left
        }
        return changes
    }

    // MARK: Sending

    /// The Cookie header for a request; nil for none. The longest paths come first and, with the same length,
    /// the cookie that was set first.
    mutating func header(for place: CookiePlace, at now: Double) -> String? {
        guard count > 0 else { return nil }
        var found: [Cookie] = []
        var domain = place.host[...]
        while true {
            if let list = entries[String(domain)] {
                for (index, entry) in list.enumerated() where Self.goes(entry.cookie, to: place, at: now) {
                    entries[String(domain)]?[index].lastUsed = now
                    found.append(entry.cookie)
                }
            }
            guard !place.isAddress, let dot = domain.firstIndex(of: ".") else { break }
            domain = domain[domain.index(after: dot)...]
        }
        found.sort { a, b in
            let (long, short) = (a.path.utf8.count, b.path.utf8.count)
            return long == short ? a.created < b.created : long > short
        }
        var header = ""
        for cookie in found {
            let pair = (header.isEmpty ? "" : "; ") + cookie.name + "=" + cookie.value
            if header.utf8.count + pair.utf8.count > Self.mostHeaderBytes { break }
            header += pair
        }
        return header.isEmpty ? nil : header
    }

    private static func goes(_ cookie: Cookie, to place: CookiePlace, at now: Double) -> Bool {
        (!cookie.isHostOnly || cookie.domain == place.host) && (!cookie.isSecure || place.isSecure)
            && place.isUnder(cookie.path) && !cookie.isOver(at: now)
    }
}
