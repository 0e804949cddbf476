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
        name = Self.text(lua, table, "name") ?? ""
        text = Self.text(lua, table, "description") ?? ""
        self.isUsed = isUsed
        options = try Self.options(lua, table, "options")
        functions = try Self.items(lua, table, "functions") { item in
            Function(
                name: Self.text(lua, item, "name") ?? "",
                signature: Self.text(lua, item, "signature") ?? "(...)",
                text: Self.text(lua, item, "description") ?? "",
                options: try Self.options(lua, item, "options"))
        }
    }

    private static func options(_ lua: Lua, _ table: Int32, _ field: String) throws -> [OptionDescription] {
        try items(lua, table, field) { item in
            var option = OptionDescription(
                text(lua, item, "name") ?? "", type: text(lua, item, "type") ?? "any",
                text(lua, item, "description") ?? "")
            lua.rawGet(item, "required")
            option.isRequired = lua.isTruthy(-1)
            lua.pop()
            option.standard = try standard(lua, item)
            option.unit = text(lua, item, "unit")
            let (least, most) = (number(lua, item, "least"), number(lua, item, "most"))
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
            return "{ \(try lua.strings(-1, "default").map { "\"\($0)\"" }.plainlyJoined(", ")) }"
        default: return try lua.tostring(-1)
        }
    }

    private static func items<Item>(
        _ lua: Lua, _ table: Int32, _ field: String, _ read: (Int32) throws -> Item
    ) throws -> [Item] {
        let height = lua.top
        defer { lua.setTop(height) }
        guard lua.rawGet(table, field) == .table else { return [] }
        let list = lua.top
        return try (0..<lua.rawLength(list)).map { place in
            lua.rawGet(list, place + 1)
            defer { lua.setTop(list) }
            return try read(lua.top)
        }
    }

    private static func text(_ lua: Lua, _ table: Int32, _ field: String) -> String? {
        lua.rawGet(table, field)
        defer { lua.pop() }
        return lua.string(-1)
    }

    private static func number(_ lua: Lua, _ table: Int32, _ field: String) -> String? {
        defer { lua.pop() }
        guard lua.rawGet(table, field) == .number else { return nil }
        return try? lua.tostring(-1)
    }
}
