import CLua

/// One script's part of a Lua state: its globals, its modules, its coroutines. Values and functions of one
/// sandbox may be given to any other of the same state. A sandbox does not keep its state alive.
///
/// A new sandbox has library tables of its own, but for `string`: a state's strings have one metatable, so
/// methods that a script adds to that table are seen by all.
public final class LuaSandbox {
    public unowned let state: LuaState
    let output: ([UInt8]) -> Void
    /// Gets what `warn` and `io.stderr` write; nil: it goes where `print` writes.
    public var errorOutput: ((String) -> Void)?
    /// Answers `os.getenv`.
    public var environment: (String) -> String?
    /// Called with each name for which `os.getenv` had no value, and the place of the call.
    public var onVariableMissing: ((_ name: String, _ place: (file: String, line: Int)?) -> Void)?

    /// Folders in which `require` looks, in this order; see ``LuaOptions/searchRoots``.
    public var searchRoots: [String]
    /// Answers for the file of a module in place of the disk; it may ask the search for what is there. Nil:
    /// there is none.
    public var findModule: ((_ name: String, _ search: () throws -> LuaModuleFile?) throws -> LuaModuleFile?)?
    /// The text of a module that comes with the program, for names that no folder has.
    public var bundledModule: ((_ name: String) -> [UInt8]?)?
    /// Called with the path of each file that `require` reads.
    public var onFileLoaded: ((String) -> Void)?
    /// Called with the paths of the files that `require` would have read if they existed.
    public var onFileMissed: ((String) -> Void)?

    /// Runs something soon, when what runs now has returned. Nil: there is no such time.
    public var later: ((@escaping () -> Void) -> Void)?

    /// Lines of its files are counted, if the state counts any.
    public var isCovered = false

    var modules = ModuleTable()
    /// Nil in the main sandbox, whose globals are the state's.
    private var globals: LuaReference?
    public private(set) var isClosed = false

    init(mainOf state: LuaState, _ options: LuaOptions) {
        self.state = state
        output = options.output
        environment = options.environment
        searchRoots = options.searchRoots
    }

    init(
        _ state: LuaState, searchRoots: [String], output: @escaping ([UInt8]) -> Void,
        environment: @escaping (String) -> String?
    ) {
        self.state = state
        self.searchRoots = searchRoots
        self.output = output
        self.environment = environment
        let lua = state.main
        lua.checkStack(2)
        clua_push_new_globals(lua.raw)
        globals = lua.reference(-1)
        lua.pop()
        openSandbox()
    }

    /// Pushes the global environment.
    public func pushGlobals(on lua: Lua) {
        if let globals { lua.push(globals) } else { lua.pushGlobals() }
    }

    /// Pops the chunk's environment in favour of this sandbox's.
    func adopt(_ lua: Lua) {
        guard let globals else { return }
        lua.push(globals)
        clua_set_globals(lua.raw)
    }

    /// Makes globals and library tables read only, once the script has been loaded: an assignment raises an
    /// error that says what to do instead. Tables of the script's own stay as they are.
    public func freezeGlobals() throws(LuaError) {
        let lua = state.main
        pushGlobals(on: lua)
        let status = clua_freeze_globals(state.core, lua.raw)
        if status != LUA_OK { throw state.takeError(status, from: lua) }
        noteFrozenStrings()
    }

    /// Runs `function` as a coroutine that ends with this sandbox at the latest; see
    /// ``LuaState/spawn(_:phase:arguments:completion:)``.
    @discardableResult
    public func spawn(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) -> Int32 = { _ in 0 },
        completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) -> LuaCoroutine {
        state.spawn(function, phase: phase, in: self, arguments: arguments, completion: completion)
    }

    /// Cancels what waits and lets go of globals and modules. Functions of the script that others hold still
    /// work; `require` does not.
    public func close() {
        guard !isClosed else { return }
        state.verifyOwner()
        for coroutine in Array(state.waiting.values) where coroutine.sandbox === self { coroutine.cancel() }
        letGo()
    }

    /// Ends the sandbox with its state, which may be going away and can't be asked any more.
    func letGo() {
        isClosed = true
        modules = ModuleTable()
        globals = nil
    }
}

extension LuaState {
    /// Makes another sandbox, for one more script.
    ///
    /// - Parameters:
    ///   - searchRoots: folders in which `require` looks.
    ///   - output: gets what `print` and `io.write` write.
    ///   - environment: answers `os.getenv`.
    public func makeSandbox(
        searchRoots: [String] = [], output: @escaping ([UInt8]) -> Void = { _ in },
        environment: @escaping (String) -> String? = { _ in nil }
    ) -> LuaSandbox {
        LuaSandbox(self, searchRoots: searchRoots, output: output, environment: environment)
    }
}
