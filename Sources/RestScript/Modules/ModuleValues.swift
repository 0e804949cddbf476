import LuaRuntime
import RestEngine

/// The values that the bindings of one state of transformer modules share. It belongs to the state's thread.
final class ModuleValues: ScriptValues {
    /// The time of the response that is being transformed.
    private var time = 0.0
    /// True after a failure that makes the state unusable.
    private(set) var isSpoiled = false
    private let settings: ModuleSettings

    init(_ settings: ModuleSettings, onHang: (@Sendable (LuaHang) -> Void)?) {
        self.settings = settings
        var options = LuaOptions(memoryLimit: settings.memoryLimit, memoryAdvice: settings.memoryAdvice)
        options.advice = LibraryAdvice.texts
        options.onHang = onHang
        options.watchdog = settings.watchdog
        super.init(LuaState(options), TreeExchange(), settings.store, settings.phases)
        trees.open(state.main)
        state.errorPresenter = { [unowned self] in present($0, on: $1) }
    }

    override var now: Double {
        get { time }
        set { time = newValue }
    }

    override func log(_ entry: ScriptLogEntry) { settings.log(entry) }

    override func openStore(_ call: Arguments) throws -> CallResult {
        throw Self.absence(of: "rest.store.open")
    }

    override func pushSharedStore(_ call: Arguments) throws -> CallResult {
        throw Self.absence(of: "rest.store.shared")
    }

    override func transformerFailed(_ error: LuaError) {
        // After an error in the error handler, the state can't be trusted with another call.
        if error.kind == .memory || error.message.hasPrefix("error in error handling") { isSpoiled = true }
    }

    func close() -> LeakReport {
        state.errorPresenter = nil
        let report = state.close()
        trees.close()
        return report
    }

    // MARK: Bindings of modules

    /// Makes one module's part of the state.
    func makeSandbox() -> LuaSandbox {
        let settings = settings
        let sandbox = state.makeSandbox(searchRoots: settings.searchRoots) { bytes in
            settings.log(ScriptLogEntry(printed: bytes))
        } environment: {
            settings.environment($0)
        }
        sandbox.errorOutput = { settings.log(ScriptLogEntry(warning: $0)) }
        sandbox.onVariableMissing = { settings.reportRefusal($0, $1) }
        sandbox.bundledModule = BundledModules.source
        sandbox.preload("resthost") { [unowned self] in bindings.push(on: $0) }
        for (name, push) in settings.preloads { sandbox.preload(name, push) }
        return sandbox
    }

    override func makeBindings() -> BindingSet {
        var bindings = super.makeBindings()
        bindings.note(absent: settings.scriptNames)
        return bindings
    }

    /// The error for a name that only scripts have.
    static func absence(of name: String) -> LuaUsageError {
        LuaUsageError(
            "\(name) is not available in a transformer module, which runs beside the script in a Lua state of its own: "
                + "do that in the script, and leave what the module needs of it in rest.store")
    }
}
