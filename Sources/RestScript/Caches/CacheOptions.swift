import LuaRuntime
import Platform

/// The options of `rest.cache.memory`.
struct CacheSizeOptions {
    /// Nil means the cache's own default.
    var maxBytes: Int?

    static let fields: [ScriptOption<CacheSizeOptions>] = [
        .count(
            "max_bytes", from: 1, "Size of all that it holds; without it 16 MiB in memory, 256 MiB in a file."
        ) {
            $0.maxBytes = $1
        }.taking(unit: "bytes")
    ]

    static let schema = ScriptSchema<CacheSizeOptions>(fields)
}

/// The options of `rest.cache.custom`.
struct CustomCacheOptions {
    var key: LuaReference?
    var read: LuaReference?
    var write: LuaReference?
    var remove: LuaReference?
    var updateTimestamp: LuaReference?
    var separatesPartitions = false

    static let schema = ScriptSchema<CustomCacheOptions>([
        function(
            "key", "function(resource, stage) -> any",
            "Returns the key, any value, for the other functions; nil keeps the resource out of the cache."
        ) { $0.key = $1 }.required(),
        function("read", "function(key) -> entity?", "Gives the entity, or nil.") { $0.read = $1 }.required(),
        function("write", "function(key, entity)", "Keeps the entity.") { $0.write = $1 }.required(),
        function("remove", "function(key)", "Forgets it.") { $0.remove = $1 }.required(),
        function(
            "update_timestamp", "function(key, timestamp)",
            "Sets the entity's time; by default the entity is read, changed and written."
        ) { $0.updateTimestamp = $1 },
        .flag(
            "partitions", default: "false",
            "True if `key` depends on `resource.partition`. Without it, resources with a partition are not kept."
        ) { $0.separatesPartitions = $1 },
    ])

    private static func function(
        _ name: String, _ type: String, _ sentence: String,
        _ store: @escaping @Sendable (inout CustomCacheOptions, LuaReference) -> Void
    ) -> ScriptOption<CustomCacheOptions> {
        ScriptOption<CustomCacheOptions>(name, type: type, sentence) { options, given, _ in
            if let function = try options.function(name) { store(&given, function) }
        }
    }
}

/// The option `user` of caches outside of the process.
enum CacheUser {
    case name(String)
    case function(LuaReference)

    static func option<Target>(
        _ store: @escaping @Sendable (inout Target, CacheUser) -> Void
    ) -> ScriptOption<Target> {
        ScriptOption<Target>(
            "user", type: "string | function() -> string?",
            "The user whose entities these are. A function is called for each key, and may not wait."
        ) { options, given, _ in
            guard let place = options.value("user") else { return }
            defer { options.lua.pop() }
            if let text = options.lua.string(place) { return store(&given, .name(text)) }
            guard options.lua.type(place) == .function else {
                throw LuaUsageError(
                    "option 'user' is a text or a function that returns one, not a \(options.lua.typeName(place))"
                )
            }
            store(&given, .function(options.lua.reference(place)))
        }
    }
}

/// The options of `rest.cache.sqlite`.
struct SQLiteCacheOptions {
    var path: String?
    var size = CacheSizeOptions()
    var user: CacheUser?

    private static let path = ScriptOption<SQLiteCacheOptions>.text(
        "path", "The path of its file, relative to the script's folder."
    ) { $0.path = $1 }.requiredAtEnd()

    private static let ofSize = CacheSizeOptions.fields.map {
        (field: ScriptOption<CacheSizeOptions>) -> ScriptOption<SQLiteCacheOptions> in
        field.within { try $1(&$0.size) }
    }

    static let schema = ScriptSchema<SQLiteCacheOptions>(
        [path] + ofSize + [CacheUser.option { $0.user = $1 }])
}

/// The options of `rest.cache.redis`.
struct RedisCacheOptions {
    var url: String?
    var settings = RedisCacheSettings()
    var user: CacheUser?

    /// Of one entry. It is decoded in one go.
    static let mostEntryBytes = 32 << 20

    static let schema = ScriptSchema<RedisCacheOptions>([
        .text("url", .path, "A server other than that of `rest.shared`, in the same forms.") { $0.url = $1 },
        .seconds(
            "ttl", .between(1, 31_536_000), default: "86400",
            "Time for which an entry is kept after its last write or confirmation. It bounds the server's memory; the "
                + "age of data has its own limits."
        ) { $0.settings.lifetime = $1 },
        .count(
            "max_entry_bytes", from: 1, to: mostEntryBytes, default: "1048576",
            "The largest entry; larger content is not kept."
        ) { $0.settings.maxEntryBytes = $1 }.taking(unit: "bytes"),
        .flag("compress", default: "false", "Compresses entries with zstd.") { $0.settings.compresses = $1 },
        CacheUser.option { $0.user = $1 },
    ])
}
