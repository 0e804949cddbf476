import CLua

extension LuaSandbox {
    /// Compiles text to a function whose globals are this sandbox's; bytecode is refused.
    ///
    /// - Parameters:
    ///   - chunk: the file's path, which messages and tracebacks show.
    ///   - source: The text, in UTF-8.
    ///   - counted: Whether runs of its lines are counted, in a sandbox that counts them.
    public func compile(
        _ source: [UInt8], chunk: String, counted: Bool = true
    ) throws(LuaError) -> LuaReference {
        let lua = state.main
        lua.checkStack(4)
        state.drainReleases()
        state.noteChunk(chunk)
        var budget = RunPhase.compile.budget
        let saved = state.enter(.compile)
        let status = source.withUnsafeBytes { bytes in
            clua_load(
                state.core, lua.raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                "@" + chunk, &budget)
        }
        state.leave(saved)
        if status != LUA_OK { throw state.takeError(status, from: lua) }
        defer { lua.pop() }
        adopt(lua)
        if isCovered, counted { state.cover(lua, chunk, source) }
        return lua.reference(-1)
    }

    public func compile(_ source: String, chunk: String) throws(LuaError) -> LuaReference {
        try compile(Array(source.utf8), chunk: chunk)
    }

    /// The same with a table of the caller's in place of the sandbox's globals.
    public func compile(
        _ source: String, chunk: String, environment: LuaReference
    ) throws(LuaError) -> LuaReference {
        let function = try compile(Array(source.utf8), chunk: chunk)
        let lua = state.main
        lua.checkStack(2)
        lua.push(function)
        defer { lua.pop() }
        lua.push(environment)
        clua_set_globals(lua.raw)
        return function
    }
}

extension RunPhase {
    /// For turning text to functions; inside a script, that one's budget counts too.
    static let compile = RunPhase(name: "compiling", mayWait: false, budgetSeconds: 5)
}

extension LuaState {
    /// `LuaSandbox.compile(_:chunk:)` in the main sandbox.
    public func compile(_ source: [UInt8], chunk: String) throws(LuaError) -> LuaReference {
        try mainSandbox.compile(source, chunk: chunk)
    }

    public func compile(_ source: String, chunk: String) throws(LuaError) -> LuaReference {
        try mainSandbox.compile(source, chunk: chunk)
    }

    /// Lua shortens a long path to its end (manual 4.7, `short_src`).
    func noteChunk(_ path: String) {
        guard chunkPaths[path] == nil else { return }
        let room = Int(LUA_IDSIZE) - 1
        let bytes = Array(path.utf8)
        if bytes.count > room {
            chunkPaths["..." + String(decoding: bytes.suffix(room - 3), as: UTF8.self)] = path
        }
        chunkPaths[path] = path
    }
}

/// The beginnings that Lua files may have and chunks may not: a byte order mark, and a first line for the
/// system's loader (`#!`). Lua's own `luaL_loadfilex` skips the same.
public enum LuaFileText {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The text without them. The end of the first line stays, so lines keep their numbers.
    public static func chunk(_ file: [UInt8]) -> [UInt8] {
        var text = file[...]
        if text.starts(with: mark) { text = text.dropFirst(mark.count) }
        if text.first == UInt8(ascii: "#") { text = text.drop { $0 != UInt8(ascii: "\n") } }
        return text.count == file.count ? file : Array(text)
    }
}
