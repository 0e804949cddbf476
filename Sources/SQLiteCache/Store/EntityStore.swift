import RestEngine

/// The entities in one file. Opens the file when it is first needed, replaces it when it is damaged, keeps to
/// the limit of bytes. Everything blocks, and belongs to the cache queue.
final class EntityStore {
    struct Settings: Sendable {
        var path: String
        /// Of all entries; the file is somewhat larger.
        var maxBytes: Int
        /// Less than the engine waits for a cache, so that it learns the reason.
        var busyTimeoutMilliseconds: Int32 = 3000
        /// Reads are noted in memory, and written when there are so many, or with something else.
        var maxNotedReads = 256
    }

    private let settings: Settings
    private let file: DatabaseFile
    private let log: (EngineLog.Category, String) -> Void
    private(set) var database: EntityDatabase?
    private var identity: DatabaseFile.Identity?
    /// Entries that were read, least recently read first, but for repetitions.
    private var reads: [Int64] = []

    init(_ settings: Settings, log: @escaping (EngineLog.Category, String) -> Void) {
        self.settings = settings
        self.log = log
        file = DatabaseFile(path: settings.path)
    }

    // MARK: Operations

    func read(_ key: EntryKey) throws -> Entity? {
        do { return try withDatabase { try read(key, from: $0) } } catch {
            // Opening may need something that is missing, room on the disk for instance. Reading the file as
            // it is does not.
            guard database == nil, let asIs = EntityDatabase.openAsIs(file) else { throw error }
            do { return try read(key, from: asIs) } catch is SQLiteError { throw error }
        }
    }

    private func read(_ key: EntryKey, from database: EntityDatabase) throws -> Entity? {
        guard let entry = try database.entry(key) else { return nil }
        guard var entity = EntityCoding.decode(entry.bytes) else {
            // No other process can read it either. If it can't be removed, it will be found useless again.
            try? database.remove(id: entry.id)
            log(.cache, "an entity in '\(settings.path)' could not be read and is removed: \(key.url)")
            return nil
        }
        entity.timestamp = entry.timestamp
        if reads.last != entry.id { reads.append(entry.id) }
        return entity
    }

    /// Runs operations in their order, each wholly or not at all. Several go in one transaction while all
    /// goes well.
    func run(_ operations: [Operation]) -> [Result<Entity?, any Error>] {
        do {
            return try runTogether(operations)
        } catch {
            guard operations.count > 1, let error = error as? SQLiteCacheError, error.code.dependsOnSize
            else {
                return operations.map { _ in .failure(error) }
            }
            return operations.flatMap { run([$0]) }
        }
    }

    private func runTogether(_ operations: [Operation]) throws -> [Result<Entity?, any Error>] {
        try withDatabase { database in
            try database.connection.transaction {
                try writeReads(to: database)
                var access = try database.lastAccessNumber()
                let results = try operations.map { operation in
                    access += 1
                    return try run(operation, on: database, access: access)
                }
                if try database.size() > settings.maxBytes {
                    try database.shrink(to: settings.maxBytes / 10 * 9)
                }
                return results
            }
        }
    }

    /// Throws errors of the file, and returns those of this operation alone.
    private func run(
        _ operation: Operation, on database: EntityDatabase, access: Int64
    ) throws -> Result<Entity?, any Error> {
        let key = operation.key
        switch operation.action {
        case .read: return .success(try read(key, from: database))
        case .updateTimestamp(let timestamp):
            guard timestamp.isFinite else { return .failure(EntityCodingError.badTimestamp) }
            try database.setTimestamp(timestamp, key)
        case .remove: try database.remove(key)
        case .removeAll(let matches):
            try database.removeAll(of: key.service) { place in
                let parts = EntryKey.parts(of: place)
                return matches(parts.partition, parts.url)
            }
        case .write(let entity):
            let bytes: [UInt8]
            do throws(EntityCodingError) { bytes = try EntityCoding.encode(entity) } catch {
                // The key's old entry is no longer true.
                try database.remove(key)
                return .failure(error)
            }
            try write(bytes, key, timestamp: entity.timestamp, access: access, to: database)
        }
        return .success(nil)
    }

    /// An entity that is larger than the whole cache may be is not kept, and neither is what it replaces.
    private func write(
        _ bytes: [UInt8], _ key: EntryKey, timestamp: Double, access: Int64, to database: EntityDatabase
    ) throws {
        let size = EntityDatabase.size(of: bytes, key)
        if size <= settings.maxBytes {
            return try database.write(bytes, key, timestamp: timestamp, accessed: access)
        }
        try database.remove(key)
        log(
            .cache,
            "not kept in '\(settings.path)', which may have \(settings.maxBytes) bytes: \(size) of \(key.url)"
        )
    }

    // MARK: Reads

    /// Writes which entries were read, once there are many. A failure to write them is ignored.
    func writeReadsIfMany() {
        if reads.count >= settings.maxNotedReads { writeReads() }
    }

    private func writeReads() {
        try? withDatabase { database in
            guard !database.connection.isReadOnly else { return reads = [] }
            try database.connection.transaction { try writeReads(to: database) }
        }
        reads = []
    }

    private func writeReads(to database: EntityDatabase) throws {
        guard !reads.isEmpty else { return }
        var access = try database.lastAccessNumber()
        for id in reads {
            access += 1
            try database.setAccess(access, id: id)
        }
        reads = []
    }

    // MARK: The file

    /// Writes what is left to write. The next operation opens the file again.
    func close() {
        guard let database else { return }
        if !reads.isEmpty { writeReads() }
        database.connection.checkpoint()
        self.database = nil
    }

    /// Runs `body`; when the file proves damaged, once more on a new one.
    private func withDatabase<Result>(_ body: (EntityDatabase) throws -> Result) throws -> Result {
        do {
            do {
                return try body(try openDatabase())
            } catch let error as SQLiteError where error.kind == .damage {
                try replaceFile(because: error)
                return try body(try openDatabase())
            }
        } catch let error as SQLiteError {
            throw SQLiteCacheError(error, path: settings.path)
        }
    }

    private func openDatabase() throws -> EntityDatabase {
        if let database {
            // The file may have been deleted or moved aside; writes to it would then be lost.
            if file.identity == identity, !database.connection.isInTransaction { return database }
            self.database = nil
        }
        reads = []
        identity = file.identity
        let database = try EntityDatabase.open(file, settings)
        identity = file.identity
        self.database = database
        return database
    }

    private func replaceFile(because error: SQLiteError) throws {
        database = nil
        guard let name = try file.moveAside(identity, .cache) else { return }
        log(
            .warning,
            "the cache '\(settings.path)' is damaged (\(error.message)); it is now '\(name)', and a new one begins"
        )
    }
}
