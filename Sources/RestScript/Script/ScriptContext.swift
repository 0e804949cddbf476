import LuaRuntime
import RestEngine

/// One loaded script: its Lua state, the engine it works on, and the rooms, each of which owns its part of what the
/// script declared and has running.
@EngineActor
final class ScriptContext {
    let engine: Engine
    let options: ScriptOptions
    let shared: ScriptState
    /// Its own globals, modules and coroutines.
    let realm: LuaRealm
    let phases: ScriptPhases
    var isClosed = false

    let jobs = JobList()
    let blocks = BlockRuns()
    private(set) lazy var runner = ScriptRunner(self)
    private(set) lazy var declarations = ScriptDeclarations(self)
    private(set) lazy var services = ServiceRegistry(self)
    private(set) lazy var observers = ScriptObservers(self)
    private(set) lazy var modules = ModulePool(self)
    private(set) lazy var generation = ScriptGeneration(self)
    let grants: ScriptGrants
    private(set) var classes: [LuaClass] = []

    var state: LuaState { shared.lua }
    var trees: TreeExchange { shared.trees }

    lazy var serviceClass = own(makeServiceClass())
    lazy var resourceClass = own(makeResourceClass())
    lazy var requestClass = own(makeRequestClass())
    lazy var entityClass = own(makeEntityClass())
    lazy var errorClass = own(makeErrorClass())
    lazy var responseClass = own(makeResponseClass())
    lazy var infoClass = own(makeInfoClass())
    lazy var actionClass = own(makeActionClass())
    lazy var configurationClass = own(makeConfigurationClass())
    lazy var headersClass = own(makeHeadersClass())
    lazy var fieldsClass = own(makeFieldsClass())
    lazy var pipelineClass = own(makePipelineClass())
    lazy var stageClass = own(makeStageClass())
    lazy var cacheClass = own(makeCacheClass())
    lazy var draftClass = own(makeDraftClass())
    lazy var transformerClass = own(makeTransformerClass())
    lazy var patternClass = own(makePatternClass())
    lazy var bytesClass = own(makeBytesClass())
    lazy var imageClass = own(makeImageClass())
    lazy var jobClass = own(makeJobClass())
    lazy var timerClass = own(makeTimerClass())
    lazy var statusClass = own(makeStatusClass())
    lazy var environmentClass = own(makeEnvironmentClass())
    lazy var storeClass = own(makeStoreClass())

    /// - Parameters:
    ///   - folder: of the script.
    ///   - shared: the state of a test file that loads this script; nil: the script has one of its own.
    ///   - predecessor: the running script that this one is to replace.
    init(
        engine: Engine, options: ScriptOptions, folder: String, sharing shared: ScriptState? = nil,
        replacing predecessor: ScriptContext? = nil
    ) {
        self.engine = engine
        self.options = options
        phases = ScriptPhases(options.limits)
        grants = ScriptGrants(options, folder: folder)
        let searchRoots = [folder] + options.modulePaths
        let state = shared ?? ScriptState(options, searchRoots: searchRoots)
        self.shared = state
        realm = shared == nil ? state.lua.mainRealm : state.makeRealm(options, searchRoots: searchRoots)
        if shared == nil {
            state.lua.errorPresenter = onLoop { [unowned self] (error: any Error, lua: Lua) in
                present(error, on: lua)
            }
        } else {
            state.admit(self)
        }
        generation.predecessor = predecessor
        furnish(realm)
    }

    private func furnish(_ realm: LuaRealm) {
        let (grants, options, scheduler) = (grants, options, engine.scheduler)
        realm.environment = onLoop { [weak grants] (name: String) in grants?.variable(name) }
        realm.onVariableMissing = onLoop { [weak grants] (name: String, place: (file: String, line: Int)?) in
            grants?.tellOfRefusal(name, place)
        }
        realm.errorOutput = options.luaErrorOutput
        realm.later = onLoop { (work: @escaping () -> Void) in scheduler.nextTurn { work() } }
        realm.onFileLoaded = onLoop { (path: String) in options.onFileReached?(path) }
        realm.onFileMissed = realm.onFileLoaded
        realm.preload("resthost", onLoop { [unowned self] (lua: Lua) in pushRest(on: lua) })
    }

    /// Notes a class whose metatable goes when the script ends.
    func own(_ luaClass: LuaClass) -> LuaClass {
        classes.append(luaClass)
        return luaClass
    }

    /// Why what was left of a closed script does nothing.
    nonisolated static var closed: RequestError.CauseError {
        RequestError.CauseError(.internal(message: "the script has been closed"))
    }

    /// Ends the script's part in everything; the engine's objects live on. Gives the report of the state if that ended
    /// with the script.
    @discardableResult
    func close() -> LeakReport? {
        isClosed = true
        modules.close()
        jobs.cancelAll()
        declarations.forgetStarts()
        generation.forgetFunctions()
        let declared = services.all
        services.removeAll()
        observers.stop(of: declared)
        let report = closeState()
        // A service and its resources hold each other until a flush (rules 2.7, 2.9).
        for service in declared { service.flushUnusedResources() }
        return report
    }

    /// Gives up the script's part of the state; the report of the whole state if it was the script's own.
    private func closeState() -> LeakReport? {
        if realm === state.mainRealm { return shared.close() }
        realm.close()
        state.unregister(classes)
        classes = []
        return nil
    }
}
