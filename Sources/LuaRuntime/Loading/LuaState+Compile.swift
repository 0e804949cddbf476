import CLua

extension LuaState {
    /// Compiles text to a function; bytecode is refused.
    ///
    /// - Parameter chunk: the file's path, which messages and tracebacks show.
    public func compile(_ source: [UInt8], chunk: String) throws(LuaError) -> LuaReference {
        let lua = main
        lua.checkStack(4)
        drainReleases()
        noteChunk(chunk)
        let status = source.withUnsafeBytes { bytes in
            clua_load(
                core, lua.raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                "@" + chunk)
        }
        if status != LUA_OK { throw takeError(status, from: lua) }
        defer { lua.pop() }
        return lua.reference(-1)
    }

    public func compile(_ source: String, chunk: String) throws(LuaError) -> LuaReference {
        try compile(Array(source.utf8), chunk: chunk)
    }

    /// Lua shortens a long path to its end (manual 4.7, `short_src`).
    private func noteChunk(_ path: String) {
        let room = Int(LUA_IDSIZE) - 1
        let bytes = Array(path.utf8)
        let shown =
            bytes.count <= room ? path : "..." + String(decoding: bytes.suffix(room - 3), as: UTF8.self)
        chunkPaths[shown] = path
    }
}
