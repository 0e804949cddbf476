import LuaRuntime
import RestEngine

/// `rest.log.debug/info/warn/error(text, fields)`.
extension ScriptContext {
    var logModule: ModuleTable {
        ModuleTable(
            name: "rest.log",
            functions: ScriptLogEntry.Level.allCases.map { level in
                ModuleFunction(
                    level.rawValue, "(text, fields: table?)", "Writes a line to the host's log."
                ) { [unowned self] call in
                    let text = try call.lua.tostring(try call.any(1, "text"))
                    let fields = try call.optionalTable(2, "fields").map { try logFields(call.lua, $0) } ?? []
                    let place = call.lua.callerPlace.map { "\($0.file):\($0.line)" }
                    options.log(ScriptLogEntry(level: level, text: text, fields: fields, place: place))
                    return .none
                }
            })
    }

    private func logFields(_ lua: Lua, _ table: Int32) throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        try lua.forEachPair(table) { lua in
            let name = try lua.tostring(-2)
            if lua.type(-1) == .table {
                fields.append((name, String(decoding: try trees.json(lua, -1), as: UTF8.self)))
            } else {
                fields.append((name, try lua.tostring(-1)))
            }
        }
        return fields.sorted { $0.name < $1.name }
    }
}
