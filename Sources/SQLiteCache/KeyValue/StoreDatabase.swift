import RestEngine

/// The file of a ``SQLiteStore``, open. Everything blocks.
final class StoreDatabase {
    struct Change: Sendable {
        /// The new value; nil when the key goes.
        var value: Tree?
        var expiresAt: Double?
    }

    private static let version: Int64 = 1
    private static let busyTimeoutMilliseconds: Int32 = 1000

    private let connection: Connection
    private let put: Statement
    private let remove: Statement
    private let all: Statement

    init(_ file: DatabaseFile) throws {
        let isNew = file.identity == nil
        try file.requireOwn(.store)
        connection = try Connection(file.name, .readWrite)
        if isNew { file.makePrivate() }
        connection.setBusyTimeout(milliseconds: Self.busyTimeoutMilliseconds)
        try Schema.requireOwn(connection, .store, path: file.path)
        try connection.markAndLog(.store, busyTimeoutMilliseconds: Self.busyTimeoutMilliseconds)
        // A commit is on the disk when it returns: what is kept here was not to be had elsewhere.
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.transaction { [connection] in
            if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
                try connection.execute(
                    "CREATE TABLE value (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, expires REAL) WITHOUT ROWID; "
                        + "PRAGMA user_version = \(Self.version)")
            }
        }
        let found = try connection.integer("PRAGMA user_version")
        guard found == Self.version else {
            throw SQLiteCacheError(
                .unavailable,
                "'\(file.path)' is a store of version \(found), and this program knows version \(Self.version)"
            )
        }
        put = try connection.prepare("INSERT OR REPLACE INTO value (key, value, expires) VALUES (?, ?, ?)")
        remove = try connection.prepare("DELETE FROM value WHERE key = ?")
        all = try connection.prepare("SELECT key, value, expires FROM value")
    }

    /// Values that can't be read are left out: another version wrote them, or a faulty disk.
    func rows() throws -> [SQLiteStore.Row] {
        var rows: [SQLiteStore.Row] = []
        try all.run { row in
            guard case .value(let value)? = EntityCoding.decode(row.blob(1))?.content else { return }
            rows.append(
                SQLiteStore.Row(
                    key: row.text(0), value: value, expiresAt: row.isNull(2) ? nil : row.real(2)))
        }
        return rows
    }

    func checkpoint() { connection.checkpoint() }

    /// All of them or none.
    func write(_ changes: [String: Change]) throws {
        try connection.transaction {
            for (key, change) in changes {
                guard let value = change.value else {
                    try remove.run([.text(key)])
                    continue
                }
                let bytes = try EntityCoding.encode(Entity(content: .value(value), timestamp: 0))
                try put.run([.text(key), .blob(bytes), change.expiresAt.map { .real($0) } ?? .null])
            }
        }
    }
}
