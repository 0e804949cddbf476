import Platform
import RestEngine
import RestScript
import SQLiteCache

/// The stores and caches that scripts have opened, by path. Stores stay open as long as the program runs, so
/// a reload finds them unchanged.
@EngineActor
final class SQLiteFiles {
    struct TooMany: Error, CustomStringConvertible {
        var description: String { "\(SQLiteFiles.limit) stores are open, and there may be no more" }
    }

    static let shared = SQLiteFiles()
    /// The limit of open stores, because each has a queue and a file.
    nonisolated static let limit = 16

    private struct WeakCache {
        weak var cache: SQLiteCache?
    }

    /// The caches that ``finish()`` has to close. They are held at the end, because a cache without a script
    /// would close without being awaited.
    private var kept: [SQLiteCache] = []

    private var caches: [WeakCache] = []
    private var open:
        [String: (values: ScriptStore, file: SQLiteStore, log: @EngineActor (ScriptLogEntry) -> Void)] = [:]

    /// - Parameter log: Gets later errors of the file.
    func store(
        _ settings: DurableStoreSettings, log: @escaping @EngineActor (ScriptLogEntry) -> Void
    ) throws -> ScriptStore {
        if let known = open[settings.path] { return known.values }
        guard open.count < Self.limit else { throw TooMany() }
        let (file, rows) = try SQLiteStore.open(settings.path) { text in
            EngineLoop.shared.submit { log(ScriptLogEntry(level: .warn, text: text)) }
        }
        let items = rows.map { ScriptStore.Item(key: $0.key, value: $0.value, expiresAt: $0.expiresAt) }
        let values = ScriptStore(maxBytes: settings.maxBytes, items: items) { key, value, expiresAt in
            file.record(value, for: key, expiresAt: expiresAt)
        }
        open[settings.path] = (values, file, log)
        return values
    }

    /// A cache for a script. Throws when the file is not a cache, so that the error has the script's line.
    func cache(_ settings: SQLiteCacheSettings) throws -> SQLiteCache {
        let cache = try SQLiteCache(settings)
        caches.removeAll { $0.cache == nil }
        caches.append(WeakCache(cache: cache))
        return cache
    }

    /// Holds the caches until ``finish()``, because the scripts are about to drop them.
    func keepCaches() { kept = caches.compactMap(\.cache) }

    /// True when a script has opened a store or a cache.
    var isInUse: Bool { !open.isEmpty || !caches.isEmpty }

    /// Writes all pending changes, so that each file is complete without its log. False, with an error in the
    /// log, when a store's changes could not be written. The loss of a cache's changes is no error.
    func finish() async -> Bool {
        for cache in caches.compactMap(\.cache) {
            await withCheckedContinuation { continuation in cache.close { continuation.resume() } }
        }
        var isWritten = true
        for (path, store) in open {
            let failure = await withCheckedContinuation { continuation in
                store.file.whenWritten { continuation.resume(returning: $0) }
            }
            guard let failure else { continue }
            isWritten = false
            store.log(
                ScriptLogEntry(
                    level: .error, text: "the last changes of the store '\(path)' are lost: \(failure)"))
        }
        return isWritten
    }
}

extension ScriptOptions {
    /// Keeps stores and caches in files.
    mutating func openStoresInFiles() {
        let log = log
        openStore = { try SQLiteFiles.shared.store($0, log: log) }
        makeSQLiteCache = { try SQLiteFiles.shared.cache($0) }
        sharedMemory = .redis(log: log)
        finishFiles = { SQLiteFiles.shared.isInUse ? await SQLiteFiles.shared.finish() : true }
    }

    /// Makes and changes no files, and only reports errors of paths.
    ///
    /// - Parameter isReading: True to begin with the values of files that are there.
    mutating func openStoresInMemory(readingFiles isReading: Bool = false) {
        openStore = { settings in
            try SQLiteStore.requireOwn(settings.path)
            guard isReading, access(settings.path, R_OK) == 0 else {
                return ScriptStore(maxBytes: settings.maxBytes)
            }
            let items = try SQLiteStore.open(settings.path) { _ in }.rows.map {
                ScriptStore.Item(key: $0.key, value: $0.value, expiresAt: $0.expiresAt)
            }
            return ScriptStore(maxBytes: settings.maxBytes, items: items)
        }
        finishFiles = nil
        sharedMemory = sharedMemory?.inMemory
    }
}

extension SQLiteCache {
    convenience init(_ settings: SQLiteCacheSettings) throws {
        try Self.requireOwn(settings.path)
        self.init(
            engine: settings.engine, path: settings.path, maxBytes: settings.maxBytes ?? Self.defaultMaxBytes,
            user: settings.user ?? { "" })
    }
}
