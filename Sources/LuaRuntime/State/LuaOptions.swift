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
    /// Folders in which `require` looks, in this order. Nothing outside them is reachable.
    public var searchRoots: [String]
    /// Gets what `print` and `io.write` write, line ends included.
    public var output: (String) -> Void
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
