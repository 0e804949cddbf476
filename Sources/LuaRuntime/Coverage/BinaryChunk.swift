/// A compiled chunk as Lua 5.4's binary form tells of it, the functions that never ran included: no function of Lua's
/// tells of code that has no closure yet.
struct BinaryChunk {
    struct Function {
        var isVariadic = false
        var code: [UInt32] = []
        /// The strings among them; nil for other constants.
        var constants: [String?] = []
        /// Whether each is a local of the function around this one, else one of its upvalues; and which.
        var upvalues: [(isLocal: Bool, index: Int)] = []
        var functions: [Function] = []
        /// Of each instruction.
        var lines: [Int] = []
    }

    /// Deeper nesting than Lua's parser allows.
    private static let maxDepth = 256
    private static let absoluteLine: Int8 = -128

    private var bytes: ArraySlice<UInt8>
    private(set) var main = Function()

    /// Nil when the bytes are no chunk of this Lua.
    init?(_ dump: [UInt8]) {
        bytes = dump[...]
        // Signature, version 5.4, format 0, six bytes of check data, three sizes, an integer and a number; then a byte
        // with the count of upvalues.
        guard let header = take(15), header.elementsEqual(Self.header), take(16) != nil, take(1) != nil,
            let main = function(depth: 0), bytes.isEmpty
        else { return nil }
        self.main = main
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

    private mutating func string() -> String? {
        guard let size = integer(), let text = size == 0 ? [] : take(size - 1) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func function(depth: Int) -> Function? {
        var made = Function()
        guard depth < Self.maxDepth, string() != nil, let first = integer(), integer() != nil, byte() != nil,
            let isVariadic = byte(), byte() != nil, let count = integer(), count <= bytes.count / 4,
            let code = take(count * 4), let constants = constants(), let upvalues = upvalues(),
            let functions = integer()
        else { return nil }
        made.isVariadic = isVariadic != 0
        made.code = stride(from: code.startIndex, to: code.endIndex, by: 4).map { place in
            (0..<4).reduce(0) { $0 | UInt32(code[place + $1]) << UInt32($1 * 8) }
        }
        made.constants = constants
        made.upvalues = upvalues
        for _ in 0..<min(functions, bytes.count + 1) {
            guard let inner = function(depth: depth + 1) else { return nil }
            made.functions.append(inner)
        }
        guard let lines = lines(from: first), skipNames() else { return nil }
        made.lines = lines
        return made
    }

    private mutating func constants() -> [String?]? {
        guard let count = integer(), count <= bytes.count else { return nil }
        var made: [String?] = []
        for _ in 0..<count {
            switch byte() {
            case 0x00, 0x01, 0x11: made.append(nil)
            case 0x03, 0x13:
                if take(8) == nil { return nil }
                made.append(nil)
            case 0x04, 0x14:
                guard let text = string() else { return nil }
                made.append(text)
            default: return nil
            }
        }
        return made
    }

    private mutating func upvalues() -> [(isLocal: Bool, index: Int)]? {
        guard let count = integer(), count <= bytes.count / 3, let all = take(count * 3) else { return nil }
        return (0..<count).map { number in
            let place = all.startIndex + number * 3
            return (all[place] != 0, Int(all[place + 1]))
        }
    }

    /// A byte for each instruction: the difference to the line before, or a mark that the line is in the list behind.
    private mutating func lines(from first: Int) -> [Int]? {
        guard let count = integer(), let steps = take(count), let marks = integer(), marks <= bytes.count
        else { return nil }
        var absolute: [Int] = []
        for _ in 0..<marks {
            guard integer() != nil, let line = integer() else { return nil }
            absolute.append(line)
        }
        var next = absolute.makeIterator()
        var line = first
        var made: [Int] = []
        for step in steps {
            let step = Int8(bitPattern: step)
            if step == Self.absoluteLine {
                guard let known = next.next() else { return nil }
                line = known
            } else {
                line += Int(step)
            }
            made.append(line)
        }
        return made
    }

    private mutating func skipNames() -> Bool {
        guard let locals = integer(), locals <= bytes.count else { return false }
        for _ in 0..<locals {
            guard string() != nil, integer() != nil, integer() != nil else { return false }
        }
        guard let upvalues = integer(), upvalues <= bytes.count else { return false }
        for _ in 0..<upvalues where string() == nil { return false }
        return true
    }
}
