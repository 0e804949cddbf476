import LuaRuntime
import Platform
public import RestEngine

/// A cache as a Lua object. Each access by a script may make another of these for the same cache.
final class ScriptCacheBox: LuaObject {
    let cache: any EntityCache
    init(_ cache: any EntityCache) { self.cache = cache }

    /// The entities count against a limit of their own.
    var keptBytes: Int { 256 }
}

/// `rest.cache`: the caches that may be assigned to a stage's `cache`.
struct CacheBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            tables: [cacheModule],
            classes: [show(ScriptCacheBox.self, as: makeCacheClass)])
    }

    private var cacheModule: ModuleTable {
        ModuleTable(
            name: "rest.cache",
            functions: [
                ModuleFunction(
                    "memory", "(options?: { ... }) -> cache",
                    "Keeps entities in this process; those not used for longest go first. "
                        + "Make it outside of blocks. In a block, a line makes one cache, however often it runs.",
                    options: CacheSizeOptions.schema.descriptions
                ) { call in try makeMemoryCache(call) },
                ModuleFunction(
                    "custom", "(options: { ... }) -> cache",
                    "Keeps entities with functions of the script. They may wait, 5 seconds in all. They fail by raising, "
                        + "or by returning nil and a reason.", options: CustomCacheOptions.schema.descriptions
                ) { call in try makeCustomCache(call) },
                ModuleFunction(
                    "sqlite", "(options: { ... }) -> cache",
                    "Keeps entities in a file, which `--allow-read` and `--allow-write` must permit.",
                    options: SQLiteCacheOptions.schema.descriptions
                ) { call in try makeSQLiteCache(call) },
                ModuleFunction(
                    "redis", "(options?: { ... }) -> cache",
                    "Keeps entities in the server of `rest.shared`, or in one of its own, where all hosts find them. "
                        + "While the server can't be used, requests go on without it.",
                    options: RedisCacheOptions.schema.descriptions
                ) { call in try makeRedisCache(call) },
            ])
    }

    func makeCacheClass() -> LuaClass {
        LuaClass(
            "cache", documentation: "A cache for the entities of a stage; made by rest.cache.….",
            properties: [
                property("description", "string", "A description of the cache.") { call in
                    call.lua.push(try call.receiver(as: ScriptCacheBox.self).cache.description)
                    return .one
                }
            ],
            tostring: { ($0 as? ScriptCacheBox)?.cache.description ?? "cache" },
            equals: { one, other in
                guard let one = one as? ScriptCacheBox, let other = other as? ScriptCacheBox else {
                    return false
                }
                return one.cache === other.cache
            })
    }

    static func cache(_ call: Arguments, _ index: Int32, _ name: String) throws -> any EntityCache {
        if let box = call.lua.object(call.slot(index), as: ScriptCacheBox.self) { return box.cache }
        throw call.wrongType(index, name, "cache, made by rest.cache.…, or nil")
    }

    func push(_ cache: any EntityCache, on lua: Lua) {
        values.push(ScriptCacheBox(cache), on: lua)
    }

    // MARK: Makers

    private func makeMemoryCache(_ call: Arguments) throws -> CallResult {
        var given = CacheSizeOptions()
        try call.options(1).read(CacheSizeOptions.schema, into: &given)
        let bytes = given.maxBytes
        let cache = context.blocks.cache(
            at: "\(call.place ?? "") memory \(bytes ?? 0)", context.declarations
        ) {
            bytes.map { MemoryCache(maxBytes: $0) } ?? MemoryCache()
        }
        push(cache, on: call.lua)
        return .one
    }

    private func makeCustomCache(_ call: Arguments) throws -> CallResult {
        let options = try call.options(1)
        var given = CustomCacheOptions()
        try options.read(CustomCacheOptions.schema, into: &given)
        let functions = ScriptCache.Functions(
            key: try options.required("key", given.key), read: try options.required("read", given.read),
            write: try options.required("write", given.write),
            remove: try options.required("remove", given.remove), updateTimestamp: given.updateTimestamp)
        push(
            ScriptCache(
                context, functions, place: call.place, separatesPartitions: given.separatesPartitions),
            on: call.lua)
        return .one
    }

    private func makeSQLiteCache(_ call: Arguments) throws -> CallResult {
        let options = try call.options(1)
        var given = SQLiteCacheOptions()
        try options.read(SQLiteCacheOptions.schema, into: &given)
        let path = try options.required("path", given.path)
        let bytes = given.size.maxBytes
        let user = given.user.map { self.user($0) }
        guard !path.isEmpty else { throw LuaUsageError("option 'path' of rest.cache.sqlite is empty") }
        var cache: any EntityCache = MemoryCache()
        try context.declarations.declare(call) {
            cache = try context.blocks.cache(
                at: "\(call.place ?? "") sqlite \(path)", context.declarations
            ) {
                try makeSQLiteCache(path, bytes, user)
            }
        }
        push(cache, on: call.lua)
        return .one
    }

    private func makeSQLiteCache(
        _ path: String, _ bytes: Int?, _ user: (@EngineActor () throws -> String?)?
    ) throws(LuaUsageError) -> any EntityCache {
        guard let make = options.makeSQLiteCache else {
            throw LuaUsageError(
                "rest.cache.sqlite is not available in this program: use rest.cache.memory{…} or rest.cache.custom{…}"
            )
        }
        let settings = SQLiteCacheSettings(
            engine: engine, path: try context.grants.databasePath(path), maxBytes: bytes, user: user)
        do { return try make(settings) } catch {
            throw LuaUsageError("rest.cache.sqlite can't use '\(context.grants.path(named: path))': \(error)")
        }
    }

    private func makeRedisCache(_ call: Arguments) throws -> CallResult {
        var given = RedisCacheOptions()
        try call.options(1).read(RedisCacheOptions.schema, into: &given)
        var settings = given.settings
        settings.user = given.user.map { self.user($0) }
        var cache: any EntityCache = MemoryCache()
        try context.declarations.declare(call) {
            // Not by the URL: a password in it would stay in a name.
            cache = try context.blocks.cache(at: "\(call.place ?? "") redis", context.declarations) {
                let memory =
                    try given.url.map { try context.sharedMemory.open(url: $0) }
                    ?? context.sharedMemory.require(for: "rest.cache.redis without 'url'")
                return memory.makeCache(settings)
            }
        }
        push(cache, on: call.lua)
        return .one
    }

    private func user(_ given: CacheUser) -> @EngineActor () throws -> String? {
        let function: LuaReference
        switch given {
        case .name(let text): return { text }
        case .function(let asked): function = asked
        }
        return { [weak context] in
            guard let context else { throw ScriptContext.closed }
            return try context.runner.withinKeyTime {
                try context.runner.call(function, phase: phases.cacheUser, arguments: { _ in 0 }) { lua in
                    if let text = lua.string(-1) { return text }
                    guard lua.type(-1) == .nil else {
                        throw ScriptCacheError(
                            description:
                                "'user' returned a \(lua.typeName(-1)) where it must return a text or nil")
                    }
                    return nil
                }
            }
        }
    }
}

/// The arguments of `rest.cache.sqlite{ … }`.
public struct SQLiteCacheSettings: Sendable {
    /// The engine whose resources the cache is for. Its work on another thread is counted there.
    public let engine: Engine
    /// The path of the file: absolute, or relative to the current folder. The script's own folder is already
    /// part of it.
    public let path: String
    /// Nil means the cache's own default.
    public let maxBytes: Int?
    /// The user whose entities are read and written now. It is called anew for each key. The property is nil
    /// when the script does not separate users. A result of nil means that no user is known, and no entity
    /// may be kept. It throws the error that the script raised.
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
