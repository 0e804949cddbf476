import LuaRuntime
public import RestEngine

/// How a service keeps cookies.
enum CookieSetting {
    /// Cookies are lost when the process ends.
    case memory
    /// Persistent cookies are kept in a file.
    case file(String)
}

/// The cookies of one service in the store of a file. The file may also have cookies of other services
/// (rule 58.8).
@EngineActor
public struct CookieFile: CookieStorage {
    private let store: ScriptStore
    private let service: String
    private let scheduler: Scheduler

    init(_ store: ScriptStore, service: String, scheduler: Scheduler) {
        (self.store, self.service, self.scheduler) = (store, service, scheduler)
    }

    var cookies: [Cookie] {
        let now = scheduler.now
        return store.keys(Self.prefix(service), at: now).compactMap { key in
            store.value(for: key, at: now).flatMap { Cookie($0) }
        }
    }

    public func keep(_ cookie: Cookie) {
        let now = scheduler.now
        // A full file keeps its cookies.
        try? store.set(
            cookie.tree, for: Self.key(cookie, of: service), lifetime: (cookie.expiresAt ?? now) - now,
            at: now)
    }

    public func remove(_ cookie: Cookie) { store.delete(Self.key(cookie, of: service), at: scheduler.now) }

    /// A character that no name contains.
    private nonisolated static let separator = "\u{1F}"

    private static func prefix(_ service: String) -> String { "cookie\(separator)\(service)\(separator)" }

    private static func key(_ cookie: Cookie, of service: String) -> String {
        let parts = [cookie.domain, cookie.isHostOnly ? "host" : "", cookie.path, cookie.name]
        return prefix(service) + parts.joined(separator: separator)
    }

    /// The service and the cookie of an entry of such a file; nil for other entries.
    public nonisolated static func entry(_ key: String, _ value: Tree) -> (service: String, cookie: Cookie)? {
        let parts = key.split(separator: Character(separator), omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "cookie", let cookie = Cookie(value) else { return nil }
        return (String(parts[1]), cookie)
    }
}

extension ServiceRegistry {
    /// The jar of a service. It stays the same after a reload.
    func jar(_ setting: CookieSetting, of service: String) throws -> CookieJar {
        let engine = context.engine
        switch setting {
        case .memory: return engine.cookieJar(service) { CookieJar() }
        case .file(let path):
            let place = try context.grants.databasePath(path)
            guard let open = context.options.openStore else {
                throw LuaUsageError("cookies can't be kept in files by this program: use cookies = true")
            }
            do {
                let scheduler = engine.scheduler
                return try engine.cookieJar("\(service) \(place)") {
                    let file = CookieFile(
                        try open(DurableStoreSettings(path: place)), service: service,
                        scheduler: scheduler)
                    return CookieJar(storage: file, stored: file.cookies, now: scheduler.now)
                }
            } catch {
                throw LuaUsageError(
                    "cookies can't be kept in '\(context.grants.path(named: path))': \(error)")
            }
        }
    }
}
