import LuaRuntime
import Platform
package import RestEngine

/// A bundled module as it describes itself: the table that its file gives `resthost.plugin`.
@EngineActor
package struct PluginDescription {
    /// A function of the module.
    struct Function {
        let name: String
        /// In the language of ``Signature``.
        let signature: String
        let text: String
        let options: [OptionDescription]
    }

    package let name: String
    package let text: String
    /// `service:use` takes it.
    package let isUsed: Bool
    /// The options of `service:use`.
    let options: [OptionDescription]
    let functions: [Function]

    /// All bundled modules that describe themselves, sorted by name. The others only help them.
    package static func all() throws -> [PluginDescription] {
        let engine = Engine(transport: NullTransport())
        let context = ScriptContext(engine: engine, options: ScriptOptions(), folder: "/nonexistent")
        defer { context.close() }
        let lua = context.state.main
        return try BundledModules.names.compactMap { name in
            try context.sandbox.pushModule("resthost.\(name)", on: lua, phase: context.phases.load)
            defer { lua.pop() }
            guard lua.type(-1) == .table else { return nil }
            let module = lua.absolute(-1)
            defer { lua.setTop(module) }
            guard lua.rawGet(module, "description") == .table else { return nil }
            let isUsed = lua.rawGet(module, "use") == .function
            lua.pop()
            return try PluginDescription(lua, lua.top, isUsed: isUsed)
        }
    }

    private init(_ lua: Lua, _ table: Int32, isUsed: Bool) throws {
        name = lua.text(table, "name") ?? ""
        text = lua.text(table, "description") ?? ""
        self.isUsed = isUsed
        options = try Self.options(lua, table, "options")
        functions = try lua.items(table, "functions") { item in
            Function(
                name: lua.text(item, "name") ?? "",
                signature: lua.text(item, "signature") ?? "(...)",
                text: lua.text(item, "description") ?? "",
                options: try Self.options(lua, item, "options"))
        }
    }

    private static func options(_ lua: Lua, _ table: Int32, _ field: String) throws -> [OptionDescription] {
        try lua.items(table, field) { item in
            var option = OptionDescription(
                lua.text(item, "name") ?? "", type: lua.text(item, "type") ?? "any",
                lua.text(item, "description") ?? "")
            option.isRequired = lua.flag(item, "required")
            option.standard = try standard(lua, item)
            option.unit = lua.text(item, "unit")
            let (least, most) = (lua.number(item, "least"), lua.number(item, "most"))
            option.limits =
                switch (least, most) {
                case (let least?, let most?): "\(least) to \(most)"
                case (let least?, nil): "\(least) or more"
                case (nil, let most?): "\(most) at most"
                case (nil, nil): nil
                }
            option.fields = try options(lua, item, "fields")
            return option
        }
    }

    /// The default as a script would write it.
    private static func standard(_ lua: Lua, _ item: Int32) throws -> String? {
        defer { lua.pop() }
        switch lua.rawGet(item, "default") {
        case .nil: return nil
        case .string: return "\"\(lua.string(-1) ?? "")\""
        case .table:
            let items = try lua.strings(-1, "default")
            return items.isEmpty ? "{}" : "{ \(items.map { "\"\($0)\"" }.plainlyJoined(", ")) }"
        default: return try lua.tostring(-1)
        }
    }
}
