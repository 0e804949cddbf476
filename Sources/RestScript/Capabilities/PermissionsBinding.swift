import LuaRuntime
import RestEngine

/// `rest.permissions{ read=, write=, env=, net= }`.
struct PermissionsBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: [permissionsFunction]) }

    private var permissionsFunction: ModuleFunction {
        ModuleFunction(
            "permissions", "(options: { read?, write?, env?, net? })",
            """
            Gives up what the script doesn't need: lists of paths, names and hosts, or false for nothing at all. It grants \
            nothing that was not granted from outside, and holds from here on.
            """
        ) { call in
            let options = try call.options(1)
            var narrowing = ScriptPermissions.Narrowing(place: call.place ?? "the script")
            narrowing.read = try items(options, "read", .path, context.grants.path(named:))
            narrowing.write = try items(options, "write", .path, context.grants.path(named:))
            narrowing.variables = try items(options, "env", .name) { $0 }.map { Set($0) }
            narrowing.hosts = try items(options, "net", .name) { name in
                guard let grant = HostGrant(name) else {
                    throw LuaUsageError("option 'net': \(HostGrant.advice(name))")
                }
                return grant
            }
            try options.finish()
            try context.grants.narrow(narrowing)
            return .none
        }
    }

    /// The items of a list of strings, of one string, or of false, which stands for an empty list.
    private func items<Item>(
        _ options: OptionTable, _ key: String, _ limit: TextLimit, _ item: (String) throws -> Item
    ) throws -> [Item]? {
        guard let place = options.value(key) else { return nil }
        let lua = options.lua
        defer { lua.pop() }
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
