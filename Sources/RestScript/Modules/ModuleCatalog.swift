import Synchronization

/// The versions of a script's transformer modules that are in use now. Safe on any thread; changed on the engine loop.
final class ModuleCatalog: Sendable {
    private let modules = Mutex<[String: ModuleVersion]>([:])

    /// By name.
    var versions: [String: ModuleVersion] { modules.withLock { $0 } }

    subscript(name: String) -> ModuleVersion? {
        get { modules.withLock { $0[name] } }
        set { modules.withLock { $0[name] = newValue } }
    }
}
