import CLua

/// A compiled chunk as Lua 5.4's binary form tells of it, the functions that never ran included.
struct BinaryChunk {
    struct Function {
        var isVariadic = false
        var code: [UInt32] = []
        /// The strings among them; nil for other constants.
        var constants: [String?] = []
        /// Whether each is a local of the function around this one, else one of its upvalues; and which.
        var upvalues: [(isLocal: Bool, index: Int)] = []
        var functions: [Function] = []
        /// The line of each instruction.
        var lines: [Int] = []
    }

    let main: Function

    /// Nil when the bytes are no chunk of this Lua.
    init?(_ dump: [UInt8]) {
        let main = dump.withUnsafeBufferPointer { bytes -> Function? in
            guard let chunk = clua_read_chunk(bytes.baseAddress, bytes.count) else { return nil }
            defer { clua_free_chunk(chunk) }
            return Function(chunk.pointee)
        }
        guard let main else { return nil }
        self.main = main
    }
}

extension BinaryChunk.Function {
    fileprivate init(_ raw: clua_function) {
        isVariadic = raw.is_variadic
        let code = UnsafeRawBufferPointer(start: raw.code, count: raw.code_count * 4)
        self.code = (0..<raw.code_count).map { code.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        constants = UnsafeBufferPointer(start: raw.constants, count: raw.constant_count).map { constant in
            guard Int32(constant.tag) == CLUA_SHORT_STRING || Int32(constant.tag) == CLUA_LONG_STRING else {
                return nil
            }
            return String(
                decoding: UnsafeBufferPointer(start: constant.bytes, count: constant.count), as: UTF8.self)
        }
        let upvalues = UnsafeBufferPointer(start: raw.upvalues, count: raw.upvalue_count * 3)
        self.upvalues = (0..<raw.upvalue_count).map { (upvalues[$0 * 3] != 0, Int(upvalues[$0 * 3 + 1])) }
        functions = UnsafeBufferPointer(start: raw.functions, count: raw.function_count).map { Self($0) }
        lines = UnsafeBufferPointer(start: raw.lines, count: raw.line_count).map { Int($0) }
    }
}
