import Platform
import RestEngine

/// The cache's file in its folder, without what is in it.
struct DatabaseFile: Sendable {
    /// Damaged files that are kept, newest first: `name.damaged-1` to `name.damaged-3`.
    static let keptDamaged = 3

    /// The path as it was given, for messages.
    let path: String

    /// As SQLite gets it: beginning with a slash or a dot, no path is a URI or `:memory:` to it.
    var name: String { path.hasPrefix("/") ? path : "./\(path)" }

    /// Tells a file from another one that took its name.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        /// Not a folder, a device or the like.
        let isFile: Bool
    }

    /// Nil when there is nothing at the path.
    var identity: Identity? {
        var status = stat()
        guard stat(name, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino),
            isFile: status.st_mode & S_IFMT == S_IFREG)
    }

    /// Responses are for the owner only. SQLite gives its other files the same rights.
    func makePrivate() { chmod(name, S_IRUSR | S_IWUSR) }

    /// True when there is more than the file itself holds.
    var hasLog: Bool {
        var status = stat()
        return stat(name + "-wal", &status) == 0 && status.st_size > 0
    }

    /// The file as a URI that promises that it does not change.
    var immutableURI: String {
        "file:" + PercentEncoding.path(name) + "?immutable=1"
    }

    // MARK: Damage

    /// Gives a damaged file of ours another name. Nil when another process did that before and a new file has
    /// its place.
    func moveAside(_ damaged: Identity?, _ kind: DatabaseKind) throws(SQLiteCacheError) -> String? {
        // One process at a time: the second would move the first one's new file. Not a lock of the file
        // itself, because closing that descriptor would drop SQLite's locks (sqlite.org/howtocorrupt.html,
        // 2.2).
        let folder = open(folderName, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        if folder >= 0 { while flock(folder, LOCK_EX) != 0, errno == EINTR {} }
        guard let damaged, identity == damaged else { return nil }
        guard isKnown(as: kind) else { throw kind.refusal(path, isDatabase: false) }
        for number in 1...Self.keptDamaged {
            let old = DatabaseFile(path: damagedName(number))
            guard old.identity == nil || old.isKnown(as: kind) else {
                throw SQLiteCacheError(
                    .unavailable,
                    "'\(path)' is damaged and can't be moved aside: '\(old.path)' is a file of another kind; delete '\(path)'"
                )
            }
        }
        for number in (1..<Self.keptDamaged).reversed() { move(damagedName(number), damagedName(number + 1)) }
        guard move(name, damagedName(1)) else {
            let reason = String(cString: strerror(errno))
            throw SQLiteCacheError(
                .unavailable, "'\(path)' is damaged and can't be moved aside: \(reason); delete it")
        }
        return "\(path).damaged-1"
    }

    private func damagedName(_ number: Int) -> String { "\(name).damaged-\(number)" }

    private var folderName: String {
        guard let slash = name.lastIndex(of: "/"), slash != name.startIndex else { return "/" }
        return String(name[..<slash])
    }

    /// The side files first: SQLite would play a log that it finds back into a file that has nothing to do
    /// with it.
    @discardableResult
    private func move(_ from: String, _ to: String) -> Bool {
        for ending in ["-journal", "-wal", "-shm"] {
            if rename(from + ending, to + ending) != 0 { unlink(to + ending) }
        }
        return rename(from, to) == 0
    }
}
