/// The lines of a compiled chunk that hold instructions, those of functions that never ran included: read from Lua 5.4's
/// binary form, for no function of Lua's tells of code that has no closure yet.
///
/// Left out is the return that Lua puts behind every function: its line is that of `end`, and often it is never reached.
struct ChunkLines {
    /// Deeper nesting than Lua's parser allows.
    private static let maxDepth = 256
    private static let absoluteLine: Int8 = -128

    private var bytes: ArraySlice<UInt8>
    private(set) var lines: Set<Int> = []

    /// Nil when the bytes are no chunk of this Lua.
    init?(_ dump: [UInt8]) {
        bytes = dump[...]
        // Signature, version 5.4, format 0, six bytes of check data, three sizes, an integer and a number; then a byte
        // with the count of upvalues.
        guard let header = take(15), header.elementsEqual(Self.header), take(16) != nil, take(1) != nil,
            readFunction(depth: 0), bytes.isEmpty
        else { return nil }
    }

    private static let header: [UInt8] =
        [0x1B] + Array("Lua".utf8) + [0x54, 0] + [0x19, 0x93, 0x0D, 0x0A, 0x1A, 0x0A] + [4, 8, 8]

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    private mutating func byte() -> UInt8? { bytes.popFirst() }

    /// Seven bits in each byte, the most significant first; the last byte is marked.
    private mutating func integer() -> Int? {
        var value = 0
        while let byte = bytes.popFirst() {
            guard value < 1 << 48 else { return nil }
            value = value << 7 | Int(byte & 0x7F)
            if byte & 0x80 != 0 { return value }
        }
        return nil
    }

    private mutating func skipString() -> Bool {
        guard let size = integer() else { return false }
        return size == 0 || take(size - 1) != nil
    }

    private mutating func readFunction(depth: Int) -> Bool {
        guard depth < Self.maxDepth, skipString(), let first = integer(), integer() != nil, byte() != nil,
            let isVariadic = byte(), byte() != nil, let count = integer(), count <= bytes.count / 4,
            take(count * 4) != nil, skipConstants(), let upvalues = integer(), upvalues <= bytes.count / 3,
            take(upvalues * 3) != nil, let functions = integer()
        else { return false }
        for _ in 0..<min(functions, bytes.count + 1) {
            guard readFunction(depth: depth + 1) else { return false }
        }
        return readLines(from: first, skipping: isVariadic != 0) && skipNames()
    }

    private mutating func skipConstants() -> Bool {
        guard let count = integer(), count <= bytes.count else { return false }
        for _ in 0..<count {
            switch byte() {
            case 0x00, 0x01, 0x11: break
            case 0x03, 0x13: if take(8) == nil { return false }
            case 0x04, 0x14: if !skipString() { return false }
            default: return false
            }
        }
        return true
    }

    /// A byte for each instruction: the difference to the line before, or a mark that the line is in the list behind.
    private mutating func readLines(from first: Int, skipping isVariadic: Bool) -> Bool {
        guard let count = integer(), let steps = take(count), let marks = integer(), marks <= bytes.count
        else {
            return false
        }
        var absolute: [Int] = []
        for _ in 0..<marks {
            guard integer() != nil, let line = integer() else { return false }
            absolute.append(line)
        }
        var next = absolute.makeIterator()
        var line = first
        // The first instruction of a variadic function only prepares its arguments; the last one is Lua's own.
        for (place, step) in steps.enumerated() {
            let step = Int8(bitPattern: step)
            if step == Self.absoluteLine {
                guard let known = next.next() else { return false }
                line = known
            } else {
                line += Int(step)
            }
            if line > 0, place < count - 1, place > 0 || !isVariadic { lines.insert(line) }
        }
        return true
    }

    private mutating func skipNames() -> Bool {
        guard let locals = integer(), locals <= bytes.count else { return false }
        for _ in 0..<locals {
            guard skipString(), integer() != nil, integer() != nil else { return false }
        }
        guard let upvalues = integer(), upvalues <= bytes.count else { return false }
        for _ in 0..<upvalues where !skipString() { return false }
        return true
    }
}
