import LuaRuntime
import RestEngine

/// Names and values as a script gave them: strings of any bytes, with nil for what shall be removed.
struct RawParams {
    var params: [(name: [UInt8], values: [[UInt8]]?)] = []
    /// They came as a list of pairs, so their order means something; else they are sorted by name.
    var isList = false
}

extension ScriptContext {
    /// Parameters: `{ name = value | list | null }` or `{ { name, value }, … }`. The values of a name are together.
    func params(_ lua: Lua, _ place: Int32) throws -> [(name: String, values: [String]?)] {
        var params: [(name: String, values: [String]?)] = []
        for raw in try rawParams(lua, place).params {
            let name = String(decoding: raw.name, as: UTF8.self)
            let values = raw.values?.map { String(decoding: $0, as: UTF8.self) }
            if let known = params.firstIndex(where: { $0.name == name }), let values {
                params[known].values = (params[known].values ?? []) + values
            } else {
                params.append((name, values))
            }
        }
        return params
    }

    /// The same with their bytes, pair by pair.
    func rawParams(_ lua: Lua, _ place: Int32) throws -> RawParams {
        let place = lua.absolute(place)
        var found = RawParams()
        let count = lua.rawLength(place)
        for item in 0..<count {
            lua.rawGet(place, item + 1)
            defer { lua.pop() }
            guard lua.type(-1) == .table else {
                throw LuaUsageError("parameters are { name = value } or a list of pairs { name, value }")
            }
            let pair = lua.absolute(-1)
            lua.rawGet(pair, 1)
            let name = lua.bytes(-1)
            lua.rawGet(pair, 2)
            defer { lua.pop(2) }
            guard let name else { throw LuaUsageError("the name of a parameter is a string") }
            found.params.append((name, try rawValues(lua, -1, name)))
        }
        if count > 0 {
            found.isList = true
            return found
        }
        try lua.forEachPair(place) { lua in
            guard let name = lua.bytes(-2) else {
                throw LuaUsageError("the name of a parameter is a string")
            }
            found.params.append((name, try rawValues(lua, -1, name)))
        }
        found.params.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return found
    }

    /// The value of a parameter: text, number, boolean, a list of them; nil or null removes.
    func paramValues(_ lua: Lua, _ index: Int32, _ name: String) throws -> [String]? {
        try rawValues(lua, index, Array(name.utf8))?.map { String(decoding: $0, as: UTF8.self) }
    }

    private func rawValues(_ lua: Lua, _ index: Int32, _ name: [UInt8]) throws -> [[UInt8]]? {
        if trees.isNull(lua, index) { return nil }
        switch lua.type(index) {
        case .none, .nil: return nil
        case .string: return [lua.bytes(index) ?? []]
        case .number: return [Array(try lua.tostring(index).utf8)]
        case .boolean: return [Array((lua.isTruthy(index) ? "true" : "false").utf8)]
        case .table:
            let index = lua.absolute(index)
            try lua.forEachPair(index) { lua in
                guard lua.type(-2) == .number else {
                    throw LuaUsageError(
                        "the value of parameter '\(RawText(name))' must be a list, not a table with names")
                }
            }
            return try (0..<lua.rawLength(index)).flatMap { item -> [[UInt8]] in
                lua.rawGet(index, item + 1)
                defer { lua.pop() }
                guard lua.type(-1) != .table else {
                    throw LuaUsageError("the value of parameter '\(RawText(name))' is a list of lists")
                }
                return try rawValues(lua, -1, name) ?? []
            }
        default:
            throw LuaUsageError(
                "the value of parameter '\(RawText(name))' can't be a \(lua.typeName(index))")
        }
    }
}
