/// The tables of the file.
///
/// Contents have a table of their own, because SQLite writes a row anew when any column of it changes: the
/// time of access would cost as much as the content. Triggers keep the sum of sizes, whichever process
/// writes.
enum Schema {
    /// Another number makes older files unreadable; they are moved aside.
    static let version: Int64 = 1
    /// Checks the tables of an open file, or makes them in an empty one.
    static func prepare(_ connection: Connection, path: String) throws {
        if try isInPlace(connection, path) { return }
        guard !connection.isReadOnly else {
            throw SQLiteCacheError(.readOnly, "'\(path)' is empty and can't be written")
        }
        try connection.transaction {
            // Another process may have been first.
            if try isInPlace(connection, path) { return }
            try connection.execute(tables)
            try connection.execute(
                "PRAGMA application_id = \(DatabaseKind.cache.applicationID); PRAGMA user_version = \(version)"
            )
        }
    }

    /// Before anything is changed in it, the way it keeps its log included.
    static func requireOwn(_ connection: Connection, _ kind: DatabaseKind, path: String) throws {
        let id = try connection.integer("PRAGMA application_id")
        if id == kind.applicationID { return }
        let isEmpty =
            try id == 0 && connection.integer("PRAGMA user_version") == 0
            && connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        if isEmpty { return }
        // Another process may have made it between the questions. Its mark comes first, and stays.
        guard try connection.integer("PRAGMA application_id") == kind.applicationID else {
            throw kind.refusal(path, isDatabase: true)
        }
    }

    /// False for an empty database.
    private static func isInPlace(_ connection: Connection, _ path: String) throws -> Bool {
        try requireOwn(connection, .cache, path: path)
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") > 0 else { return false }
        let found = try connection.integer("PRAGMA user_version")
        guard found == version else {
            throw SQLiteError.damage("its tables are of version \(found), not \(version)")
        }
        return true
    }

    private static let tables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, format INTEGER NOT NULL, service TEXT NOT NULL, user TEXT NOT NULL,
            stage TEXT NOT NULL, url TEXT NOT NULL, timestamp REAL NOT NULL, accessed INTEGER NOT NULL,
            size INTEGER NOT NULL, UNIQUE (url, stage, service, user, format));
        CREATE INDEX entry_by_access ON entry (accessed, size);
        CREATE TABLE content (id INTEGER PRIMARY KEY, entity BLOB NOT NULL);
        CREATE TABLE total (id INTEGER PRIMARY KEY, size INTEGER NOT NULL);
        INSERT INTO total VALUES (1, 0);
        CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
            UPDATE total SET size = size + new.size;
        END;
        CREATE TRIGGER entry_changed AFTER UPDATE OF size ON entry BEGIN
            UPDATE total SET size = size + new.size - old.size;
        END;
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
            UPDATE total SET size = size - old.size;
            DELETE FROM content WHERE id = old.id;
        END;
        """
}
