/// The cookies of one service, or of several that share the jar: servers set them, and they are sent back to
/// servers (rules 58).
@EngineActor
public final class CookieJar {
    private var table = CookieTable { PublicSuffixes.contain($0) }
    private let storage: (any CookieStorage)?

    /// - Parameters:
    ///   - storage: Notified of each change; nil: cookies are not kept beyond the process.
    ///   - stored: The cookies from an earlier process.
    ///   - now: The time in Unix seconds.
    public init(storage: (any CookieStorage)? = nil, stored: [Cookie] = [], now: Double = 0) {
        self.storage = storage
        for cookie in stored { _ = table.put(cookie, at: now) }
    }

    /// The cookies that have not expired.
    public func cookies(at now: Double) -> [Cookie] { table.all(at: now) }

    /// Removes the cookies for which `matches` is true; returns their number.
    @discardableResult
    public func remove(where matches: (Cookie) -> Bool) -> Int {
        let changes = table.remove(where: matches)
        changes.forEach(notify)
        return changes.count
    }

    /// The value of the Cookie header for a URL; nil if no cookie matches.
    func header(for url: URLText, at now: Double) -> String? {
        CookiePlace(url).flatMap { table.header(for: $0, at: now) }
    }

    /// Adds the cookies for the URL to a message, unless it has a Cookie header of its own.
    func add(to message: inout TransportRequest, for url: URLText, _ engine: Engine) {
        guard !message.headers.contains("Cookie"), let header = header(for: url, at: engine.scheduler.now)
        else { return }
        message.headers.set("Cookie", header)
    }

    /// Stores the cookies that a server at that URL has set.
    func take(_ headers: Headers, from url: URLText, at now: Double, _ log: EngineLog) {
        guard headers.contains("Set-Cookie"), let place = CookiePlace(url) else { return }
        for text in headers.values("Set-Cookie") {
            guard let sent = SetCookie(text) else {
                log.write(.network, "an invalid cookie of \(place.host) is ignored")
                continue
            }
            do throws(CookieTable.Refusal) {
                try table.take(sent, from: place, at: now).forEach(notify)
            } catch {
                log.write(
                    .network, "the cookie '\(sent.name)' of \(place.host) is ignored: \(error.rawValue)")
            }
        }
    }

    private func notify(_ change: CookieTable.Change) {
        guard let storage else { return }
        switch change {
        case .set(let cookie) where cookie.expiresAt != nil: storage.keep(cookie)
        case .set(let cookie), .removed(let cookie): storage.remove(cookie)
        }
    }
}

/// Stores cookies beyond the process. The jar does not wait for it.
@EngineActor
public protocol CookieStorage {
    /// A cookie with an expiry was set or replaced.
    func keep(_ cookie: Cookie)
    /// The cookie is to be kept no longer: it was removed, or replaced by one without an expiry.
    func remove(_ cookie: Cookie)
}

extension CookiePlace {
    init?(_ url: URLText) {
        guard let host = url.host else { return nil }
        self.init(host: host.lowercased(), path: url.path, isSecure: url.scheme == "https")
    }
}
