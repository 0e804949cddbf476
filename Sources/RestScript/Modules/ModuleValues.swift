import LuaRuntime
import RestEngine

/// What the bindings of one state of transformer modules share. It belongs to the state's thread.
final class ModuleValues: ScriptValues {
    let state: LuaState
    let trees = TreeExchange()
    let phases: ScriptPhases
    let store: ScriptStore
    /// Of the response that is being transformed.
    var now = 0.0
    let isClosed = false
    /// The state failed so badly that it shall not be used again.
    private(set) var isSpoiled = false
    private let settings: ModuleSettings

    lazy var entityClass = makeEntityClass()
    lazy var errorClass = makeErrorClass()
    lazy var headersClass = makeHeadersClass()
    lazy var bytesClass = makeBytesClass()
    lazy var imageClass = makeImageClass()
    lazy var storeClass = makeStoreClass()

    init(_ settings: ModuleSettings, onWedge: (@Sendable (LuaWedge) -> Void)?) {
        self.settings = settings
        phases = settings.phases
        store = settings.store
        var options = LuaOptions(memoryLimit: settings.memoryLimit, memoryAdvice: settings.memoryAdvice)
        options.advice = LibraryAdvice.texts
        options.onWedge = onWedge
        options.watchdog = settings.watchdog
        state = LuaState(options)
        trees.open(state.main)
        state.errorPresenter = { [unowned self] in present($0, on: $1) }
    }

    func log(_ entry: ScriptLogEntry) { settings.log(entry) }

    func openStore(_ call: Arguments) throws -> Verdict { throw Self.absence(of: "rest.store.open") }

    func transformerFailed(_ error: LuaError) {
        // What a handler of errors could not handle is not to be trusted with the next call.
        if error.kind == .memory || error.message.hasPrefix("error in error handling") { isSpoiled = true }
    }

    func close() -> LeakReport {
        state.errorPresenter = nil
        let report = state.close()
        trees.close()
        return report
    }

    // MARK: What modules see

    /// One module's part of the state.
    func makeRealm() -> LuaRealm {
        let settings = settings
        let realm = state.makeRealm(searchRoots: settings.searchRoots) { text in
            settings.log(ScriptLogEntry(printed: text))
        } environment: {
            settings.environment($0)
        }
        realm.errorOutput = { settings.log(ScriptLogEntry(warning: $0)) }
        realm.onVariableMissing = { settings.tellOfRefusal($0, $1) }
        realm.preload("resthost") { [unowned self] in pushRest(on: $0) }
        for (name, push) in settings.preloads { realm.preload(name, push) }
        return realm
    }

    private func pushRest(on lua: Lua) {
        var table = ModuleTable(name: "rest", functions: valueMakers + [nowFunction])
        table.values = ["log", "json", "base64", "hex", "crypto", "url", "store", "null", "version"]
        table.absent = settings.absentNames.subtracting(table.names)
        var log = ModuleTable(name: "rest.log", functions: levelFunctions)
        log.absent = settings.absentLogNames.subtracting(log.names)
        pushRest(table, [log, jsonModule, base64Module, hexModule, cryptoModule, urlModule], on: lua) { _ in }
    }

    /// Says why a name that scripts have is not there.
    static func absence(of name: String) -> LuaUsageError {
        LuaUsageError(
            "\(name) is not available in a transformer module, which runs beside the script in a Lua state of its own: "
                + "do that in the script, and leave what the module needs of it in rest.store")
    }
}
