extension Tree {
    /// The kind of a value.
    public enum Kind: Sendable, Equatable {
        /// JSON's null.
        case null
        /// True or false.
        case boolean
        /// A whole number of 64 bits.
        case integer
        /// Also an integer beyond 64 bits: see `digits`.
        case double
        /// Text, or bytes of a script.
        case string
        /// Values in order.
        case array
        /// Values by name.
        case object
        /// A Lua table that is neither array nor object.
        case table

        /// The name for scripts: `null`, `boolean`, `number`, `string` or `table`.
        package var typeName: String {
            switch self {
            case .null: "null"
            case .boolean: "boolean"
            case .integer, .double: "number"
            case .string: "string"
            case .array, .object, .table: "table"
            }
        }
    }

    /// The kind of the outermost value. A value with a class has the kind of its value.
    public var kind: Kind {
        if case .text(let text) = form { return text.kind }
        return switch Cursor(self).tag {
        case .null: .null
        case .no, .yes: .boolean
        case .int8, .int32, .int64: .integer
        case .real, .number: .double
        case .string: .string
        case .array: .array
        case .object: .object
        case .table: .table
        case .classed: preconditionFailure("Tree: a classed value has a class")
        }
    }

    /// The number of the value's class; ``classless`` has none.
    package var classID: UInt32? {
        guard case .encoded(let storage) = form else { return nil }
        return storage[Int(start)] == Tag.classed.rawValue ? Cursor(self).number(at: Int(start) + 1) : nil
    }

    /// The value without its class.
    package var classless: Tree {
        classID == nil ? self : Tree(storage: storage, start: start + 5, end: end)
    }

    /// Whether it is null.
    public var isNull: Bool { kind == .null }

    /// The boolean; nil for other kinds.
    public var bool: Bool? {
        switch Cursor(self).tag {
        case .no: false
        case .yes: true
        default: nil
        }
    }

    /// The text of a number that neither 64 bits nor a double hold: an integer beyond 64 bits, or a fraction
    /// with more digits than the shortest text of its double, as written. Nil for other values. Only JSON
    /// text and ``TreeEncoder`` make one: it is written back unchanged, and ``double`` is the nearest double.
    package var digits: String? {
        var cursor = Cursor(self)
        guard cursor.tag == .number else { return nil }
        cursor.offset += 1
        return String(decoding: storage[cursor.takeBytes()], as: UTF8.self)
    }

    /// The integer; nil for a double.
    public var int: Int64? {
        var cursor = Cursor(self)
        return cursor.integer()
    }

    /// The number, integer or double.
    public var double: Double? {
        var cursor = Cursor(self)
        if cursor.tag == .real { return Double(bitPattern: cursor.number(at: cursor.offset + 1)) }
        return cursor.integer().map(Double.init) ?? digits.flatMap(Double.init)
    }

    /// The string; nil also for one that is not UTF-8, which only Lua makes.
    public var string: String? {
        bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes of a string.
    public var bytes: ArraySlice<UInt8>? {
        var cursor = Cursor(self)
        guard cursor.tag == .string else { return nil }
        cursor.offset += 1
        return storage[cursor.takeBytes()]
    }

    /// The number of elements or keys of a container; 0 for other kinds.
    public var count: Int {
        let cursor = Cursor(self)
        switch cursor.tag {
        case .array, .object, .table: return Int(cursor.number(at: cursor.offset + 5) as UInt32)
        default: return 0
        }
    }
}
