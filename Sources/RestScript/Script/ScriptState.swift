import LuaRuntime
import RestEngine

/// The Lua state of one script, or of a test file and the scripts that it loads.
@EngineActor
final class ScriptState {
    let lua: LuaState
    /// The buffer for all values that are encoded.
    let trees = TreeExchange()
    /// The contexts live as long as the state, because another script may still hold functions of a script
    /// that has ended.
    private var contexts: [ScriptContext] = []

    /// Makes the state. Its main sandbox belongs to the script with these options.
    init(_ options: ScriptOptions, searchRoots: [String]) {
        var luaOptions = LuaOptions(
            memoryLimit: options.memoryLimit, memoryAdvice: Self.memoryAdvice(options),
            searchRoots: searchRoots, output: options.luaOutput)
        luaOptions.advice = LibraryAdvice.texts
        if let notify = options.onHang { luaOptions.onHang = { notify(HangText.entry($0)) } }
        luaOptions.watchdog = options.watchdog
        lua = LuaState(luaOptions)
        trees.open(lua.main)
        trees.keepClasses(lua.main)
    }

    static func memoryAdvice(_ options: ScriptOptions) -> String {
        "keep less at a time, or allow more with --memory \(max(1, options.memoryLimit >> 19))M"
    }

    func makeSandbox(_ options: ScriptOptions, searchRoots: [String]) -> LuaSandbox {
        lua.makeSandbox(
            searchRoots: searchRoots, output: options.luaOutput)
    }

    func admit(_ context: ScriptContext) { contexts.append(context) }

    func close() -> LeakReport {
        lua.errorPresenter = nil
        let report = lua.close()
        trees.close()
        contexts = []
        return report
    }
}

extension ScriptOptions {
    /// Writes the output of `warn` and `io.stderr` to the log.
    var luaErrorOutput: (String) -> Void {
        let log = log
        return onLoop { (text: String) in log(ScriptLogEntry(warning: text)) }
    }

    /// Writes the output of `print`.
    var luaOutput: ([UInt8]) -> Void {
        let log = log
        return onLoop { (bytes: [UInt8]) in log(ScriptLogEntry(printed: bytes)) }
    }
}

/// Advice for functions and modules that scripts do not have; see `LuaOptions.advice`.
enum LibraryAdvice {
    static let texts: [String: String] = {
        var texts = [
            "io.popen": "scripts start no programs",
            "os.execute": "scripts start no programs",
            "os.exit": "the host ends by itself when nothing is left to do; raise an error to fail",
            "dofile": "require a module, from the script's folder or one of --lua-path",
            "loadfile": "require a module, from the script's folder or one of --lua-path",
            "string.dump": "bytecode is neither made nor loaded",
            "package.path": "name the folder with --lua-path",
            "package.loadlib": "C modules are not loaded",
            "package.searchpath": "require finds modules",
            "lfs": "rest.read_file reads a file whose name is known",
        ]
        let files =
            "rest.read_file and rest.write_file do it for whole files, below the script's folder or where "
            + "--allow-read and --allow-write say"
        for name in ["open", "lines", "input", "output", "read", "tmpfile"] { texts["io.\(name)"] = files }
        for name in ["remove", "rename", "tmpname"] { texts["os.\(name)"] = files }
        for name in ["cjson", "rapidjson"] { texts[name] = "rest.json encodes and decodes" }
        for name in ["socket", "ssl", "cqueues", "luv"] { texts[name] = "rest.service makes requests" }
        for name in ["lsqlite3", "luasql"] { texts[name] = "rest.cache.sqlite and rest.store keep values" }
        return texts
    }()
}
