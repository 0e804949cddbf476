import LuaRuntime
import Platform
import RestEngine

/// `rest.store` and the results of `rest.store.open`: values that outlive a load of the script.
struct StoreBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            fields: [
                BoundField("store", type: "resthost.store") { lua in values.push(ScriptStoreFace(), on: lua) }
            ],
            classes: [BoundClass(ScriptStoreFace.self, makeStoreClass)])
    }

    func makeStoreClass() -> LuaClass {
        LuaClass(
            "store",
            documentation:
                "Values by key that survive a reload. Those of `rest.store` are shared with module transformers; those of "
                + "`rest.store.open` survive the program, too.",
            methods: [
                LuaMethod(
                    "get", signature: "(key: string) -> value?",
                    documentation: "The value; nil when there is none or it has expired."
                ) { call in
                    let store = try receiver(call)
                    let key = try call.string(1, "key")
                    if let value = store.value(for: key, at: values.now) {
                        trees.push(value, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                LuaMethod(
                    "set",
                    signature: "(key: string, value, options?: { ... }) -> true | nil, message",
                    documentation: "Keeps a value; nil deletes it.", options: Self.setOptions.descriptions
                ) { call in
                    try setValue(call)
                },
                LuaMethod(
                    "incr", signature: "(key: string, by: number?) -> number | nil, message",
                    documentation: "Adds 1, or `by`, to a number that begins at 0."
                ) { call in
                    let store = try receiver(call)
                    let key = try call.string(1, "key")
                    let step = call.isAbsent(2) ? Tree(1) : try trees.tree(call.lua, call.slot(2))
                    guard step.double != nil else { throw call.bad(2, "by", "it is a number") }
                    do throws(ScriptStoreError) {
                        let sum = try store.increase(key, by: step, at: values.now)
                        trees.push(sum, on: call.lua)
                        return .one
                    } catch { return refuse(error, key, call.lua) }
                },
                LuaMethod(
                    "delete", signature: "(key: string) -> boolean",
                    documentation: "Deletes a value. False when there was none."
                ) { call in
                    call.lua.push(try receiver(call).delete(try call.string(1, "key"), at: values.now))
                    return .one
                },
                LuaMethod(
                    "keys", signature: "(prefix: string?) -> string[]",
                    documentation: "All keys, or those with this prefix; sorted."
                ) { call in
                    let keys = try receiver(call).keys(
                        try call.optionalString(1, "prefix") ?? "", at: values.now)
                    call.lua.newTable(array: Int32(clamping: keys.count))
                    for (index, key) in keys.enumerated() {
                        call.lua.push(key)
                        call.lua.rawSet(-2, index + 1)
                    }
                    return .one
                },
            ],
            properties: [
                LuaProperty(
                    "open", type: "function",
                    documentation:
                        "`rest.store.open(path, { max_bytes = })` gives a store with the same methods that is kept in a file, "
                        + "relative to the script's folder, where `--allow-read` and `--allow-write` permit: see Reloading. 64 MiB at most, "
                        + "unless `max_bytes` says otherwise.",
                    get: { call in
                        call.lua.push(
                            function: { call in try values.openStore(call) }, name: "rest.store.open")
                        return .one
                    }),
                LuaProperty(
                    "shared", type: "shared_store",
                    documentation:
                        "The values that all hosts share, in the server of `rest.shared`; see Shared memory.",
                    get: { call in try values.pushSharedStore(call) }),
            ],
            tostring: { ($0 as? ScriptStoreFace)?.path.map { "store \($0)" } ?? "store" })
    }

    private func receiver(_ call: Arguments) throws -> ScriptStore {
        try call.receiver(as: ScriptStoreFace.self).store ?? values.store
    }

    private static let setOptions = ScriptSchema<Double?>([
        .number("ttl", "Time for which it is kept, by the time of day; without it for ever.") { $0 = $1 }
            .taking(unit: "seconds", "Above 0")
    ])

    private func setValue(_ call: Arguments) throws -> CallResult {
        let store = try receiver(call)
        let key = try call.string(1, "key")
        var lifetime: Double?
        try call.options(3).read(Self.setOptions, into: &lifetime)
        if let lifetime, !(lifetime > 0) {
            throw call.bad(3, "options", "'ttl' is a number of seconds above 0")
        }
        let now = values.now
        if call.isAbsent(2) {
            store.delete(key, at: now)
            call.lua.push(true)
            return .one
        }
        let value = try trees.tree(call.lua, call.slot(2))
        do throws(ScriptStoreError) {
            try store.set(value, for: key, lifetime: lifetime, at: now)
            call.lua.push(true)
            return .one
        } catch { return refuse(error, key, call.lua) }
    }

    private func refuse(_ failure: ScriptStoreError, _ key: String, _ lua: Lua) -> CallResult {
        lua.pushNil()
        switch failure {
        case .full(let limit): lua.push("the store is full: it holds \(limit >> 20) MiB")
        case .notANumber: lua.push("the value of '\(key)' is no number")
        }
        return .results(2)
    }
}

/// A store as a Lua object. The values themselves belong to the program.
final class ScriptStoreFace: LuaObject {
    /// Nil means the store that all scripts of the program share.
    let store: ScriptStore?
    let path: String?

    init(_ store: ScriptStore? = nil, path: String? = nil) {
        self.store = store
        self.path = path
    }

    /// The values count against a limit of their own.
    var keptBytes: Int { 64 + (path?.utf8.count ?? 0) }
}

/// `rest.store.open(path, { max_bytes = })`.
struct StoreOpening: ScriptBinding {
    unowned let context: ScriptContext

    func open(_ call: Arguments) throws -> CallResult {
        let path = try call.string(1, "path")
        let options = try call.options(2)
        var maxBytes = ScriptStore.standardMaxBytes
        if let bytes = try options.integer("max_bytes") {
            guard (1...Self.largestStoreBytes).contains(bytes) else {
                throw LuaUsageError(
                    "option 'max_bytes' is from 1 to \(Self.largestStoreBytes), because values are also held in memory; got \(bytes)"
                )
            }
            maxBytes = Int(bytes)
        }
        try options.finish()
        var store = ScriptStore(maxBytes: maxBytes)
        try context.declarations.declare(call) { store = try self.store(at: path, maxBytes) }
        values.push(ScriptStoreFace(store, path: context.grants.path(named: path)), on: call.lua)
        return .one
    }

    private static var largestStoreBytes: Int64 { 1 << 30 }

    private func store(at path: String, _ maxBytes: Int) throws(LuaUsageError) -> ScriptStore {
        guard !path.isEmpty else { throw LuaUsageError("the path of rest.store.open is empty") }
        guard let open = options.openStore else {
            throw LuaUsageError("rest.store.open is not available in this program: use rest.store")
        }
        let place = try context.grants.databasePath(path)
        do { return try open(DurableStoreSettings(path: place, maxBytes: maxBytes)) } catch {
            throw LuaUsageError("rest.store.open can't use '\(context.grants.path(named: path))': \(error)")
        }
    }
}
