extension EntityDatabase {
    /// Opens the file, or makes it; its folder must exist.
    static func open(_ file: DatabaseFile, _ settings: EntityStore.Settings) throws -> EntityDatabase {
        let old = file.identity
        try file.requireOwn(.cache)
        let connection = try Connection(file.name, .readWrite)
        if old == nil { file.makePrivate() }
        connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
        try Schema.requireOwn(connection, .cache, path: file.path)
        if !connection.isReadOnly {
            // With the log, readers and a writer don't wait for each other, and a crash of the process loses nothing;
            // one of the machine may lose the last entries, but not the file (sqlite.org/pragma.html#pragma_synchronous).
            try connection.markAndLog(.cache, busyTimeoutMilliseconds: settings.busyTimeoutMilliseconds)
            try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF")
        }
        return try prepare(connection, file)
    }

    /// Opens a file beside which the log's own files can't be made, to read it as it is. Nil when that isn't all there
    /// is to read. Not to be kept: it relies on nobody else writing meanwhile.
    static func openAsIs(_ file: DatabaseFile) -> EntityDatabase? {
        guard file.identity != nil, !file.hasLog else { return nil }
        return try? prepare(Connection(file.immutableURI, .immutable), file)
    }

    private static func prepare(_ connection: Connection, _ file: DatabaseFile) throws -> EntityDatabase {
        try Schema.prepare(connection, path: file.path)
        return try EntityDatabase(connection)
    }
}
