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
            narrowing.read = try texts(options, "read").map { $0.map(context.grants.path(named:)) }
            narrowing.write = try texts(options, "write").map { $0.map(context.grants.path(named:)) }
            narrowing.variables = try texts(options, "env").map { Set($0) }
            narrowing.hosts = try texts(options, "net").map { names in
                try names.map { name in
                    guard let grant = HostGrant(name) else {
                        throw LuaUsageError("option 'net': \(HostGrant.advice(name))")
                    }
                    return grant
                }
            }
            try options.finish()
            context.grants.narrow(narrowing)
            return .none
        }
    }

    /// A list of strings, one string, or false for an empty list.
    private func texts(_ options: OptionTable, _ key: String) throws -> [String]? {
        guard let place = options.value(key) else { return nil }
        let lua = options.lua
        defer { lua.pop() }
        if lua.boolean(place) == false { return [] }
        if let text = lua.string(place) { return [text] }
        guard lua.type(place) == .table else {
            throw LuaUsageError("option '\(key)' is a list of strings or false, not a \(lua.typeName(place))")
        }
        var texts: [String] = []
        for item in 0..<lua.rawLength(place) {
            try lua.rawItem(place, item + 1)
            defer { lua.pop() }
            guard let text = lua.string(-1) else {
                throw LuaUsageError(
                    "option '\(key)' is a list of strings; item \(item + 1) is a \(lua.typeName(-1))")
            }
            texts.append(text)
        }
        return texts
    }
}
