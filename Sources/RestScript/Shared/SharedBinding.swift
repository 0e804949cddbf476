import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.shared`.
struct SharedOptions {
    var urls: [String]?
    var authorityFile: String?
    var prefix = SharedMemorySettings.standardPrefix
    var timeout = SharedMemorySettings.standardTimeout
    var coordinates = true
    var key: String?

    static let schema = ScriptSchema<SharedOptions>([
        ScriptOption<SharedOptions>(
            "redis", type: "string | string[]",
            """
            The server: `redis://user:password@host:6379/0`, `rediss://…` with TLS, or `unix:/run/redis/redis.sock`; \
            or sentinels, `redis+sentinel://user:password@host:26379/name/0`; or a list, of which the primary is used.
            """
        ) { options, given, _ in
            guard let place = options.value("redis") else { return }
            defer { options.lua.pop() }
            given.urls =
                options.lua.type(place) == .table
                ? try options.lua.strings(place, "redis") : try options.text("redis", .path).map { [$0] }
            // Before the texts are split at their commas, which takes time.
            let bytes = (given.urls ?? []).reduce(0) { $0 + $1.utf8.count }
            guard bytes <= SharedMemorySettings.mostURLBytes else {
                throw OptionFault("has \(SharedMemorySettings.mostURLBytes) bytes at most")
            }
        }.requiredAtEnd(),
        .text(
            "ca_file", of: .readFile,
            "A PEM file of certificates to trust in place of the system's, for `rediss://`."
        ) { $0.authorityFile = $1 },
        .text(
            "prefix", default: "\"resthost\"",
            "The first part of all its keys. Hosts with the same prefix share everything."
        ) { $0.prefix = $1 }.taking("1 to 64 letters, digits, `.`, `_`, `-`"),
        .seconds(
            "timeout", .between(0.001, 5), default: "0.05",
            "The longest that an operation may take. Then the request goes on without it."
        ) { $0.timeout = $1 },
        .flag(
            "coordinate", default: "true",
            "Whether hosts load resources for each other, and tell each other of invalidations."
        ) { $0.coordinates = $1 },
        .text(
            "key",
            "Encrypts the credentials that hosts share with `rest.refresh_on`. Take it from a variable of the environment."
        ) { options, key in
            guard SealingKey(key) != nil else { throw OptionFault(SealingKey.advice) }
            options.key = key
        }.taking("32 bytes or more, as of `openssl rand -base64 32`"),
    ])
}

/// `rest.shared{ … }`, and the class of `rest.store.shared`.
struct SharedBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "shared", "(options: { ... })",
                    """
                    Declares the memory that this host shares with others, for `rest.cache.redis` and `rest.store.shared`. \
                    Call it once, while the script is loaded. If `--allow-net` lists hosts, its host must be among them. See Shared memory.
                    """, options: SharedOptions.schema.descriptions
                ) { call in
                    try declare(call)
                    return .none
                }
            ],
            classes: [show(SharedStoreFace.self, as: makeStoreClass)])
    }

    private func declare(_ call: Arguments) throws {
        let options = try call.options(1)
        var given = SharedOptions()
        try options.read(SharedOptions.schema, into: &given, grant: context.grant)
        var settings = SharedMemorySettings(
            urls: try options.required("redis", given.urls), prefix: given.prefix, timeout: given.timeout,
            coordinates: given.coordinates)
        settings.authorityFile = given.authorityFile
        settings.key = given.key
        try context.declarations.declare(call) { try context.sharedMemory.declare(settings, at: call.place) }
    }

    // MARK: The store

    func makeStoreClass() -> LuaClass {
        LuaClass(
            "shared_store",
            documentation:
                "Values by key that all hosts with the same shared memory see; `rest.store.shared`. Its functions wait. "
                + "When the server can't be used they return nil and a message, within the timeout of `rest.shared`.",
            methods: [
                method("get", "(key: string) -> value? | nil, message", "The value; nil when there is none.")
                {
                    call in
                    let key = try call.string(1, "key")
                    return try wait(call) { memory, answer in
                        memory.get(key) { answer($0.map { $0.map(Answer.tree) ?? .none }) }
                    }
                },
                method(
                    "set", "(key: string, value, options?: { ... }) -> true | nil, message",
                    "Keeps a value; nil deletes it.", options: Self.setOptions.descriptions
                ) { call in try set(call) },
                method(
                    "incr", "(key: string, by: number?) -> number | nil, message",
                    "Adds 1, or `by`, to a number that begins at 0, as one step of the server."
                ) { call in
                    let key = try call.string(1, "key")
                    let step = call.isAbsent(2) ? Tree(1) : try trees.tree(call.lua, call.slot(2))
                    guard step.double != nil else { throw call.bad(2, "by", "it is a number") }
                    return try wait(call) { memory, answer in
                        memory.increase(key, by: step) { answer($0.map(Answer.tree)) }
                    }
                },
                method(
                    "delete", "(key: string) -> boolean | nil, message",
                    "Deletes a value. False when there was none."
                ) { call in
                    let key = try call.string(1, "key")
                    return try wait(call) { memory, answer in
                        memory.delete(key) { answer($0.map(Answer.flag)) }
                    }
                },
                method(
                    "keys", "(prefix: string?) -> string[] | nil, message",
                    "All keys, or those with this prefix; sorted. It goes through all keys of the server."
                ) { call in
                    let prefix = try call.optionalString(1, "prefix") ?? ""
                    return try wait(call) { memory, answer in
                        memory.keys(beginningWith: prefix) { answer($0.map(Answer.texts)) }
                    }
                },
                method(
                    "compare_and_set", "(key: string, old, new) -> boolean | nil, message",
                    "Sets the value to `new` if it is `old`, as one step of the server. Nil stands for no value."
                ) { call in
                    let key = try call.string(1, "key")
                    let old = call.isAbsent(2) ? nil : try trees.tree(call.lua, call.slot(2))
                    let new = call.isAbsent(3) ? nil : try trees.tree(call.lua, call.slot(3))
                    return try wait(call) { memory, answer in
                        memory.compareAndSet(key, old, new) { answer($0.map(Answer.flag)) }
                    }
                },
            ],
            tostring: { _ in "shared store" })
    }

    private static let setOptions = ScriptSchema<Double?>([
        .number("ttl", "Time for which it is kept; without it for ever.") { $0 = $1 }
            .taking(unit: "seconds", "Above 0")
    ])

    private func set(_ call: Arguments) throws -> CallResult {
        let key = try call.string(1, "key")
        var lifetime: Double?
        try call.options(3).read(Self.setOptions, into: &lifetime)
        if let lifetime, !(lifetime > 0) {
            throw call.bad(3, "options", "'ttl' is a number of seconds above 0")
        }
        if call.isAbsent(2) {
            return try wait(call) { memory, answer in
                memory.delete(key) { answer($0.map { _ in .flag(true) }) }
            }
        }
        let value = try trees.tree(call.lua, call.slot(2))
        return try wait(call) { memory, answer in
            memory.set(value, for: key, lifetime: lifetime) { answer($0.map { .flag(true) }) }
        }
    }

    private enum Answer: Sendable {
        case none
        case tree(Tree)
        case flag(Bool)
        case texts([String])
    }

    /// Lets the script wait for an operation, and continues it with the answer, or with nil and a message.
    private func wait(
        _ call: Arguments,
        _ begin:
            @escaping @EngineActor (
                any SharedMemoryAccess, @escaping @EngineActor (Result<Answer, any Error>) -> Void
            ) -> Void
    ) throws -> CallResult {
        let memory = try call.receiver(as: SharedStoreFace.self).memory
        return .wait(isForWork: true) { [trees] waiter in
            begin(memory) { result in
                waiter.resume(
                    onLoop { (lua: Lua) in
                        switch result {
                        case .success(.none): lua.pushNil()
                        case .success(.tree(let tree)): trees.push(tree, on: lua)
                        case .success(.flag(let flag)): lua.push(flag)
                        case .success(.texts(let texts)):
                            lua.newTable(array: Int32(clamping: texts.count))
                            for (index, text) in texts.enumerated() {
                                lua.push(text)
                                lua.rawSet(-2, index + 1)
                            }
                        case .failure(let error):
                            lua.pushNil()
                            lua.push(SecretMask.standard.line("\(error)"))
                            return 2
                        }
                        return 1
                    })
            }
        }
    }
}

/// A shared store as a Lua object.
final class SharedStoreFace: LuaObject {
    let memory: any SharedMemoryAccess

    init(_ memory: any SharedMemoryAccess) { self.memory = memory }

    /// The values are in the server.
    var keptBytes: Int { 64 }
}
