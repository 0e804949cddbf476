/// What a `LuaState` may use, and where its output goes.
public struct LuaOptions {
    /// Bytes that scripts may hold. Beyond it a script's allocation fails as a Lua error.
    public var memoryLimit: Int
    /// Ends the message of such an error: what to do.
    public var memoryAdvice: String
    /// Told of runs that don't come back; see ``LuaWatchdog``. On the watchdog's thread.
    public var onWedge: (@Sendable (LuaWedge) -> Void)?
    /// Who looks for such runs.
    public var watchdog = LuaWatchdog.shared
    /// Folders in which `require` looks, in this order: the script's own first. Nothing outside them is reachable, but
    /// that links in the others are followed, wherever they lead: who names a folder answers for it.
    public var searchRoots: [String]
    /// Gets what `print` and `io.write` write, line ends included.
    public var output: (String) -> Void
    /// What to do instead of calling a function that scripts don't get, "io.open", or requiring a module that is written
    /// in C, "lfs".
    public var advice: [String: String] = [:]
    /// Answers `os.getenv`; the default grants no name.
    public var environment: (String) -> String?

    public init(
        memoryLimit: Int = 256 << 20,
        memoryAdvice: String = "",
        searchRoots: [String] = [],
        output: @escaping (String) -> Void = { _ in },
        environment: @escaping (String) -> String? = { _ in nil }
    ) {
        self.memoryLimit = memoryLimit
        self.memoryAdvice = memoryAdvice
        self.searchRoots = searchRoots
        self.output = output
        self.environment = environment
    }
}
