import LuaRuntime
import RestEngine

/// `rest.json.encode/decode/array/object`.
extension ScriptValues {
    var jsonModule: ModuleTable {
        ModuleTable(
            name: "rest.json",
            functions: [
                ModuleFunction(
                    "encode", signature: "(value) -> string", documentation: "JSON text of a value."
                ) {
                    [unowned self] call in
                    let place = try call.any(1, "value")
                    do throws(LuaUsageError) { call.lua.push(bytes: try trees.json(call.lua, place)) } catch {
                        throw LuaUsageError("cannot encode as JSON: \(error.message)")
                    }
                    return .one
                },
                ModuleFunction(
                    "decode", signature: "(text: string) -> value | nil, message",
                    documentation: "The value of a JSON text."
                ) {
                    [unowned self] call in
                    let bytes = try call.rawBytes(1, "text")
                    do {
                        try bytes.withUnsafeBytes { try trees.pushJSON($0, on: call.lua) }
                        return .one
                    } catch {
                        call.lua.pushNil()
                        call.lua.push("\(error)")
                        return .results(2)
                    }
                },
                ModuleFunction(
                    "array", signature: "(t: table?) -> table",
                    documentation: "Marks a table as an array, even when it is empty."
                ) {
                    [unowned self] call in
                    try pushTable(call)
                    trees.markArray(call.lua, -1)
                    return .one
                },
                ModuleFunction(
                    "object", signature: "(t: table?) -> table",
                    documentation: "Marks a table as an object, even when it is empty."
                ) {
                    [unowned self] call in
                    try pushTable(call)
                    trees.markObject(call.lua, -1)
                    return .one
                },
            ])
    }

    private func pushTable(_ call: Arguments) throws {
        if let place = try call.optionalTable(1, "t") {
            if call.lua.isProtected(place) {
                throw call.bad(1, "t", "its metatable is protected; give a table of your own")
            }
            call.lua.pushValue(at: place)
        } else {
            call.lua.newTable()
        }
    }
}
