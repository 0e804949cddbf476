import LuaRuntime
public import RestEngine

/// A cache in a script's hands. Each time that a script gets it there may be another of these.
final class ScriptCacheBox: LuaObject {
    let cache: any EntityCache
    init(_ cache: any EntityCache) { self.cache = cache }

    /// The entities have a limit of their own.
    var keptBytes: Int { 256 }
}

/// `rest.cache`: what may be assigned to a stage's `cache`.
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
                    "memory", "(options?: { max_bytes? }) -> cache",
                    "Keeps entities in this process, 16 MiB of them by default; those not used for longest go first. "
                        + "Make it once, outside of blocks; in a block, one line makes one cache, however often it runs."
                ) { call in try makeMemoryCache(call) },
                ModuleFunction(
                    "custom", "(options: { key, read, write, remove, update_timestamp? }) -> cache",
                    "Calls `key(resource, stage)`, `read(key)`, `write(key, entity)`, `remove(key)` and "
                        + "`update_timestamp(key, t)` (default: read, set, write). They may wait, 5 seconds in all, and "
                        + "fail by raising or by returning nil and a reason. A key is any value; nil keeps the resource "
                        + "out of the cache. `read` returns an entity or nil."
                ) { call in try makeCustomCache(call) },
                ModuleFunction(
                    "sqlite", "(options: { path, max_bytes?, user? }) -> cache",
                    "Keeps entities in a file of its own, relative to the script's folder, where `--allow-read` and `--allow-write` "
                        + "permit. `user`, a text or a function that "
                        + "returns one, keeps the entities of users apart; it may not wait."
                ) { call in try makeSQLiteCache(call) },
                ModuleFunction("redis", "(options)", "Not available in this build.") { _ in
                    throw LuaUsageError(
                        "rest.cache.redis is not available in this build: use rest.cache.sqlite{…} or rest.cache.custom{…}"
                    )
                },
            ])
    }

    func makeCacheClass() -> LuaClass {
        LuaClass(
            "cache", documentation: "Where a stage keeps its entities; made by rest.cache.….",
            properties: [
                property("description", "string", "What it is.") { call in
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

    private func makeMemoryCache(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        let bytes = try maxBytes(options)
        try options.finish()
        let cache = context.blocks.cache(at: "\(call.place ?? "") memory \(bytes ?? 0)") {
            bytes.map { MemoryCache(maxBytes: $0) } ?? MemoryCache()
        }
        push(cache, on: call.lua)
        return .one
    }

    private func makeCustomCache(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        let functions = ScriptCache.Functions(
            key: try options.required("key", try options.function("key")),
            read: try options.required("read", try options.function("read")),
            write: try options.required("write", try options.function("write")),
            remove: try options.required("remove", try options.function("remove")),
            updateTimestamp: try options.function("update_timestamp"))
        try options.finish()
        push(ScriptCache(context, functions, place: call.place), on: call.lua)
        return .one
    }

    private func makeSQLiteCache(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        let given = try options.string("path")
        let bytes = try maxBytes(options)
        let user = try user(options)
        try options.finish()
        let path = try options.required("path", given)
        guard !path.isEmpty else { throw LuaUsageError("option 'path' of rest.cache.sqlite is empty") }
        var cache: any EntityCache = MemoryCache()
        try context.declarations.declare(call) {
            cache = try context.blocks.cache(at: "\(call.place ?? "") sqlite \(path)") {
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

    private func maxBytes(_ options: OptionTable) throws -> Int? {
        guard let bytes = try options.integer("max_bytes") else { return nil }
        guard bytes > 0 else { throw LuaUsageError("option 'max_bytes' is 1 or more, got \(bytes)") }
        return Int(bytes)
    }

    /// `user = text or fn`. The function is asked while a key is made, so it may not wait.
    private func user(_ options: OptionTable) throws -> (@EngineActor () throws -> String?)? {
        guard let place = options.value("user") else { return nil }
        defer { options.lua.pop() }
        if let text = options.lua.string(place) { return { text } }
        guard options.lua.type(place) == .function else {
            throw LuaUsageError(
                "option 'user' is a text or a function that returns one, not a \(options.lua.typeName(place))"
            )
        }
        let function = options.lua.reference(place)
        return { [weak context] in
            guard let context else { throw ScriptContext.closed }
            return try context.runner.call(function, phase: phases.cacheUser, arguments: { _ in 0 }) { lua in
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

/// What a script asks for with `rest.cache.sqlite{ … }`.
public struct SQLiteCacheSettings: Sendable {
    /// The engine whose resources the cache is for; what the cache does on another thread is counted there.
    public let engine: Engine
    /// Of the file: absolute, or relative to the current folder. The script's own folder is in it already.
    public let path: String
    /// Nil: the cache's own default.
    public let maxBytes: Int?
    /// Whose entities those are that are read and written now, asked anew for each key; nil when the script
    /// keeps no users apart. A user of nil is nobody, for whom nothing should be kept. It throws what the
    /// script raised.
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
