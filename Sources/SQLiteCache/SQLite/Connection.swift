internal import SystemSQLite

/// Owner of a connection to a database. Not for two threads: it is opened without SQLite's own lock.
final class Connection {
    private let handle: OpaquePointer

    enum Mode {
        case readWrite
        /// For a file and a folder that can't be changed; the name is a URI.
        case immutable
    }

    init(_ name: String, _ mode: Mode) throws(SQLiteError) {
        let flags =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, of: handle)
            // Also a failed call may leave a handle (sqlite.org/c3ref/open.html).
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        self.handle = handle
    }

    /// Waits for statements that are still alive, without blocking.
    deinit { sqlite3_close_v2(handle) }

    /// How long an operation waits for another process' lock.
    func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// For what SQLite doesn't wait by itself.
    static func pause(milliseconds: Int32) { _ = sqlite3_sleep(milliseconds) }

    /// So many bytes of the file's start, as the disk has them; zeros where it is shorter. Through SQLite: to
    /// close a descriptor of one's own would drop the locks of others in this process
    /// (sqlite.org/howtocorrupt.html, 2.2).
    func start(_ count: Int) throws(SQLiteError) -> [UInt8] {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else {
            throw error(code)
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) }
        // SQLITE_IOERR_SHORT_READ, a macro that Swift can't see: the file ended, and the rest is zeros.
        guard result == SQLITE_OK || result == SQLITE_IOERR | 2 << 8 else {
            throw SQLiteError(result, message: String(cString: sqlite3_errstr(result)))
        }
        return bytes
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// True inside of ``transaction(_:)``; behind it only when nothing could end it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Moves what the write-ahead log holds into the file and empties the log, unless another connection goes
    /// on reading it for the whole busy timeout.
    func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

    /// Runs statements that have no values and whose rows don't matter.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code) }
        return Statement(statement, of: self)
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int64 {
        var value: Int64 = 0
        try prepare(sql).run { value = $0.integer(0) }
        return value
    }

    /// All of `body` or nothing. The lock for writing is taken first: a reader that becomes a writer late
    /// would not be made to wait but refused (sqlite.org/rescode.html#busy_snapshot).
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have rolled back already; if this one fails too, the first error is the one to
            // tell.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    func error(_ code: Int32) -> SQLiteError { SQLiteError(code, of: handle) }
}
