import RestScript
import SQLiteCache

extension SQLiteCache {
    /// The cache that a script asked for; throws when its file is another's, so that the script's line is told.
    convenience init(_ settings: SQLiteCacheSettings) throws {
        try Self.requireOwn(settings.path)
        self.init(
            engine: settings.engine, path: settings.path, maxBytes: settings.maxBytes ?? Self.defaultMaxBytes,
            user: settings.user ?? { "" })
    }
}
