import RestScript
import SQLiteCache

extension SQLiteCache {
    /// The cache that a script asked for.
    convenience init(_ settings: SQLiteCacheSettings) {
        self.init(
            engine: settings.engine, path: settings.path, maxBytes: settings.maxBytes ?? Self.defaultMaxBytes,
            user: settings.user ?? { "" })
    }
}
