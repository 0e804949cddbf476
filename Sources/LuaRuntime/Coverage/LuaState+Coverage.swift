import CLua
import Platform

extension LuaState {
    /// Counts the lines of what realms with ``LuaRealm/isCovered`` compile from now on. Call it before any script runs.
    public func coverLines() {
        verifyOwner()
        if !isClosed, clua_cover_lines(core), coveredLines == nil { coveredLines = [:] }
    }

    /// The counts so far, by path.
    public var lineHits: [LineHits] {
        verifyOwner()
        guard !isClosed, let coveredLines else { return [] }
        return coveredLines.keys.sorted().map { path in
            let name = Array("@\(path)".utf8CString)
            let counts = (coveredLines[path] ?? []).map { line in
                (line, Int(clua_hits(core, name, name.count - 1, Int32(clamping: line))))
            }
            return LineHits(path: path, counts: Dictionary(uniqueKeysWithValues: counts))
        }
    }

    /// Notes the lines of the chunk on top of the stack.
    func cover(_ lua: Lua, _ path: String, _ source: [UInt8]) {
        guard coveredLines != nil, let lines = ChunkLines(Self.dump(of: lua))?.lines else { return }
        let name = Array("@\(path)".utf8CString)
        let lineCount = source.count { $0 == UInt8(ascii: "\n") } + 1
        guard clua_cover_chunk(core, name, name.count - 1, Int32(clamping: lineCount)) else { return }
        coveredLines?[path, default: []].formUnion(lines)
    }

    /// The function on top of the stack in Lua's binary form; empty when there is no memory for it.
    static func dump(of lua: Lua) -> [UInt8] {
        var count = 0
        guard let bytes = clua_dump(lua.checked, &count) else { return [] }
        defer { free(bytes) }
        return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }
}
