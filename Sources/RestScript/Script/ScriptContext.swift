import LuaRuntime
import RestEngine

/// One loaded script: its Lua state, its engine, and the objects that own its declarations and its running
/// work, one for each feature.
@EngineActor
final class ScriptContext {
    let engine: Engine
    let options: ScriptOptions
    let shared: ScriptState
    /// The script's own globals, modules and coroutines.
    let sandbox: LuaSandbox

    let jobs = JobList()
    let blocks = BlockRuns()
    private(set) lazy var runner = ScriptRunner(self)
    private(set) lazy var declarations = ScriptDeclarations(self)
    private(set) lazy var services = ServiceRegistry(self)
    private(set) lazy var observers = ScriptObservers(self)
    private(set) lazy var modules = ModulePool(self)
    private(set) lazy var sharedMemory = ScriptShared(self)
    private(set) lazy var generation = ScriptGeneration(self)
    let grants: ScriptGrants
    /// The bindings and values of the script's state.
    private(set) lazy var values = MainValues(self)

    var state: LuaState { shared.lua }
    var phases: ScriptPhases { values.phases }
    var isClosed: Bool { values.isClosed }

    /// - Parameters:
    ///   - folder: The folder of the script.
    ///   - shared: The state of a test file that loads this script; nil means a state of its own.
    ///   - predecessor: The running script that this one will replace.
    init(
        engine: Engine, options: ScriptOptions, folder: String, sharing shared: ScriptState? = nil,
        replacing predecessor: ScriptContext? = nil
    ) {
        self.engine = engine
        var options = options
        let log = options.log
        options.log = { log($0.serving(WorkScope.requestID)) }
        self.options = options
        grants = ScriptGrants(options, folder: folder)
        SecretMask.hide(names: options.secretNames)
        SecretMask.show(names: options.plainNames)
        SecretMask.hide(environment: options.environment)
        let searchRoots = [folder] + options.modulePaths
        let state = shared ?? ScriptState(options, searchRoots: searchRoots)
        self.shared = state
        sandbox = shared == nil ? state.lua.mainSandbox : state.makeSandbox(options, searchRoots: searchRoots)
        if shared == nil {
            state.lua.errorPresenter = { [unowned values] error, lua in values.present(error, on: lua) }
            // With a clock that is moved by hand, idle time can't be measured.
            if engine.scheduler.mayJump {
                IdleCollection(of: state.lua, on: engine.scheduler)
                    .onEnd = { [weak self] in self?.services.dropAboveLimits() ?? false }
            }
        } else {
            state.admit(self)
        }
        generation.predecessor = predecessor
        furnish(sandbox)
    }

    private func furnish(_ sandbox: LuaSandbox) {
        let (grants, options, scheduler) = (grants, options, engine.scheduler)
        sandbox.environment = onLoop { [weak grants] (name: String) in grants?.variable(name) }
        sandbox.onVariableMissing = onLoop {
            [weak grants] (name: String, place: (file: String, line: Int)?) in
            grants?.reportRefusal(name, place)
        }
        sandbox.errorOutput = options.luaErrorOutput
        sandbox.later = onLoop { (work: @escaping () -> Void) in scheduler.nextTick { work() } }
        sandbox.onFileMissed = onLoop { (path: String) in options.onFileReached?(path) }
        sandbox.onFileLoaded = onLoop { [unowned declarations] (path: String) in
            declarations.noteFile(path)
            options.onFileReached?(path)
        }
        sandbox.bundledModule = BundledModules.source
        sandbox.preload("resthost", { [unowned values] lua in values.bindings.push(on: lua) })
    }

    /// The error of calls into a closed script.
    nonisolated static var closed: RequestError.CauseError {
        RequestError.CauseError(.internal(message: "the script has been closed"))
    }

    /// Ends everything of the script; the engine's objects live on. Returns the report of the state if the
    /// state ended with it.
    @discardableResult
    func close() -> LeakReport? {
        values.isClosed = true
        modules.close()
        // The cancelled functions share one time limit, because there may be thousands of them.
        try? state.limited(by: phases.hook) { jobs.cancelAll() }
        declarations.letGo()
        generation.forgetFunctions()
        let declared = services.everyone
        services.removeAll()
        observers.stop(of: declared)
        let report = closeState()
        // A service and its resources hold each other until a flush (rules 2.7, 2.9).
        for service in declared { service.flushUnusedResources() }
        return report
    }

    /// Gives up the script's part of the state. Returns the report if the whole state was the script's own.
    private func closeState() -> LeakReport? {
        if sandbox === state.mainSandbox { return shared.close() }
        sandbox.close()
        values.unregisterClasses()
        return nil
    }
}
