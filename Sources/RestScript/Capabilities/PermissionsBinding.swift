import LuaRuntime
import Platform
import RestEngine

/// `rest.permissions{ read=, write=, env=, net= }`.
struct PermissionsBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: [permissionsFunction]) }

    private var permissionsFunction: ModuleFunction {
        ModuleFunction(
            "permissions", "(options: { ... })",
            """
            Limits the script to lists of paths, names and hosts; false permits none. It grants nothing \
            beyond the grants from outside, and takes effect at once.
            """, options: GivenPermissions.schema.descriptions
        ) { call in
            let lua = call.lua
            var given = GivenPermissions()
            try call.options(1).read(GivenPermissions.schema, into: &given)
            var narrowing = ScriptPermissions.Narrowing(place: call.place ?? "the script")
            narrowing.read = try items(lua, given.read, "read", .path, context.grants.path(named:))
            narrowing.write = try items(lua, given.write, "write", .path, context.grants.path(named:))
            narrowing.variables = try items(lua, given.variables, "env", .name) { $0 }.map { Set($0) }
            narrowing.hosts = try items(lua, given.hosts, "net", .name) { name in
                guard let grant = HostGrant(name) else {
                    throw LuaUsageError("option 'net': \(HostGrant.advice(name))")
                }
                return grant
            }
            try context.grants.narrow(narrowing)
            return .none
        }
    }

    /// The items of a list of strings, or one string. False means an empty list.
    private func items<Item>(
        _ lua: Lua, _ place: Int32?, _ key: String, _ limit: TextLimit, _ item: (String) throws -> Item
    ) throws -> [Item]? {
        guard let place else { return nil }
        if lua.boolean(place) == false { return [] }
        func read(_ place: Int32) throws -> Item? {
            guard lua.type(place) == .string else { return nil }
            if let refusal = limit.refusal(of: lua.rawLength(place)) {
                throw LuaUsageError("option '\(key)': \(refusal)")
            }
            return try lua.string(place).map(item)
        }
        if let one = try read(place) { return [one] }
        guard lua.type(place) == .table else {
            throw LuaUsageError("option '\(key)' is a list of strings or false, not a \(lua.typeName(place))")
        }
        let count = lua.rawLength(place)
        guard count <= ScriptPermissions.mostItems else {
            throw LuaUsageError(
                "option '\(key)' is a list of \(ScriptPermissions.mostItems) strings at most, and this one has \(count)"
            )
        }
        return try (1...max(1, count)).prefix(count).map { number in
            try lua.rawItem(place, number)
            defer { lua.pop() }
            guard let item = try read(-1) else {
                throw LuaUsageError(
                    "option '\(key)' is a list of strings; item \(number) is a \(lua.typeName(-1))")
            }
            return item
        }
    }
}

/// The options of `rest.permissions`: places on the stack.
private struct GivenPermissions {
    var read: Int32?
    var write: Int32?
    var variables: Int32?
    var hosts: Int32?

    static let schema = ScriptSchema<GivenPermissions>([
        .place("read", type: list, "Paths that it may read.") { $0.read = $1 },
        .place("write", type: list, "Paths that it may write.") { $0.write = $1 },
        .place("env", type: list, "Variables of the environment that it may read.") { $0.variables = $1 },
        .place("net", type: list, "Hosts that it may send requests to.") { $0.hosts = $1 },
    ])

    private static let list = "string[] | string | false"
}
