import LuaRuntime
import Platform
import RestEngine

/// `rest.log`: log lines of the script, and the categories of the engine's log (rules 26).
struct LogBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(tables: [ModuleTable(name: "rest.log", functions: categoryFunctions)])
    }

    private var categoryFunctions: [ModuleFunction] {
        let names = EngineLog.Category.setNames.plainlyJoined(", ")
        return [
            ModuleFunction(
                "categories", "(set: string | string[]?) -> string[]",
                "Turns these categories of the engine's log on and all others off. Gives those that were on before. "
                    + "Names: \(names)."
            ) { call in
                let before = engine.log.enabled.map(\.rawValue).sorted()
                if !call.isAbsent(1) { engine.log.enabled = try categories(call) }
                call.lua.newTable(array: Int32(before.count))
                for (index, name) in before.enumerated() {
                    call.lua.push(name)
                    call.lua.rawSet(-2, index + 1)
                }
                return .one
            },
            ModuleFunction(
                "write", "(category: string, text)",
                "Writes to a category of the engine's log if it is on."
            ) { call in
                let category = try category(try call.string(1, "category"))
                let place = try call.any(2, "text")
                if engine.log.enabled.contains(category) {
                    let text = try call.lua.printed(place)
                    engine.log.write(category, text)
                }
                return .none
            },
        ]
    }

    private func categories(_ call: Arguments) throws -> Set<EngineLog.Category> {
        let names =
            if let name = call.lua.string(call.slot(1)) { [name] } else {
                try call.lua.strings(try call.table(1, "set"), "set")
            }
        return try names.reduce(into: []) { set, name in
            guard let found = EngineLog.Category.set(named: name) else { throw Self.unknownCategory(name) }
            set.formUnion(found)
        }
    }

    private func category(_ name: String) throws -> EngineLog.Category {
        guard let category = EngineLog.Category.optional.first(where: { $0.rawValue == name }) else {
            throw Self.unknownCategory(name)
        }
        return category
    }

    private static func unknownCategory(_ name: String) -> LuaUsageError {
        LuaUsageError(
            "unknown log category '\(name)': there are "
                + EngineLog.Category.setNames.joined(separator: ", "))
    }
}

/// Logging for scripts and modules.
struct LogLevelBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(tables: [ModuleTable(name: "rest.log", functions: levelFunctions)])
    }

    private var levelFunctions: [ModuleFunction] {
        ScriptLogEntry.Level.allCases.map { level in
            ModuleFunction(
                level.rawValue, signature: "(text, fields: table?)",
                documentation: "Writes a line to the host's log."
            ) { call in
                let text = try logText(call.lua, try call.any(1, "text"))
                let (fields, more) =
                    try call.optionalTable(2, "fields").map { try logFields(call.lua, $0) } ?? ([], 0)
                values.log(
                    ScriptLogEntry(level: level, text: text, fields: fields, more: more, place: call.place))
                return .none
            }
        }
    }

    private func logText(_ lua: Lua, _ place: Int32) throws -> LoggedText {
        if lua.type(place) == .string, let text = lua.withBytes(place, LoggedText.init) { return text }
        return LoggedText(try lua.printed(place))
    }

    /// The fields of a table, up to the limit of bytes, and the number of the other fields.
    private func logFields(
        _ lua: Lua, _ table: Int32
    ) throws -> (fields: [(name: String, value: LoggedText)], more: Int) {
        var fields: [(name: String, value: LoggedText)] = []
        var (left, more) = (LogLength.mostReadBytes, 0)
        try lua.forEachPair(table) { lua in
            guard left > 0 else { return more += 1 }
            let name = try lua.tostring(-2)
            // A value that JSON can't hold is shown as text.
            let value =
                if lua.type(-1) == .table, let json = try? trees.json(lua, -1) {
                    json.withUnsafeBytes(LoggedText.init)
                } else { try logText(lua, lua.absolute(-1)) }
            fields.append((name, value))
            left -= name.utf8.count + value.text.utf8.count
        }
        return (fields.sorted { $0.name < $1.name }, more)
    }
}
