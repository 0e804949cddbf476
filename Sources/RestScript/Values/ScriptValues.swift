import LuaRuntime
import RestEngine

/// The values that a Lua state needs for contents, entities and errors: in the script's own state
/// (``MainValues``), and in those of its transformer modules (``ModuleValues``). It belongs to the thread of
/// that state.
class ScriptValues {
    let state: LuaState
    /// The buffer for values that are encoded.
    let trees: TreeExchange
    /// The values of `rest.store`.
    let store: ScriptStore
    let phases: ScriptPhases
    /// True when the script, or the state, has ended.
    var isClosed = false
    /// The functions and classes that scripts get in this state.
    private(set) lazy var bindings = makeBindings()
    /// The classes by type, each made when the first object of its type is pushed. There are few of them, so
    /// a search is fast, and a dictionary would slow down a start.
    private(set) var classes: [(type: ObjectIdentifier, class: LuaClass)] = []

    init(_ state: LuaState, _ trees: TreeExchange, _ store: ScriptStore, _ phases: ScriptPhases) {
        self.state = state
        self.trees = trees
        self.store = store
        self.phases = phases
    }

    // MARK: Differences between states

    /// The engine's time in Unix seconds, which tests may set.
    var now: Double { 0 }
    func log(_ entry: ScriptLogEntry) {}
    /// The function `rest.store.open`.
    func openStore(_ call: Arguments) throws -> CallResult { .none }
    /// Pushes `rest.store.shared`.
    func pushSharedStore(_ call: Arguments) throws -> CallResult { .none }
    /// Called when a transformer's function has failed.
    func transformerFailed(_ error: LuaError) {}
    func makeBindings() -> BindingSet { BindingSet(of: self) }

    // MARK: Objects

    /// The Lua class of objects of a type.
    func luaClass(of type: Any.Type) -> LuaClass {
        let id = ObjectIdentifier(type)
        for known in classes where known.type == id { return known.class }
        guard let bound = bindings.classes.first(where: { $0.type == type }) else {
            preconditionFailure(
                "no binding has a class for \(type): add it to the list in Binding/BindingList.swift")
        }
        let made = bound.make()
        classes.append((id, made))
        return made
    }

    /// Pushes an object whose type has a binding.
    func push<Object: LuaObject>(_ object: Object, on lua: Lua) {
        lua.push(object: object, class: luaClass(of: Object.self))
    }

    /// Removes the classes from a state that lives on.
    func unregisterClasses() {
        state.unregister(classes.map(\.class))
        classes = []
    }

    // MARK: Failures

    /// Throws when the script has been closed. The engine may hold its functions for longer than it lives.
    func requireOpen() throws(RequestError.CauseError) {
        if isClosed { throw ScriptContext.closed }
    }

    /// Logs an error that the request does not have.
    func report(_ error: RequestError, in what: String) {
        var fields: [(name: String, value: String)] = []
        var place: String?
        if case .scriptError(let failure)? = error.cause {
            fields = failure.traceback.map { [("traceback", $0)] } ?? []
            place = failure.file.map { "\($0):\(failure.line ?? 0)" }
        }
        log(ScriptLogEntry(level: .warn, text: "\(what): \(error)", fields: fields, place: place))
    }

    /// The place at which a function of the script was written.
    func place(of function: LuaReference) -> ScriptLocation? {
        let lua = state.main
        lua.push(function)
        defer { lua.pop() }
        return lua.definition(ofFunction: -1).map { ScriptLocation(file: $0.file, line: $0.line) }
    }
}

/// The values of scripts' own state, which belongs to the engine loop.
final class MainValues: ScriptValues {
    private let clock: () -> Double
    private let logger: (ScriptLogEntry) -> Void
    private let opening: HostFunction
    private let sharing: HostFunction
    private let binding: (ScriptValues) -> BindingSet

    @EngineActor
    init(_ context: ScriptContext) {
        let options = context.options
        clock = onLoop { [engine = context.engine] in engine.scheduler.now }
        logger = onLoop(options.log)
        opening = hostFunction { [unowned context] call in try StoreOpening(context: context).open(call) }
        sharing = hostFunction { [unowned context] call in
            let memory = try context.sharedMemory.require(for: "rest.store.shared")
            context.values.push(SharedStoreFace(memory), on: call.lua)
            return .one
        }
        binding = onLoop { [unowned context] (values: ScriptValues) in BindingSet(of: values, in: context) }
        super.init(context.shared.lua, context.shared.trees, options.store, ScriptPhases(options.limits))
    }

    override var now: Double { clock() }
    override func log(_ entry: ScriptLogEntry) { logger(entry) }
    override func openStore(_ call: Arguments) throws -> CallResult { try opening(call) }
    override func pushSharedStore(_ call: Arguments) throws -> CallResult { try sharing(call) }
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
