import Platform

/// Checks of whose file it is. A file that isn't ours is neither changed nor moved.
extension DatabaseFile {
    /// Throws for a file that has content and isn't known as one of `kind`; and, where there is no file yet,
    /// for one in the place of a side file, which SQLite would take for its own.
    func requireOwn(_ kind: DatabaseKind) throws {
        guard let identity else { return try requireFreeAttachments(kind) }
        guard identity.isFile else {
            throw SQLiteCacheError(
                .unavailable, "'\(path)' is a folder, or no file for another reason; give the name of a file")
        }
        guard byteCount > 0 else { return try requireFreeAttachments(kind) }
        var timeout = 3
        while true {
            let header = try self.header()
            // One that was begun by an older program may have its mark in the log alone; ``Schema`` looks
            // again.
            if header.isDatabase,
                header.applicationID == kind.applicationID || header.isNew && byteCount >= 512
            {
                return
            }
            // Another process may be writing the first page just now.
            timeout -= 1
            guard timeout == 0 else {
                Connection.pause(milliseconds: 5)
                continue
            }
            throw kind.refusal(path, isDatabase: header.isDatabase)
        }
    }

    /// The file was made as one of `kind`, though it may have changed since.
    func isKnown(as kind: DatabaseKind) -> Bool {
        guard identity?.isFile == true, let header = try? header() else { return false }
        return header.isDatabase && header.applicationID == kind.applicationID
    }

    /// The first bytes (sqlite.org/fileformat.html, 1.3).
    private struct Header {
        let bytes: [UInt8]

        var isDatabase: Bool { bytes.starts(with: Array("SQLite format 3\0".utf8)) }
        var applicationID: Int64 { number(at: 68) }
        /// One page without a mark or a version.
        var isNew: Bool { applicationID == 0 && number(at: 60) == 0 && number(at: 28) <= 1 }

        private func number(at place: Int) -> Int64 {
            bytes[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    private func header() throws -> Header {
        do throws(SQLiteError) {
            return Header(bytes: try Connection(immutableURI, .immutable).start(100))
        } catch {
            throw SQLiteCacheError(error, path: path)
        }
    }

    private var byteCount: Int {
        var status = stat()
        return stat(name, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Files that SQLite may have left there when its file was deleted are known by their first bytes, or by
    /// their size.
    private func requireFreeAttachments(_ kind: DatabaseKind) throws(SQLiteCacheError) {
        for (sideFile, starts) in [
            ("-wal", [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]),
            ("-journal", [[0xD9, 0xD5, 0x05, 0xF9], [0, 0, 0, 0]]), ("-shm", []),
        ] as [(String, [[UInt8]])] {
            var status = stat()
            guard lstat(name + sideFile, &status) == 0, status.st_size > 0 else { continue }
            let isOwn =
                status.st_mode & S_IFMT == S_IFREG
                && (starts.isEmpty ? status.st_size % 32768 == 0 : starts.contains(start(name + sideFile)))
            guard isOwn else {
                throw SQLiteCacheError(
                    .unavailable,
                    "'\(path)\(sideFile)', which SQLite would use beside it, is a file of another kind; "
                        + "give the \(kind.name) another name")
            }
        }
    }

    /// Four bytes. SQLite takes no locks on the files of which this is asked.
    private func start(_ file: String) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4)
        return read(descriptor, &bytes, 4) == 4 ? bytes : []
    }
}

extension Connection {
    /// Sets the mark in a new file, and has changes kept in a log.
    ///
    /// Two that make a new file at the same time find it locked at once, without the busy timeout: SQLite
    /// begins to write here while it reads, so a wait could last for ever.
    func markAndLog(_ kind: DatabaseKind, busyTimeoutMilliseconds: Int32) throws {
        let begin = ContinuousClock.now
        let timeout = Duration.milliseconds(Int64(busyTimeoutMilliseconds))
        while true {
            do {
                // The mark comes first, and in the file itself: it shows whose the file is even if the log is
                // lost.
                if try integer("PRAGMA application_id") == 0 {
                    try execute("PRAGMA application_id = \(kind.applicationID)")
                }
                return try execute("PRAGMA journal_mode = WAL")
            } catch let error as SQLiteError {
                guard error.kind == .busy, begin.duration(to: .now) < timeout else { throw error }
                Connection.pause(milliseconds: 5)
            }
        }
    }
}

/// The purpose of a database. The mark in its file tells it from those of other programs.
struct DatabaseKind {
    /// Its name in messages.
    let name: String
    let applicationID: Int64

    /// The mark reads "rest".
    static let cache = DatabaseKind(name: "cache", applicationID: 0x7265_7374)
    /// The mark reads "rsto".
    static let store = DatabaseKind(name: "store", applicationID: 0x7273_746F)

    func refusal(_ path: String, isDatabase: Bool) -> SQLiteCacheError {
        SQLiteCacheError(
            .unavailable,
            isDatabase
                ? "'\(path)' is the database of another program; give the \(name) a file of its own"
                : "'\(path)' is not a \(name) of this program, and stays as it is; give the \(name) a file of its own, or "
                    + "delete this one")
    }
}
