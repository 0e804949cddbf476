internal import Platform
internal import SystemSQLite

/// A failure as SQLite reports it. Values are bound, never written into statements, so the text holds none.
struct SQLiteError: Error, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    let code: Int32
    let message: String

    init(_ code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The last error of `connection`, which is nil when there was no memory for one.
    init(_ code: Int32, of connection: OpaquePointer?) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        var message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        if system != 0, [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(code & 0xFF) {
            message += ": \(String(cString: strerror(system)))"
        }
        self.message = message
    }

    static func damage(_ message: String) -> SQLiteError { SQLiteError(SQLITE_NOTADB, message: message) }

    /// The kind of error, as far as it makes a difference.
    enum Kind {
        /// The file is no database of this cache, or one that was broken. Correct statements fail with such
        /// codes too: a table is missing, or another program has made a constraint.
        case damage
        case cannotOpen
        case full
        case readOnly
        case busy
        case io
        /// One value is too large, for SQLite or for the memory.
        case size
        case other
    }

    var kind: Kind {
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_SCHEMA, SQLITE_MISMATCH:
            .damage
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_IOERR, SQLITE_PROTOCOL: .io
        case SQLITE_TOOBIG, SQLITE_NOMEM: .size
        default: .other
        }
    }

    var description: String { "\(message) (SQLite error \(code))" }
}
