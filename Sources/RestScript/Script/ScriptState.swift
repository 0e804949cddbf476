import LuaRuntime
import RestEngine

/// The Lua state of one script, or of a test file and the scripts that it loads.
@EngineActor
final class ScriptState {
    let lua: LuaState
    /// Encoded values pass through this one buffer.
    let trees = TreeExchange()
    /// Functions of a script that has ended may still be in the hands of another, so its context stays as long as
    /// the state.
    private var guests: [ScriptContext] = []

    /// The main realm is that of the script with these options.
    init(_ options: ScriptOptions, searchRoots: [String]) {
        var luaOptions = LuaOptions(
            memoryLimit: options.memoryLimit, memoryAdvice: Self.memoryAdvice(options),
            searchRoots: searchRoots, output: options.luaOutput)
        luaOptions.advice = LibraryAdvice.texts
        if let tell = options.onWedge { luaOptions.onWedge = { tell(WedgeText.entry($0)) } }
        luaOptions.watchdog = options.watchdog
        lua = LuaState(luaOptions)
        trees.open(lua.main)
        trees.keepClasses(lua.main)
    }

    static func memoryAdvice(_ options: ScriptOptions) -> String {
        "keep less at a time, or allow more with --memory \(max(1, options.memoryLimit >> 19))M"
    }

    func makeRealm(_ options: ScriptOptions, searchRoots: [String]) -> LuaRealm {
        lua.makeRealm(
            searchRoots: searchRoots, output: options.luaOutput)
    }

    func admit(_ context: ScriptContext) { guests.append(context) }

    func close() -> LeakReport {
        lua.errorPresenter = nil
        let report = lua.close()
        trees.close()
        guests = []
        return report
    }
}

extension ScriptOptions {
    /// Where `warn` and `io.stderr` write: the log.
    var luaErrorOutput: (String) -> Void {
        let log = log
        return onLoop { (text: String) in log(ScriptLogEntry(warning: text)) }
    }

    /// Where `print` goes.
    var luaOutput: (String) -> Void {
        let log = log
        return onLoop { (text: String) in
            log(ScriptLogEntry(printed: text))
        }
    }
}
