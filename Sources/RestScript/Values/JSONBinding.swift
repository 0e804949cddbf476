import LuaRuntime
import Platform
import RestEngine

/// `rest.json.encode/decode/array/object`, and `rest.null`.
struct JSONBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            tables: [jsonModule],
            fields: [BoundField("null", type: "lightuserdata") { lua in trees.pushNull(on: lua) }])
    }

    private var jsonModule: ModuleTable {
        ModuleTable(
            name: "rest.json",
            functions: [
                ModuleFunction(
                    "encode", signature: "(value) -> string",
                    documentation: """
                        JSON text of a value. A float is written with its fraction, so `10/2` is `5.0`: write \
                        `10//2`, or `math.tointeger(x)`, for an integer.
                        """
                ) { call in
                    let place = try call.any(1, "value")
                    do throws(LuaUsageError) { call.lua.push(bytes: try trees.json(call.lua, place)) } catch {
                        throw LuaUsageError("cannot encode as JSON: \(error.message)")
                    }
                    return .one
                },
                ModuleFunction(
                    "decode", signature: "(text: string, options?: { ... }) -> value | nil, message",
                    documentation: "The value of a JSON text; the last one of repeated keys counts.",
                    options: Self.decodeOptions.descriptions
                ) { call in
                    let bytes = try call.rawBytes(1, "text")
                    let bigAsText = try bigAsText(call)
                    do {
                        try bytes.withUnsafeBytes {
                            try trees.pushJSON($0, bigAsText: bigAsText, on: call.lua)
                        }
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
                ) { call in
                    try pushTable(call)
                    trees.markArray(call.lua, -1)
                    return .one
                },
                ModuleFunction(
                    "object", signature: "(t: table?) -> table",
                    documentation: "Marks a table as an object, even when it is empty."
                ) { call in
                    try pushTable(call)
                    trees.markObject(call.lua, -1)
                    return .one
                },
            ])
    }

    private static let decodeOptions = ScriptSchema<String?>([
        .init(
            "big", type: "\"float\" | \"text\"", default: "\"float\"",
            "The form of integers beyond 64 bits: floats, or strings of their digits."
        ) { options, form, _ in form = try options.string("big") }
    ])

    private func bigAsText(_ call: Arguments) throws -> Bool {
        var form: String?
        try call.options(2).read(Self.decodeOptions, into: &form)
        guard form == nil || form == "text" || form == "float" else {
            throw call.bad(2, "options", "big is 'text' or 'float'")
        }
        return form == "text"
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
