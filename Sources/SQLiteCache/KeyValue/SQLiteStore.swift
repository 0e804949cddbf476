import Dispatch
public import RestEngine
import Synchronization

/// Keeps values by key in an SQLite file, which is written behind the changes: no caller waits for the disk.
///
/// One transaction writes all changes up to a moment, so the file always holds the state of some moment,
/// never a part of it. A change is on the disk as soon as the disk takes it, mostly within milliseconds; if
/// the machine or the process ends before, it is lost. Waiting changes hold one value for each key.
///
/// Changes that the disk doesn't take stay in line and are tried again every five seconds. A file of another
/// kind, or a damaged one, is refused and stays as it is.
public final class SQLiteStore: Sendable {
    /// An entry of the file.
    public struct Row: Sendable {
        /// The key, as text.
        public let key: String
        /// The value; any tree.
        public let value: Tree
        /// When it expires, in Unix seconds; nil for never.
        public let expiresAt: Double?
    }

    private struct Line {
        var changes: [String: StoreDatabase.Change] = [:]
        var isAtWork = false
        /// The last attempt failed, which was logged.
        var hasFailed = false
        /// Another attempt will come.
        var awaitsTimer = false
        var waiters: [@Sendable (String?) -> Void] = []
    }

    private static let timeout = DispatchTimeInterval.seconds(5)

    private let line = Mutex(Line())
    private let queue: DispatchQueue
    private let path: String
    private let database: DatabaseBox
    private let log: @Sendable (String) -> Void

    /// Opens the file, or makes it, and reads all that is in it, which blocks. Its folder must exist.
    ///
    /// - Parameters:
    ///   - log: Called when writing fails, and when it succeeds again, on any thread.
    ///   - rows: The entries of the file.
    public static func open(
        _ path: String, log: @escaping @Sendable (String) -> Void
    ) throws -> (store: SQLiteStore, rows: [Row]) {
        let file = DatabaseFile(path: path)
        do {
            let database = try StoreDatabase(file)
            let rows = try database.rows()
            return (SQLiteStore(path, database, log), rows)
        } catch let error as SQLiteError {
            guard error.kind == .damage else { throw SQLiteCacheError(error, path: path) }
            throw SQLiteCacheError(
                .unavailable,
                "'\(path)' is damaged, and stays as it is: \(error); move it away to begin a new store")
        }
    }

    /// Throws when the file at `path` is none of a store, as ``open(_:log:)`` does. Reads its first bytes.
    public static func requireOwn(_ path: String) throws { try DatabaseFile(path: path).requireOwn(.store) }

    private init(_ path: String, _ database: StoreDatabase, _ log: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.log = log
        self.database = DatabaseBox(database)
        queue = DispatchQueue(label: "store queue")
    }

    // MARK: Any thread

    /// Has a value written; nil: the key removed.
    public func record(_ value: Tree?, for key: String, expiresAt: Double? = nil) {
        let mustStart = line.withLock { line in
            line.changes[key] = StoreDatabase.Change(value: value, expiresAt: expiresAt)
            // While the disk takes nothing, the next attempt comes by itself.
            guard !line.isAtWork, !line.hasFailed else { return false }
            line.isAtWork = true
            return true
        }
        if mustStart { queue.async { self.work() } }
    }

    /// Calls `done`, on the store's queue: with nil when what was recorded so far is in the file, with the
    /// reason when the disk didn't take it.
    public func whenWritten(_ done: @escaping @Sendable (_ failure: String?) -> Void) {
        let mustStart = line.withLock { line in
            line.waiters.append(done)
            defer { line.isAtWork = true }
            return !line.isAtWork
        }
        if mustStart { queue.async { self.work() } }
    }

    // MARK: The queue

    private func work() {
        while let changes = take() {
            do {
                try database.write(changes)
                succeed()
            } catch { return fail(error, changes) }
        }
    }

    /// Nil when nothing is left, and then no work is under way.
    private func take() -> [String: StoreDatabase.Change]? {
        var waiters: [@Sendable (String?) -> Void] = []
        let changes = line.withLock { line in
            let changes = line.changes
            line.changes = [:]
            if changes.isEmpty {
                line.isAtWork = false
                swap(&waiters, &line.waiters)
            }
            return changes
        }
        if !waiters.isEmpty { database.checkpoint() }
        for done in waiters { done(nil) }
        return changes.isEmpty ? nil : changes
    }

    private func succeed() {
        let wasFailing = line.withLock { line in
            defer { line.hasFailed = false }
            return line.hasFailed
        }
        if wasFailing { log("the store '\(path)' is written again, with all that had waited") }
    }

    /// Puts the changes back in line; those that came meanwhile are newer.
    private func fail(_ error: any Error, _ changes: [String: StoreDatabase.Change]) {
        let (isNews, needsTimer, waiters) = line.withLock { line in
            line.changes.merge(changes) { newer, _ in newer }
            line.isAtWork = false
            defer {
                line.hasFailed = true
                line.awaitsTimer = true
                line.waiters = []
            }
            return (!line.hasFailed, !line.awaitsTimer, line.waiters)
        }
        let reason = (error as? SQLiteError).map { "\(SQLiteCacheError($0, path: path))" } ?? "\(error)"
        if isNews {
            log("the store can't be written, and is kept in memory until it can: \(reason)")
        }
        for done in waiters { done(reason) }
        guard needsTimer else { return }
        queue.asyncAfter(deadline: .now() + Self.timeout) { [weak self] in self?.tryAgain() }
    }

    private func tryAgain() {
        let mustStart = line.withLock { line in
            line.awaitsTimer = false
            guard !line.changes.isEmpty, !line.isAtWork else { return false }
            line.isAtWork = true
            return true
        }
        if mustStart { work() }
    }
}

/// The database, which is touched on the store's queue alone.
private final class DatabaseBox: @unchecked Sendable {
    private let database: StoreDatabase

    init(_ database: StoreDatabase) { self.database = database }

    func write(_ changes: [String: StoreDatabase.Change]) throws { try database.write(changes) }

    func checkpoint() { database.checkpoint() }
}
