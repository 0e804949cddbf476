import RestEngine
import RestScript
import SQLiteCache

/// The stores that scripts have opened, by path. They stay open as long as the program runs, so a reload
/// finds them as they were.
@EngineActor
final class DurableStores {
    struct TooMany: Error, CustomStringConvertible {
        var description: String { "\(DurableStores.limit) stores are open, and there may be no more" }
    }

    static let shared = DurableStores()
    /// Each has a queue and a file.
    nonisolated static let limit = 16

    private var open: [String: (values: ScriptStore, file: SQLiteStore)] = [:]

    /// - Parameter log: Told what is wrong with a file later on.
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
        open[settings.path] = (values, file)
        return values
    }

    /// Some script has opened one.
    var isInUse: Bool { !open.isEmpty }

    /// Returns when what is in them is on the disk, or the disk doesn't take it.
    func areWritten() async {
        for (_, file) in open.values {
            await withCheckedContinuation { continuation in file.whenWritten { continuation.resume() } }
        }
    }
}

extension ScriptOptions {
    /// Has stores kept in files.
    mutating func openStoresInFiles() {
        let log = log
        openStore = { try DurableStores.shared.store($0, log: log) }
        storesAreWritten = { if DurableStores.shared.isInUse { await DurableStores.shared.areWritten() } }
    }

    /// Makes no file and changes none, and tells what would be refused.
    mutating func openStoresInMemory() {
        openStore = { settings in
            try SQLiteStore.requireOwn(settings.path)
            return ScriptStore(maxBytes: settings.maxBytes)
        }
        storesAreWritten = nil
    }
}

extension SQLiteCache {
    /// The cache that a script asked for; throws when its file is another's, so that the script's line is
    /// told.
    convenience init(_ settings: SQLiteCacheSettings) throws {
        try Self.requireOwn(settings.path)
        self.init(
            engine: settings.engine, path: settings.path, maxBytes: settings.maxBytes ?? Self.defaultMaxBytes,
            user: settings.user ?? { "" })
    }
}
