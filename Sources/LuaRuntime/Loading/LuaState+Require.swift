extension LuaState {
    /// Gives `require(name)` a value of the host's: `push` pushes one, when the script first asks.
    public func preload(_ name: String, _ push: @escaping (Lua) -> Void) {
        verifyOwner()
        modules.preloaded[name] = push
    }

    /// Forgets a module, so that the next `require` loads it again.
    public func unload(_ name: String) {
        verifyOwner()
        modules.loaded[name] = nil
    }

    /// The script's `require`: cached, rooted, text only.
    func require(_ arguments: Arguments) throws -> Verdict {
        let name = try arguments.string(1, "name")
        let lua = arguments.lua
        if let module = modules.loaded[name] {
            lua.push(module)
            return .results(1)
        }
        if let push = modules.preloaded[name] {
            push(lua)
        } else {
            try load(name, lua)
        }
        if modules.loaded[name] == nil { modules.loaded[name] = lua.reference(-1) }
        return .results(1)
    }

    /// Leaves the module's value: what its file returns, or true.
    private func load(_ name: String, _ lua: Lua) throws {
        if let first = modules.loading.firstIndex(of: name) {
            let circle = (modules.loading[first...] + [name]).joined(separator: " → ")
            throw LuaUsageError("module '\(name)' requires itself: \(circle)")
        }
        let file = try ModuleSearch(roots: searchRoots).find(name)
        modules.loading.append(name)
        defer { modules.loading.removeLast() }
        onFileLoaded?(file.path)
        lua.push(try compile(file.source, chunk: file.path))
        lua.push(name)
        lua.push(file.path)
        try lua.call(arguments: 2, results: 1, phase: entry.phase ?? .access)
        if lua.type(-1) == .nil {
            lua.pop()
            lua.push(true)
        }
    }
}
