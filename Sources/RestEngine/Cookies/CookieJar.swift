/// The cookies of one service, or of several that share it: what servers set, and what goes back to them
/// (rules 58).
@EngineActor
public final class CookieJar {
    private var table = CookieTable { PublicSuffixes.contain($0) }
    private let storage: (any CookieStorage)?

    /// - Parameters:
    ///   - storage: Told of each change; nil: nothing is kept beyond the process.
    ///   - stored: What it had before.
    public init(storage: (any CookieStorage)? = nil, stored: [Cookie] = [], now: Double = 0) {
        self.storage = storage
        for cookie in stored { _ = table.put(cookie, at: now) }
    }

    /// Those that are not over.
    public func cookies(at now: Double) -> [Cookie] { table.all(at: now) }

    /// Removes what `matches`; how many those were.
    @discardableResult
    public func remove(where matches: (Cookie) -> Bool) -> Int {
        let changes = table.remove(where: matches)
        changes.forEach(notify)
        return changes.count
    }

    /// What goes to a URL as its Cookie header; nil for nothing.
    func header(for url: URLText, at now: Double) -> String? {
        CookiePlace(url).flatMap { table.header(for: $0, at: now) }
    }

    /// A message gets what goes to its URL, unless it has a Cookie of its own.
    func add(to message: inout TransportRequest, for url: URLText, _ engine: Engine) {
        guard !message.headers.contains("Cookie"), let header = header(for: url, at: engine.scheduler.now)
        else { return }
        message.headers.set("Cookie", header)
    }

    /// What a server at that URL has set.
    func take(_ headers: Headers, from url: URLText, at now: Double, _ log: EngineLog) {
        guard headers.contains("Set-Cookie"), let place = CookiePlace(url) else { return }
        for text in headers.values("Set-Cookie") {
            guard let sent = SetCookie(text) else {
                log.write(.network, "a cookie of \(place.host) is left out: it is none")
                continue
            }
            do throws(CookieTable.Refusal) {
                try table.take(sent, from: place, at: now).forEach(notify)
            } catch {
                log.write(
                    .network, "the cookie '\(sent.name)' of \(place.host) is left out: \(error.rawValue)")
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

/// Keeps cookies beyond the process. Nothing waits for it.
@EngineActor
public protocol CookieStorage {
    /// One was set, or set anew.
    func keep(_ cookie: Cookie)
    /// One is there no more.
    func remove(_ cookie: Cookie)
}

extension CookiePlace {
    init?(_ url: URLText) {
        guard let host = url.host else { return nil }
        self.init(host: host.lowercased(), path: url.path, isSecure: url.scheme == "https")
    }
}
