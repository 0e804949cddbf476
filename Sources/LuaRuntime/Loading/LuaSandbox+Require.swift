extension LuaSandbox {
    /// Gives `require(name)` a value of the host's: `push` pushes one, when the script first asks.
    public func preload(_ name: String, _ push: @escaping (Lua) -> Void) {
        state.verifyOwner()
        modules.preloaded[name] = push
    }

    /// Forgets a module, so that the next `require` loads it again.
    public func unload(_ name: String) {
        guard let loaded = modules.loaded else { return }
        let lua = state.main
        lua.push(loaded)
        lua.pushNil()
        lua.rawSet(-2, name)
        lua.pop()
    }

    /// The script's `require`: cached, rooted, text only.
    func require(_ arguments: Arguments) throws -> CallResult {
        try pushModule(try arguments.string(1, "name"), on: arguments.lua)
        return .results(1)
    }

    /// Pushes what `require(name)` gives. A file that is read for it runs in `phase`; nil: in that of the
    /// script that runs.
    public func pushModule(_ name: String, on lua: Lua, phase: RunPhase? = nil) throws {
        guard !isClosed, let loaded = modules.loaded else {
            throw LuaUsageError("cannot require '\(name)': the script has been closed")
        }
        let height = lua.top
        do {
            lua.push(loaded)
            if lua.rawGet(-1, name) == .nil {
                lua.pop()
                try load(name, lua, phase ?? state.entry.phase ?? .access)
                keep(name, lua)
            }
            lua.remove(-2)
        } catch {
            lua.setTop(height)
            throw error
        }
    }

    /// Notes the value on top in the table below it, and leaves what is there now: a module may have put
    /// itself there and return nothing, or it is true.
    private func keep(_ name: String, _ lua: Lua) {
        if lua.type(-1) == .nil {
            lua.pop()
            if lua.rawGet(-1, name) != .nil { return }
            lua.pop()
            lua.push(true)
        }
        lua.pushValue(at: -1)
        lua.rawSet(-3, name)
    }

    /// Leaves the module's value.
    private func load(_ name: String, _ lua: Lua, _ phase: RunPhase) throws {
        if let push = modules.preloaded[name] { return push(lua) }
        if let first = modules.loading.firstIndex(of: name) {
            let circle = (modules.loading[first...] + [name]).joined(separator: " → ")
            throw LuaUsageError(
                "module '\(name)' requires itself: \(circle): "
                    + "move what both need to a third, or require it inside the function that uses it")
        }
        let path = try pushLoader(name, lua)
        modules.loading.append(name)
        defer { modules.loading.removeLast() }
        lua.push(name)
        lua.push(path)
        try lua.call(arguments: 2, results: 1, phase: phase)
    }

    /// Pushes the function that gives the module; the path of its file.
    private func pushLoader(_ name: String, _ lua: Lua) throws -> String {
        if let preload = modules.preload {
            lua.push(preload)
            lua.rawGet(-1, name)
            lua.remove(-2)
            if lua.type(-1) == .function { return ":preload:" }
            lua.pop()
        }
        var places = ""
        let disk = ModuleSearch(roots: searchRoots)
        let search = { () throws -> LuaModuleFile? in
            switch try disk.find(name) {
            case .found(let file): return file
            case .missing(let tried):
                places = tried
                return nil
            }
        }
        guard let file = try findModule.map({ try $0(name, search) }) ?? search() else {
            // It may be there the next time.
            for path in disk.candidates(name) { onFileMissed?(path) }
            if let source = bundledModule?(name) {
                lua.push(try compile(source, chunk: name, counted: false))
                return name
            }
            throw LuaUsageError(
                "module '\(name)' not found: \(places)\(CModules.advice(name, state.options))\(adviceOnPath(lua))"
            )
        }
        onFileLoaded?(file.path)
        lua.push(try compile(file.source, chunk: file.path))
        return file.path
    }
}

/// The modules that `require` has found, is loading, and was given by the host.
struct ModuleTable {
    /// `package.loaded`: the found modules, by name.
    var loaded: LuaReference?
    /// `package.preload`: functions of the script's that give modules.
    var preload: LuaReference?
    /// The first value of `package.path`.
    var path = ""
    /// Names being loaded, outermost first.
    var loading: [String] = []
    var preloaded: [String: (Lua) -> Void] = [:]
}

/// Names of well-known modules that are written in C: no folder can give them to a script.
enum CModules {
    private static let names: Set<Substring> = [
        "cjson", "cqueues", "ffi", "iconv", "lfs", "lpeg", "lsqlite3", "lua_zlib", "luasql", "luv", "lxp",
        "lyaml", "mime",
        "openssl", "posix", "rapidjson", "rex_pcre", "rex_pcre2", "socket", "ssl", "struct", "system", "term",
        "zlib",
    ]

    /// For the end of a message that `name` was not found; empty for other modules.
    static func advice(_ name: String, _ options: LuaOptions) -> String {
        let first = name.prefix { $0 != "." }
        guard names.contains(first) else { return "" }
        let instead = options.advice[String(first)] ?? "use one that is written in Lua"
        return "; '\(first)' is written in C, and C modules are not loaded: \(instead)"
    }
}
