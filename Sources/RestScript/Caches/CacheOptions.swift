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

/// The options of `rest.cache.sqlite`.
struct SQLiteCacheOptions {
    enum User {
        case name(String)
        case function(LuaReference)
    }

    var path: String?
    var size = CacheSizeOptions()
    var user: User?

    private static let path = ScriptOption<SQLiteCacheOptions>.text(
        "path", "The path of its file, relative to the script's folder."
    ) { $0.path = $1 }.requiredAtEnd()

    private static let ofSize = CacheSizeOptions.fields.map {
        (field: ScriptOption<CacheSizeOptions>) -> ScriptOption<SQLiteCacheOptions> in
        field.within { try $1(&$0.size) }
    }

    private static let user = ScriptOption<SQLiteCacheOptions>(
        "user", type: "string | function() -> string?",
        "The user whose entities these are. A function is called for each key, and may not wait."
    ) { options, given, _ in
        guard let place = options.value("user") else { return }
        defer { options.lua.pop() }
        if let text = options.lua.string(place) {
            given.user = .name(text)
            return
        }
        guard options.lua.type(place) == .function else {
            throw LuaUsageError(
                "option 'user' is a text or a function that returns one, not a \(options.lua.typeName(place))"
            )
        }
        given.user = .function(options.lua.reference(place))
    }

    static let schema = ScriptSchema<SQLiteCacheOptions>([path] + ofSize + [user])
}
