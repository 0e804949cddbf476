import CLua
import Platform

/// How often the lines of one file were reached.
public struct LineHits: Sendable, Equatable {
    public let path: String
    /// All lines that hold code, with 0 for those that were never reached.
    public private(set) var counts: [Int: Int]

    public init(path: String, counts: [Int: Int]) {
        self.path = path
        self.counts = counts
    }

    /// Adds the counts of another run of the same file.
    public mutating func add(_ other: LineHits) { counts.merge(other.counts, uniquingKeysWith: +) }
}

/// The lines of a compiled chunk that hold instructions, those of functions that never ran included.
///
/// Left out is the return that Lua puts behind every function: its line is that of `end`, and often it is
/// never reached.
struct ChunkLines {
    private(set) var lines: Set<Int> = []

    /// Nil when the bytes are no chunk of this Lua.
    init?(_ dump: [UInt8]) {
        guard let chunk = BinaryChunk(dump) else { return nil }
        add(chunk.main)
    }

    private mutating func add(_ function: BinaryChunk.Function) {
        // The first instruction of a variadic function only prepares its arguments; the last one is Lua's
        // own.
        for line in function.lines.dropFirst(function.isVariadic ? 1 : 0).dropLast() where line > 0 {
            lines.insert(line)
        }
        for inner in function.functions { add(inner) }
    }
}

extension LuaState {
    /// Counts the lines of what sandboxes with ``LuaSandbox/isCovered`` compile from now on. Call it before
    /// any script runs.
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
