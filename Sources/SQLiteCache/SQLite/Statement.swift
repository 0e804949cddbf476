internal import SystemSQLite

/// A compiled statement, to be run many times. Keeps its connection.
final class Statement {
    enum Value {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
        case null
    }

    private let handle: OpaquePointer
    private let connection: Connection

    /// Takes the handle over.
    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end, each row through `row`, which may read it until it returns.
    func run(_ values: [Value] = [], _ row: (Row) throws -> Void = { _ in }) throws {
        try scan(values) {
            try row($0)
            return true
        }
    }

    /// Runs the statement until `row` says false. For statements that change nothing.
    func scan(_ values: [Value] = [], while row: (Row) throws -> Bool) throws {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: guard try row(Row(handle: handle)) else { return }
            case SQLITE_DONE: return
            default: throw connection.error(code)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, a macro that Swift can't see: SQLite makes a copy.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .real(let real): return sqlite3_bind_double(handle, index, real)
        case .null: return sqlite3_bind_null(handle, index)
        case .text(var text):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let blob):
            // A null address would mean NULL.
            if blob.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
            return blob.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
    }
}

/// The row that a statement stands at. SQLite converts a column's value to the requested type.
struct Row {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Empty for NULL. Zeros inside stay.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Empty for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        // The address first: asking for it may convert the value and so change the count.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
