import LuaRuntime
package import Platform
public import RestEngine

/// The settings of a script, given by the program that embeds it.
public struct ScriptOptions: Sendable {
    /// The most bytes of the script's Lua state.
    public var memoryLimit = 256 << 20
    /// The most bytes of the engine's resources and of bodies that are being received; nil leaves the
    /// engine's own limit.
    public var contentMemoryLimit: Int?
    /// The CPU time of its functions.
    public var limits = ScriptLimits()
    /// Folders for `require`, after the script's own.
    public var modulePaths: [String] = []
    /// Names that `rest.env` and `os.getenv` may read; nil grants every name.
    public var grantedEnvironment: Set<String>? = []
    /// The environment variables and their values.
    public var environment: [String: String] = [:]
    /// Headers, parameters, fields and variables whose values are secret, in addition to those with common
    /// names of secrets (rule 47.3).
    public var secretNames: [String] = []
    /// Names that look like those of secrets but are not.
    public var plainNames: [String] = []
    /// The place where `rest.every` finds time zones.
    public var zones = ZoneFiles.system
    /// The values of `rest.store`. Use the same store when a script is loaded again.
    public var store = ScriptStore()
    /// Receives the script's log and output, and errors for which no function waits.
    public var log: @EngineActor (ScriptLogEntry) -> Void = { _ in }
    /// Called when a function of the script hangs in a call of the host, which no limit can end, and again
    /// when it returns. It is called on a thread of its own, because the engine's thread is the one that
    /// hangs.
    public var onHang: (@Sendable (ScriptLogEntry) -> Void)?
    var watchdog = LuaWatchdog.shared
    var lostThreads = LostThreads.shared
    /// Makes the server of `host:request` in tests, at this uptime and Unix time. When it is nil, that call
    /// is an error.
    package var makeLocalServer:
        (
            @EngineActor (_ script: ScriptHost, _ uptime: Double, _ now: Double) throws(Diagnostic) ->
                any LocalServer
        )?
    /// Makes the transport of a service that has transport options.
    public var makeTransport: (@EngineActor (TransportOptions) -> any Transport)?
    /// Makes the cache of `rest.cache.sqlite`. When it is nil, that call is an error.
    public var makeSQLiteCache: (@EngineActor (SQLiteCacheSettings) throws -> any EntityCache)?
    /// Opens the memories of `rest.shared`. When it is nil, that call is an error.
    public var sharedMemory: SharedMemoryProvider?
    /// The shared memory that the program gives the script, in place of that of `rest.shared`.
    public var shared: SharedMemorySettings?
    /// Returns the store of `rest.store.open`, always the same one for a path while the program runs, with
    /// the values of its file. It is called on the engine loop, mostly while a script is loaded. When it is
    /// nil, that call is an error.
    public var openStore: (@EngineActor (DurableStoreSettings) throws -> ScriptStore)?
    /// Returns when the contents of those stores, and of caches in files, are on the disk. False when some of
    /// it can't be written.
    public var finishFiles: (@EngineActor @Sendable () async -> Bool)?
    /// Transformers of the embedding program. Scripts use their names wherever a transformer is expected.
    public var transformers: [String: any Transformer] = [:]
    /// The most threads for transformer modules; nil means one for each processor that this process may use.
    public var transformerThreads: Int?
    package var usedTransformerThreads: Int { transformerThreads ?? MachineProcessors.current.count }
    /// The most responses that may wait for such a module. Further ones fail with `queue_full`.
    public var transformerQueueLimit = 10_000
    /// Modules without files that a transformer module may require.
    var modulePreloads: [String: @Sendable (Lua) -> Void] = [:]
    /// The files and hosts that the script may use.
    public var capabilities = Capabilities()
    /// Called with the path of each file that the script, or one of its modules, was read from, and of
    /// missing files that it looked for. A reload watches them.
    public var onFileReached: (@EngineActor (String) -> Void)?
    /// The same for transformer modules, which can be loaded again one by one; see
    /// ``ScriptHost/files(ofModule:)``.
    public var onModuleFileReached: (@EngineActor (String) -> Void)?
    /// Records the errors of declarations and goes on, to find more; see ``ScriptHost/diagnostics``.
    public var collectsDiagnostics = false
    /// Called with the engine of each host that a test makes.
    package var onTestEngine: (@EngineActor (Engine) -> Void)?
    /// The worker in which the script runs; nil in a host of one process.
    package var worker: WorkerNumber?
    /// When it is false, declarations are made, but jobs and timers don't begin.
    public var startsWork = true

    public init() {}
}
