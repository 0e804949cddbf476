import RestEngine

/// Reads bytes and makes a tree of what they mean.
struct BinaryBuilder {
    private let bytes: [UInt8]
    private let format: BinaryFormat
    private let options: BinaryFormat.Options
    private let stop: StopFlag
    var offset = 0
    /// Where the value begins that is being read.
    private var start = 0
    var tree = Tree.Builder()

    /// The key of a map. Lua takes numbers for one key if they are equal.
    enum Key: Hashable {
        case text([UInt8])
        case int(Int64)
        case double(Double)
        case bool(Bool)
    }

    init(_ bytes: [UInt8], _ format: BinaryFormat, _ options: BinaryFormat.Options, _ stop: StopFlag) {
        (self.bytes, self.format, self.options, self.stop) = (bytes, format, options, stop)
    }

    var isAtEnd: Bool { offset == bytes.count }
    var remaining: Int { bytes.count - offset }

    func fault(_ message: String) -> FormatError { FormatError(format.name, at: .byte(offset), message) }

    /// A fault of the value that is being read.
    func faultOfValue(_ message: String) -> FormatError {
        FormatError(format.name, at: .byte(start), message)
    }

    // MARK: Bytes

    /// The first byte of a value.
    mutating func first(depth: Int) throws(FormatError) -> UInt8 {
        start = offset
        try stop.check()
        try options.limits.requireDepth(depth, format.name, at: .byte(start))
        try options.limits.requireBytes(tree.byteCount, format.name, at: .byte(start))
        return try number()
    }

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func number<Number: FixedWidthInteger>() throws(FormatError) -> Number {
        var number = Number.zero
        for byte in try take(UInt64(Number.bitWidth / 8)) {
            number = number << 8 | Number(truncatingIfNeeded: byte)
        }
        return number
    }

    mutating func take(_ count: UInt64) throws(FormatError) -> ArraySlice<UInt8> {
        guard count <= UInt64(remaining) else {
            throw faultOfValue("the value needs \(count) bytes more, and there are \(remaining)")
        }
        defer { offset += Int(count) }
        return bytes[offset..<offset + Int(count)]
    }

    // MARK: Values

    mutating func write(_ unsigned: UInt64) {
        if let int = Int64(exactly: unsigned) { tree.int(int) } else { tree.digits("\(unsigned)") }
    }

    /// Writes a key; the map becomes a general table when it isn't text.
    mutating func write(key: Key, of known: inout Set<Key>) throws(FormatError) {
        guard known.insert(key).inserted else { throw faultOfValue("the key \(Self.text(key)) occurs twice") }
        if case .text(let bytes) = key, !tree.isInTable, let text = String(validating: bytes, as: UTF8.self) {
            return tree.key(text)
        }
        tree.turnIntoTable()
        var node = Tree.Builder()
        switch key {
        case .text(let bytes): node.string(utf8: bytes)
        case .int(let int): node.int(int)
        case .bool(let bool): node.bool(bool)
        case .double(let double): node.double(double)
        }
        tree.key(node: node.finish())
    }

    /// A key that is a double. Lua takes `2.0` for `2`.
    func key(_ double: Double) throws(FormatError) -> Key {
        guard !double.isNaN else { throw faultOfValue("a key is not a number") }
        return Int64(exactly: double).map { .int($0) } ?? .double(double)
    }

    private static func text(_ key: Key) -> String {
        switch key {
        case .text(let bytes): "'\(String(decoding: bytes.prefix(60), as: UTF8.self))'"
        case .int(let int): "\(int)"
        case .bool(let bool): "\(bool)"
        case .double(let double): "\(double)"
        }
    }
}
