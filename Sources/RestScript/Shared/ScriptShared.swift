import LuaRuntime
import RestEngine

/// The shared memory that a script has declared, or that the settings declare for it.
@EngineActor
final class ScriptShared {
    private unowned let context: ScriptContext
    private var memory: (any SharedMemoryAccess)?
    private var declared: SharedMemorySettings?
    /// Where `rest.shared` was called.
    private var place: String?
    /// By name. Blocks run for each URL, and what a refresh knows is for all of them.
    private var credentials: [String: SharedCredentialUse] = [:]
    private static let mostCredentials = 1000

    init(_ context: ScriptContext) { self.context = context }

    static let hint =
        "declare one before, with rest.shared { redis = \"redis://…\" }, or in resthost.toml, in the table [shared]"

    /// `rest.shared{ … }`. The settings of the program go before those of the script, which are only checked.
    func declare(_ settings: SharedMemorySettings, at place: String?) throws(LuaUsageError) {
        if let earlier = self.place {
            throw LuaUsageError(
                "rest.shared was called at \(earlier) already: a script has one shared memory")
        }
        let settings = try checked(settings)
        self.place = place ?? "an unknown place"
        guard context.options.shared == nil else { return }
        memory = try open(settings)
        declared = settings
    }

    /// The declared memory, for a function of scripts.
    func require(for what: String) throws(LuaUsageError) -> any SharedMemoryAccess {
        if let memory { return memory }
        guard let settings = context.options.shared else {
            throw LuaUsageError("\(what) needs a shared memory: \(Self.hint)")
        }
        let new = try open(settings)
        memory = new
        return new
    }

    /// Credentials of that name, the same object for all blocks.
    func credentials(_ name: String) -> SharedCredentialUse {
        if let known = credentials[name] { return known }
        // A script may make up names.
        if credentials.count >= Self.mostCredentials { credentials = [:] }
        let new = SharedCredentialUse(name, context)
        credentials[name] = new
        return new
    }

    /// The script is the running one: its services and those of other hosts with the same memory coordinate
    /// from now on, and those of the script before no longer.
    func takeOver() {
        let isWanted = (context.options.shared ?? declared)?.coordinates ?? false
        guard isWanted, let memory = try? require(for: "the coordination of hosts") else {
            context.engine.coordination?.stop()
            context.engine.coordination = nil
            return
        }
        memory.coordinate { [weak context] in context?.services.all ?? [] }
    }

    /// The memory of a URL of its own.
    func open(url: String) throws(LuaUsageError) -> any SharedMemoryAccess {
        let base = context.options.shared ?? declared
        var settings = SharedMemorySettings(urls: [url], coordinates: false)
        settings.prefix = base?.prefix ?? settings.prefix
        settings.timeout = base?.timeout ?? settings.timeout
        settings.authorityFile = base?.authorityFile
        return try open(try checked(settings))
    }

    private func open(_ settings: SharedMemorySettings) throws(LuaUsageError) -> any SharedMemoryAccess {
        let provider = try provider()
        if let key = settings.key { SecretMask.hide(key) }
        do {
            // The settings of the program weren't checked here.
            for url in settings.urls { Self.hideSecrets(of: url, try provider.place(url)) }
            return try provider.open(context.engine, settings)
        } catch { throw LuaUsageError("the shared memory can't be used: \(error)") }
    }

    /// A URL without a password may be shown, and operators look for it.
    private static func hideSecrets(of url: String, _ place: SharedMemoryProvider.Place) {
        guard let password = place.password else { return }
        SecretMask.hide(password)
        SecretMask.hide(url)
    }

    private func provider() throws(LuaUsageError) -> SharedMemoryProvider {
        guard let provider = context.options.sharedMemory else {
            throw LuaUsageError("a shared memory is not available in this program")
        }
        return provider
    }

    /// Checks the settings of a script, and that it may use the servers. A script whose hosts are named may
    /// only use servers that it names itself, because each of those has been checked.
    private func checked(_ settings: SharedMemorySettings) throws(LuaUsageError) -> SharedMemorySettings {
        let provider = try provider()
        guard (1...SharedMemorySettings.mostURLs).contains(settings.urls.count) else {
            throw LuaUsageError("a shared memory has 1 to \(SharedMemorySettings.mostURLs) URLs")
        }
        var places: [SharedMemoryProvider.Place] = []
        for url in settings.urls {
            do { places.append(try provider.place(url)) } catch {
                let which = settings.urls.count == 1 ? "" : " \(places.count + 1)"
                throw LuaUsageError("the URL\(which) of the shared memory is wrong: \(error)")
            }
            Self.hideSecrets(of: url, places[places.count - 1])
        }
        if let fault = provider.faultOfPrefix(settings.prefix) {
            throw LuaUsageError("option 'prefix' of rest.shared: \(fault)")
        }
        for place in places { try context.grants.allow(place.kind) }
        var checked = settings
        checked.followsSentinels = !context.grants.permissions.namesHosts
        return checked
    }
}

extension ScriptGrants {
    /// Throws when the script may not use this server. Without named hosts, a script may reach the hosts that
    /// it declares, and the server is one of them.
    func allow(_ place: SharedMemoryProvider.Place.Kind) throws(LuaUsageError) {
        switch place {
        case .socket(let path): _ = try socketPath(path)
        case .network(let host, let port):
            if let refusal = permissions.refusalOfServer(host: host, port: port) {
                throw LuaUsageError("the shared memory at \(host):\(port) is not allowed: \(refusal)")
            }
        }
    }
}
