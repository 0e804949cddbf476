import RestEngine

/// An open file with tables: what can be done to entries, as bytes. Its owner holds it on the cache queue.
final class EntityDatabase {
    struct Entry {
        var id: Int64
        var timestamp: Double
        /// Empty when the content is missing, which only damage can bring about.
        var bytes: [UInt8]
    }

    let connection: Connection

    private let find: Statement
    private let put: Statement
    private let putContent: Statement
    private let stamp: Statement
    private let removeByKey: Statement
    private let removeByID: Statement
    private let places: Statement
    private let touch: Statement
    private let lastAccess: Statement
    private let total: Statement
    private let sizes: Statement
    private let evict: Statement

    /// - Parameter connection: To a file that ``Schema/prepare(_:path:)`` has seen.
    init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let isKey = "url = ? AND stage = ? AND service = ? AND user = ? AND format = ?"
        find = try connection.prepare(
            "SELECT entry.id, timestamp, entity FROM entry LEFT JOIN content ON content.id = entry.id "
                + "WHERE \(isKey)")
        put = try connection.prepare(
            "INSERT INTO entry (url, stage, service, user, format, timestamp, accessed, size) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (url, stage, service, user, format) DO UPDATE "
                + "SET timestamp = excluded.timestamp, accessed = excluded.accessed, size = excluded.size "
                + "RETURNING id")
        putContent = try connection.prepare("INSERT OR REPLACE INTO content (id, entity) VALUES (?, ?)")
        stamp = try connection.prepare("UPDATE entry SET timestamp = ? WHERE \(isKey)")
        removeByKey = try connection.prepare("DELETE FROM entry WHERE \(isKey)")
        removeByID = try connection.prepare("DELETE FROM entry WHERE id = ?")
        places = try connection.prepare("SELECT id, url FROM entry WHERE service = ? AND format = ?")
        touch = try connection.prepare("UPDATE entry SET accessed = ? WHERE id = ?")
        lastAccess = try connection.prepare("SELECT max(accessed) FROM entry")
        total = try connection.prepare("SELECT size FROM total")
        sizes = try connection.prepare("SELECT accessed, size FROM entry ORDER BY accessed, size")
        evict = try connection.prepare("DELETE FROM entry WHERE accessed <= ?")
    }

    private static func values(_ key: EntryKey) -> [Statement.Value] {
        [
            .text(key.url), .text(key.stage), .text(key.service), .text(key.user),
            .integer(Int64(EntityCoding.version)),
        ]
    }

    func entry(_ key: EntryKey) throws -> Entry? {
        var entry: Entry?
        try find.run(Self.values(key)) {
            entry = Entry(id: $0.integer(0), timestamp: $0.real(1), bytes: $0.blob(2))
        }
        return entry
    }

    func write(_ bytes: [UInt8], _ key: EntryKey, timestamp: Double, accessed: Int64) throws {
        var id: Int64 = 0
        let size = Self.size(of: bytes, key)
        try put.run(
            Self.values(key) + [.real(timestamp), .integer(accessed), .integer(Int64(size))]
        ) { id = $0.integer(0) }
        try putContent.run([.integer(id), .blob(bytes)])
    }

    func setTimestamp(_ timestamp: Double, _ key: EntryKey) throws {
        try stamp.run([.real(timestamp)] + Self.values(key))
    }

    func remove(_ key: EntryKey) throws { try removeByKey.run(Self.values(key)) }

    func remove(id: Int64) throws { try removeByID.run([.integer(id)]) }

    /// Removes the entries of a service whose place matches.
    func removeAll(of service: String, where matches: (String) -> Bool) throws {
        var found: [Int64] = []
        try places.run([.text(service), .integer(Int64(EntityCoding.version))]) {
            if matches($0.text(1)) { found.append($0.integer(0)) }
        }
        for id in found { try remove(id: id) }
    }

    // MARK: Size

    /// The size of an entry against the limit: its bytes, and roughly those that the tables add.
    static func size(of bytes: [UInt8], _ key: EntryKey) -> Int { bytes.count + key.byteCount + 100 }

    /// Bytes of all entries.
    func size() throws -> Int {
        var size: Int?
        try total.run { size = Int(clamping: $0.integer(0)) }
        guard let size else { throw SQLiteError.damage("it has lost the sum of its sizes") }
        return size
    }

    /// The number of the last access. Accesses are counted, not timed: clocks jump.
    func lastAccessNumber() throws -> Int64 {
        var last: Int64 = 0
        try lastAccess.run { last = $0.integer(0) }
        return last
    }

    func setAccess(_ number: Int64, id: Int64) throws { try touch.run([.integer(number), .integer(id)]) }

    /// Removes the entries whose last access is longest ago until the rest has at most `limit` bytes. The
    /// newest stays.
    func shrink(to limit: Int) throws {
        var excess = try size() - limit
        guard excess > 0 else { return }
        let newest = try lastAccessNumber()
        var boundary: Int64?
        try sizes.scan { row in
            // Two processes may have counted the same number.
            guard excess > 0 || row.integer(0) == boundary, row.integer(0) < newest else { return false }
            boundary = row.integer(0)
            excess -= Int(clamping: row.integer(1))
            return true
        }
        if let boundary { try evict.run([.integer(boundary)]) }
    }
}

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
            // With the log, readers and a writer don't wait for each other, and a crash of the process loses
            // nothing; one of the machine may lose the last entries, but not the file
            // (sqlite.org/pragma.html#pragma_synchronous).
            try connection.markAndLog(.cache, busyTimeoutMilliseconds: settings.busyTimeoutMilliseconds)
            try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF")
        }
        return try prepare(connection, file)
    }

    /// Opens a file beside which the log's own files can't be made, to read it as it is. Nil when the log has
    /// more to read. Not to be kept: it relies on no writes meanwhile.
    static func openAsIs(_ file: DatabaseFile) -> EntityDatabase? {
        guard file.identity != nil, !file.hasLog else { return nil }
        return try? prepare(Connection(file.immutableURI, .immutable), file)
    }

    private static func prepare(_ connection: Connection, _ file: DatabaseFile) throws -> EntityDatabase {
        try Schema.prepare(connection, path: file.path)
        return try EntityDatabase(connection)
    }
}
