import LuaRuntime
public import RestEngine

/// What the program that embeds a script gives it.
public struct ScriptOptions: Sendable {
    /// Bytes that the script's Lua state may hold.
    public var memoryLimit = 256 << 20
    /// Bytes that the resources of the engine may hold, and what is on its way to them; nil leaves the
    /// engine's own limit.
    public var contentMemoryLimit: Int?
    /// CPU time of its functions.
    public var limits = ScriptLimits()
    /// Folders for `require`, after the script's own.
    public var modulePaths: [String] = []
    /// Names that `rest.env` and `os.getenv` may read; nil grants every name.
    public var grantedEnvironment: Set<String>? = []
    /// Values of the environment.
    public var environment: [String: String] = [:]
    /// Headers, parameters, fields and variables whose values are secret, beside those with usual names
    /// (rule 47.3).
    public var secretNames: [String] = []
    /// Names that look like those of secrets, and are none.
    public var plainNames: [String] = []
    /// Where `rest.every` finds zones of time.
    public var zones = ZoneFiles.system
    /// What `rest.store` keeps. Give a script that is loaded again the same one.
    public var store = ScriptStore()
    /// Gets what the script logs and prints, and what fails where nobody waits for it.
    public var log: @EngineActor (ScriptLogEntry) -> Void = { _ in }
    /// Told when a function of the script doesn't come back from a call of the host, which no limit can end,
    /// and when it does at last. On a thread of its own, for the engine's is the one that hangs.
    public var onHang: (@Sendable (ScriptLogEntry) -> Void)?
    var watchdog = LuaWatchdog.shared
    var lostThreads = LostThreads.shared
    /// Makes the transport of a service that asks for one of its own.
    public var makeTransport: (@EngineActor (TransportOptions) -> any Transport)?
    /// Makes the cache of `rest.cache.sqlite`; without it such a call is an error.
    public var makeSQLiteCache: (@EngineActor (SQLiteCacheSettings) throws -> any EntityCache)?
    /// Gives the store of `rest.store.open`, the same for the same path as long as the program runs, and what
    /// is in its file. It is asked on the engine loop, while a script is loaded mostly. Without it such a
    /// call is an error.
    public var openStore: (@EngineActor (DurableStoreSettings) throws -> ScriptStore)?
    /// Returns when what is in those stores, and in caches in files, is on the disk; false when some of it
    /// can't be written.
    public var finishFiles: (@EngineActor @Sendable () async -> Bool)?
    /// Transformers of the embedding program, by the names under which scripts use them: a string where a
    /// transformer is expected.
    public var transformers: [String: any Transformer] = [:]
    /// Threads for transformer modules at the most; nil: one for each processor that this process may use.
    public var transformerThreads: Int?
    package var usedTransformerThreads: Int { transformerThreads ?? MachineProcessors.current.count }
    /// So many responses may wait for such a module; more fail with `queue_full`.
    public var transformerQueueLimit = 10_000
    /// What `require` of a transformer module finds beside files.
    var modulePreloads: [String: @Sendable (Lua) -> Void] = [:]
    /// Files and hosts that it may reach.
    public var capabilities = Capabilities()
    /// Told the path of each file that the script, or one of its modules, was read from or asked for, also of
    /// those that aren't there: what to watch for a reload.
    public var onFileReached: (@EngineActor (String) -> Void)?
    /// The same for transformer modules, which can be loaded again alone; see
    /// ``ScriptHost/files(ofModule:)``.
    public var onModuleFileReached: (@EngineActor (String) -> Void)?
    /// Record what is wrong with a declaration and go on, to find more; see ``ScriptHost/diagnostics``.
    public var collectsDiagnostics = false
    /// Told of the engine of each host that a test makes.
    package var onTestEngine: (@EngineActor (Engine) -> Void)?
    /// False: what the script declares is there, but its jobs and timers don't begin.
    public var startsWork = true

    public init() {}
}
