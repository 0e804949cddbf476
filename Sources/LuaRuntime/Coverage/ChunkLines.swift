/// The lines of a compiled chunk that hold instructions, those of functions that never ran included.
///
/// Left out is the return that Lua puts behind every function: its line is that of `end`, and often it is never reached.
struct ChunkLines {
    private(set) var lines: Set<Int> = []

    /// Nil when the bytes are no chunk of this Lua.
    init?(_ dump: [UInt8]) {
        guard let chunk = BinaryChunk(dump) else { return nil }
        add(chunk.main)
    }

    private mutating func add(_ function: BinaryChunk.Function) {
        // The first instruction of a variadic function only prepares its arguments; the last one is Lua's own.
        for line in function.lines.dropFirst(function.isVariadic ? 1 : 0).dropLast() where line > 0 {
            lines.insert(line)
        }
        for inner in function.functions { add(inner) }
    }
}
