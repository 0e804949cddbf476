import LuaRuntime
import Platform
import RestEngine

/// The settings of the Lua states of transformer modules. Safe on any thread.
struct ModuleSettings: Sendable {
    let memoryLimit: Int
    let memoryAdvice: String
    let searchRoots: [String]
    let phases: ScriptPhases
    let store: ScriptStore
    /// The function behind `os.getenv`.
    let environment: @Sendable (String) -> String?
    /// Logs that `os.getenv` returned nil for want of a grant.
    let reportRefusal: @Sendable (_ name: String, _ place: (file: String, line: Int)?) -> Void
    /// The names that scripts have, by table: those of `rest`, `rest.log` and so on.
    let scriptNames: [String: Set<String>]
    let log: @Sendable (ScriptLogEntry) -> Void
    /// Called when a module has read another file, which must be watched.
    let fileReached: @Sendable (String) -> Void
    let preloads: [String: @Sendable (Lua) -> Void]
    let watchdog: LuaWatchdog

    @EngineActor
    init(_ context: ScriptContext) {
        let options = context.options
        let permissions = context.grants.permissions
        memoryLimit = options.memoryLimit
        memoryAdvice = ScriptState.memoryAdvice(options)
        searchRoots = [context.grants.folder] + options.modulePaths
        phases = context.phases
        store = options.store
        environment = { permissions.refusalOfVariable($0) == nil ? options.environment[$0] : nil }
        scriptNames = context.values.bindings.names
        let log = options.log
        self.log = { entry in EngineLoop.shared.submit { log(entry) } }
        let refusals = context.grants.refusedVariables
        reportRefusal = { name, place in
            guard let refusal = permissions.refusalOfVariable(name),
                let entry = refusals.entry(name, refusal, place: place.map { "\($0.file):\($0.line)" })
            else { return }
            EngineLoop.shared.submit { log(entry) }
        }
        fileReached = { [weak context] path in
            EngineLoop.shared.submit { context?.options.onModuleFileReached?(path) }
        }
        preloads = options.modulePreloads
        watchdog = options.watchdog
    }
}
