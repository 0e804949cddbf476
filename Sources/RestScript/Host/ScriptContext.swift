import LuaRuntime
import RestEngine

/// What the bindings of one loaded script share: its Lua state, the engine, what it declared, what it has running.
@EngineActor
final class ScriptContext {
    let state: LuaState
    let engine: Engine
    let options: ScriptOptions
    var services: [Service] = []
    var gateway: GatewayDeclaration?
    var diagnostics: [Diagnostic] = []
    let jobs = JobList()
    /// The main file is being run: declarations are made, nothing else.
    private(set) var isLoading = true
    private var startedByLoading: [@EngineActor () -> Void] = []
    /// Lines of the script that were warned of.
    var warnedPlaces: Set<String> = []
    /// Jobs that raised, with nobody waiting for them.
    var failedJobs = 0
    var isClosed = false
    /// Owns the functions that observe without another owner.
    var observerOwner: ScriptLifetime? = ScriptLifetime()
    /// Statuses of which a function of the script wants to hear.
    var heardStatuses: [ResourceStatus] = []
    /// Encoded values pass through this one buffer.
    var trees = TreeExchange()

    lazy var serviceClass = makeServiceClass()
    lazy var resourceClass = makeResourceClass()
    lazy var requestClass = makeRequestClass()
    lazy var entityClass = makeEntityClass()
    lazy var errorClass = makeErrorClass()
    lazy var responseClass = makeResponseClass()
    lazy var infoClass = makeInfoClass()
    lazy var configurationClass = makeConfigurationClass()
    lazy var headersClass = makeHeadersClass()
    lazy var fieldsClass = makeFieldsClass()
    lazy var pipelineClass = makePipelineClass()
    lazy var stageClass = makeStageClass()
    lazy var draftClass = makeDraftClass()
    lazy var transformerClass = makeTransformerClass()
    lazy var patternClass = makePatternClass()
    lazy var bytesClass = makeBytesClass()
    lazy var imageClass = makeImageClass()
    lazy var jobClass = makeJobClass()
    lazy var timerClass = makeTimerClass()
    lazy var statusClass = makeStatusClass()
    lazy var environmentClass = makeEnvironmentClass()

    init(engine: Engine, options: ScriptOptions, searchRoots: [String]) {
        self.engine = engine
        self.options = options
        var lua = LuaOptions()
        lua.memoryLimit = options.memoryLimit
        lua.searchRoots = searchRoots
        let log = options.log
        lua.output = onLoop { (text: String) in
            log(ScriptLogEntry(level: .info, text: text.hasSuffix("\n") ? String(text.dropLast()) : text))
        }
        let environment = options.environment
        let granted = options.grantedEnvironment
        lua.environment = { name in granted?.contains(name) ?? true ? environment[name] : nil }
        state = LuaState(lua)
        state.errorPresenter = onLoop { [unowned self] (error: any Error, lua: Lua) in
            guard let known = error as? RequestError else { return false }
            pushError(known, on: lua)
            return true
        }
        trees.open(state.main)
        state.preload("resthost", onLoop { [unowned self] (lua: Lua) in pushRest(on: lua) })
    }

    /// Runs `start` now, or when the main file has come to its end.
    func whenLoaded(_ start: @escaping @EngineActor () -> Void) {
        if isLoading { startedByLoading.append(start) } else { start() }
    }

    /// The main file has come to its end. A check starts nothing.
    func finishLoading(starting: Bool) {
        isLoading = false
        let starts = startedByLoading
        startedByLoading = []
        if starting { for start in starts { start() } }
    }
}
