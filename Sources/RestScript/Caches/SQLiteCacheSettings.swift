public import RestEngine

/// What a script asks for with `rest.cache.sqlite{ … }`.
public struct SQLiteCacheSettings: Sendable {
    /// The engine whose resources the cache is for; what the cache does on another thread is counted there.
    public let engine: Engine
    /// Of the file: absolute, or relative to the current folder. The script's own folder is in it already.
    public let path: String
    /// Nil: the cache's own default.
    public let maxBytes: Int?
    /// Whose entities those are that are read and written now, asked anew for each key; nil when the script keeps no
    /// users apart. A user of nil is nobody, for whom nothing should be kept. It throws what the script raised.
    public let user: (@EngineActor () throws -> String?)?

    public init(
        engine: Engine, path: String, maxBytes: Int? = nil, user: (@EngineActor () throws -> String?)? = nil
    ) {
        self.engine = engine
        self.path = path
        self.maxBytes = maxBytes
        self.user = user
    }
}
