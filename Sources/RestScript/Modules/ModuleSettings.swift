import LuaRuntime
import RestEngine

/// What the states of transformer modules are made with. Safe on any thread.
struct ModuleSettings: Sendable {
    let memoryLimit: Int
    let memoryAdvice: String
    let searchRoots: [String]
    let phases: ScriptPhases
    let store: ScriptStore
    /// Answers `os.getenv`.
    let environment: @Sendable (String) -> String?
    /// Names of `rest` and `rest.log` that only the script itself has.
    let absentNames: Set<String>
    let absentLogNames: Set<String>
    let log: @Sendable (ScriptLogEntry) -> Void
    /// Told of a file that a module required later than it was declared.
    let fileReached: @Sendable (String) -> Void
    let preloads: [String: @Sendable (Lua) -> Void]
    let watchdog: LuaWatchdog

    @EngineActor
    init(_ context: ScriptContext) {
        let options = context.options
        let permissions = context.permissions
        memoryLimit = options.memoryLimit
        memoryAdvice = ScriptState.memoryAdvice(options)
        searchRoots = [context.folder] + options.modulePaths
        phases = context.phases
        store = options.store
        environment = { permissions.refusalOfVariable($0) == nil ? options.environment[$0] : nil }
        absentNames = Set(context.restTable.names)
        absentLogNames = Set(context.logModule.names)
        let log = options.log
        self.log = { entry in EngineLoop.shared.submit { log(entry) } }
        let reached = options.onFileReached
        fileReached = { path in EngineLoop.shared.submit { reached?(path) } }
        preloads = options.modulePreloads
        watchdog = options.watchdog
    }
}
