import LuaRuntime
import RestEngine

/// What a Lua state needs so that scripts see contents, entities and errors: in the script's own state
/// (``MainValues``), and in those of its transformer modules (``ModuleValues``). It belongs to the thread of
/// that state.
class ScriptValues {
    let state: LuaState
    /// Encoded values pass through this.
    let trees: TreeExchange
    /// What `rest.store` keeps.
    let store: ScriptStore
    let phases: ScriptPhases
    /// What it is part of has ended.
    var isClosed = false
    /// What scripts see there.
    private(set) lazy var bindings = makeBindings()
    /// Each made when the first object of its type is pushed, and of few types: a dictionary of such keys
    /// would cost a start more than looking through them ever does.
    private(set) var classes: [(type: ObjectIdentifier, class: LuaClass)] = []

    init(_ state: LuaState, _ trees: TreeExchange, _ store: ScriptStore, _ phases: ScriptPhases) {
        self.state = state
        self.trees = trees
        self.store = store
        self.phases = phases
    }

    // MARK: What differs

    /// The engine's time in Unix seconds, which tests move.
    var now: Double { 0 }
    func log(_ entry: ScriptLogEntry) {}
    /// `rest.store.open`.
    func openStore(_ call: Arguments) throws -> CallResult { .none }
    /// A transformer's function failed.
    func transformerFailed(_ error: LuaError) {}
    func makeBindings() -> BindingSet { BindingSet(of: self) }

    // MARK: Objects

    /// The class as which scripts see objects of a type.
    func luaClass(of type: Any.Type) -> LuaClass {
        let id = ObjectIdentifier(type)
        for known in classes where known.type == id { return known.class }
        guard let bound = bindings.classes.first(where: { $0.type == type }) else {
            preconditionFailure(
                "no binding shows a \(type): it belongs into the list of Binding/BindingList.swift")
        }
        let made = bound.make()
        classes.append((id, made))
        return made
    }

    /// Pushes an object of a type that a binding shows.
    func push<Object: LuaObject>(_ object: Object, on lua: Lua) {
        lua.push(object: object, class: luaClass(of: Object.self))
    }

    /// Gives up the classes, in a state that lives on.
    func unregisterClasses() {
        state.unregister(classes.map(\.class))
        classes = []
    }

    // MARK: Failures

    /// Throws when the script has been closed: the engine may hold its functions for longer than it lives.
    func requireOpen() throws(RequestError.CauseError) {
        if isClosed { throw ScriptContext.closed }
    }

    /// Logs an error of which the request doesn't tell.
    func report(_ error: RequestError, in what: String) {
        var fields: [(name: String, value: String)] = []
        var place: String?
        if case .scriptError(let failure)? = error.cause {
            fields = failure.traceback.map { [("traceback", $0)] } ?? []
            place = failure.file.map { "\($0):\(failure.line ?? 0)" }
        }
        log(ScriptLogEntry(level: .warn, text: "\(what): \(error)", fields: fields, place: place))
    }

    /// Where a function of the script was written.
    func place(of function: LuaReference) -> ScriptLocation? {
        let lua = state.main
        lua.push(function)
        defer { lua.pop() }
        return lua.definition(ofFunction: -1).map { ScriptLocation(file: $0.file, line: $0.line) }
    }
}

/// What scripts see in their own state, which belongs to the engine loop.
final class MainValues: ScriptValues {
    private let clock: () -> Double
    private let logger: (ScriptLogEntry) -> Void
    private let opening: HostFunction
    private let binding: (ScriptValues) -> BindingSet

    @EngineActor
    init(_ context: ScriptContext) {
        let options = context.options
        clock = onLoop { [engine = context.engine] in engine.scheduler.now }
        logger = onLoop(options.log)
        opening = hostFunction { [unowned context] call in try StoreOpening(context: context).open(call) }
        binding = onLoop { [unowned context] (values: ScriptValues) in BindingSet(of: values, in: context) }
        super.init(context.shared.lua, context.shared.trees, options.store, ScriptPhases(options.limits))
    }

    override var now: Double { clock() }
    override func log(_ entry: ScriptLogEntry) { logger(entry) }
    override func openStore(_ call: Arguments) throws -> CallResult { try opening(call) }
    override func makeBindings() -> BindingSet { binding(self) }
}

/// `rest.now` and `rest.version`.
struct BasicsBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "now", signature: "() -> number", documentation: "Unix time in seconds."
                ) { call in
                    call.lua.push(values.now)
                    return .one
                }
            ],
            fields: [BoundField("version", type: "string") { lua in lua.push(Version.text) }])
    }
}

/// The version of this program.
public enum Version {
    public static let text = "0.1.0"
}
