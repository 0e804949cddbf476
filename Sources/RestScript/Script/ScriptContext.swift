import LuaRuntime
import RestEngine

/// What the bindings of one loaded script share: its Lua state, the engine, what it declared, what it has running.
@EngineActor
final class ScriptContext {
    let shared: ScriptState
    /// Its own globals, modules and coroutines.
    let realm: LuaRealm
    let engine: Engine
    let options: ScriptOptions
    let phases: ScriptPhases
    var permissions: ScriptPermissions
    /// The script's own folder, to which the paths that it names are relative.
    let folder: String
    /// The state ends with this script.
    private let ownsState: Bool
    var services: [Service] = []
    var gateway: GatewayDeclaration?
    var diagnostics: [Diagnostic] = []
    let jobs = JobList()
    /// The main file is being run: declarations are made, nothing else.
    private(set) var isLoading = true
    private var startedByLoading: [@EngineActor () -> Void] = []
    let variableRefusals = VariableRefusals()
    /// Lines of the script that were warned of.
    var warnedPlaces: Set<String> = []
    /// The run of the script of which is known that its time was used up.
    var spentRun: UInt64?
    /// Jobs that raised, with nobody waiting for them.
    var failedJobs = 0
    /// The custom request whose start runs now, up to its first wait.
    var startingRequest: ScriptCustomRequest?
    var isClosed = false
    /// The configuration block that runs now.
    var blockRun: BlockRun?
    /// The caches that blocks made, by line.
    var cachesOfBlocks: [String: any EntityCache] = [:]
    /// Owns the functions that observe without another owner.
    var observerOwner: ScriptLifetime? = ScriptLifetime()
    /// Statuses of which a function of the script wants to hear.
    var heardStatuses: [ResourceStatus] = []
    /// The script whose place this one is to take; nil once it has.
    var predecessor: ScriptContext?
    /// What it declared anew of the services that were there.
    var taken: [TakenService] = []
    /// Where they are declared, by name.
    var servicePlaces: [String: (file: String, line: Int)] = [:]
    /// What services were told of their transport.
    var transportSettings: [String: TransportOptions] = [:]
    /// Services whose number of resources the script limited by itself.
    var limitedServices: Set<String> = []
    /// The same for the bytes of their content.
    var byteLimitedServices: Set<String> = []
    var reloadFunctions: [LuaReference] = []
    var shutdownFunctions: [LuaReference] = []
    /// Another script has taken its place.
    var isRetired = false
    var retirement: ScriptRetirement?
    /// Its late declarations were warned of.
    var wasToldOfItsEnd = false
    /// Runs something between two turns, where a test moves them.
    var betweenTurns: (@EngineActor (@escaping @EngineActor () -> Void) -> Void)?
    /// Nil as long as no transformer module is declared.
    private(set) var modules: ModulePool?
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

    /// - Parameter shared: the state of a test file that loads this script; nil: the script has one of its own.
    /// - Parameter predecessor: the running script that this one is to replace.
    init(
        engine: Engine, options: ScriptOptions, folder: String, sharing shared: ScriptState? = nil,
        replacing predecessor: ScriptContext? = nil
    ) {
        self.engine = engine
        self.predecessor = predecessor
        self.options = options
        phases = ScriptPhases(options.limits)
        permissions = ScriptPermissions(options, folder: folder)
        self.folder = folder
        let searchRoots = [folder] + options.modulePaths
        ownsState = shared == nil
        let state = shared ?? ScriptState(options, searchRoots: searchRoots)
        self.shared = state
        if ownsState {
            realm = state.lua.mainRealm
            state.lua.errorPresenter = onLoop { [unowned self] (error: any Error, lua: Lua) in
                present(error, on: lua)
            }
        } else {
            realm = state.makeRealm(options, searchRoots: searchRoots)
            state.admit(self)
        }
        realm.environment = onLoop { [weak self] (name: String) in
            guard let self, permissions.refusalOfVariable(name) == nil else { return nil }
            return options.environment[name]
        }
        realm.errorOutput = options.luaErrorOutput
        realm.onVariableMissing = onLoop { [weak self] (name: String, place: (file: String, line: Int)?) in
            self?.tellOfRefusal(name, place)
        }
        realm.later = onLoop { (work: @escaping () -> Void) in engine.scheduler.nextTurn { work() } }
        realm.onFileLoaded = onLoop { (path: String) in options.onFileReached?(path) }
        realm.onFileMissed = realm.onFileLoaded
        realm.preload("resthost", onLoop { [unowned self] (lua: Lua) in pushRest(on: lua) })
    }

    /// Where transformer modules run.
    func modulePool() -> ModulePool {
        if let modules { return modules }
        let new = ModulePool(
            self, threads: options.transformerThreads ?? Processors.count,
            limit: options.transformerQueueLimit)
        modules = new
        return new
    }

    /// Notes a class whose metatable goes when the script ends.
    func own(_ luaClass: LuaClass) -> LuaClass {
        classes.append(luaClass)
        return luaClass
    }

    /// Forgets what would have begun.
    func forgetStarts() { startedByLoading = [] }

    /// Gives up the script's part of the state; the report of the whole state if it was the script's own.
    func closeState() -> LeakReport? {
        if ownsState { return shared.close() }
        realm.close()
        state.unregister(classes)
        classes = []
        return nil
    }

    /// Runs `start` now, or when the main file has come to its end.
    func whenLoaded(_ start: @escaping @EngineActor () -> Void) {
        if isLoading { startedByLoading.append(start) } else { start() }
    }

    /// When what was declared while loading begins.
    enum Start {
        case now
        /// A test has the time until its first wait to stub what the jobs will ask for.
        case nextTurn
        /// The script takes the place of another first; see ``begin()``.
        case later
        /// A check starts nothing.
        case never
    }

    /// The main file has come to its end.
    func finishLoading(starting start: Start) {
        isLoading = false
        switch start {
        case .now: begin()
        case .nextTurn: engine.scheduler.nextTurn { self.begin() }
        case .later: break
        case .never: forgetStarts()
        }
    }

    /// Begins what was declared while loading.
    func begin() {
        let starts = startedByLoading
        startedByLoading = []
        for start in starts { start() }
    }
}
