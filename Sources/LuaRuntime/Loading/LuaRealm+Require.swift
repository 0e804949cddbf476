extension LuaRealm {
    /// Gives `require(name)` a value of the host's: `push` pushes one, when the script first asks.
    public func preload(_ name: String, _ push: @escaping (Lua) -> Void) {
        state.verifyOwner()
        modules.preloaded[name] = push
    }

    /// Forgets a module, so that the next `require` loads it again.
    public func unload(_ name: String) {
        state.verifyOwner()
        modules.loaded[name] = nil
    }

    /// The script's `require`: cached, rooted, text only.
    func require(_ arguments: Arguments) throws -> Verdict {
        try pushModule(try arguments.string(1, "name"), on: arguments.lua)
        return .results(1)
    }

    /// Pushes what `require(name)` gives.
    public func pushModule(_ name: String, on lua: Lua) throws {
        guard !isClosed else { throw LuaUsageError("cannot require '\(name)': the script has been closed") }
        if let module = modules.loaded[name] { return lua.push(module) }
        if let push = modules.preloaded[name] {
            push(lua)
        } else {
            try load(name, lua)
        }
        if modules.loaded[name] == nil { modules.loaded[name] = lua.reference(-1) }
    }

    /// Leaves the module's value: what its file returns, or true.
    private func load(_ name: String, _ lua: Lua) throws {
        if let first = modules.loading.firstIndex(of: name) {
            let circle = (modules.loading[first...] + [name]).joined(separator: " → ")
            throw LuaUsageError("module '\(name)' requires itself: \(circle)")
        }
        let search = ModuleSearch(roots: searchRoots)
        let file: ModuleSearch.File
        do { file = try search.find(name) } catch {
            // It may be there the next time.
            for path in search.candidates(name) { onFileMissed?(path) }
            throw error
        }
        modules.loading.append(name)
        defer { modules.loading.removeLast() }
        onFileLoaded?(file.path)
        lua.push(try compile(file.source, chunk: file.path))
        lua.push(name)
        lua.push(file.path)
        try lua.call(arguments: 2, results: 1, phase: state.entry.phase ?? .access)
        if lua.type(-1) == .nil {
            lua.pop()
            lua.push(true)
        }
    }
}
