import LuaRuntime
import RestEngine

/// Names and values as a script gave them. Strings may have any bytes; nil values remove a name.
struct RawParams {
    var params: [(name: [UInt8], values: [[UInt8]]?)] = []
    /// True when they came as a list of pairs, whose order is kept; otherwise they are sorted by name.
    var isList = false

    /// The limit of names and values that a script may give at once.
    struct Limit {
        let count: Int
        let bytes: Int
        /// The name in messages.
        let what: String

        static let url = Limit(count: 10_000, bytes: 1 << 20, what: "the parameters of a URL")
        /// The limit is lower because its encoding can't be interrupted.
        static let form = Limit(count: 100_000, bytes: 4 << 20, what: "the fields of a form")

        func check(count: Int, bytes: Int = 0) throws(LuaUsageError) {
            if count > self.count { throw LuaUsageError("\(what) are \(self.count) at most") }
            if bytes > self.bytes {
                throw LuaUsageError("\(what) take \(self.bytes >> 20) MiB at most")
            }
        }
    }
}

extension ScriptValues {
    /// Reads `{ name = value | list | null }` or `{ { name, value }, … }`. The values of a name are
    /// collected.
    func params(_ lua: Lua, _ place: Int32) throws -> [(name: String, values: [String]?)] {
        var params: [(name: String, values: [String]?)] = []
        var places: [String: Int] = [:]
        for raw in try rawParams(lua, place, .url).params {
            let name = String(decoding: raw.name, as: UTF8.self)
            let values = raw.values?.map { String(decoding: $0, as: UTF8.self) }
            if let known = places[name], let values {
                if params[known].values == nil { params[known].values = [] }
                params[known].values? += values
            } else {
                if places[name] == nil { places[name] = params.count }
                params.append((name, values))
            }
        }
        return params
    }

    /// The same as bytes, and pair by pair.
    func rawParams(_ lua: Lua, _ place: Int32, _ limit: RawParams.Limit) throws -> RawParams {
        let place = lua.absolute(place)
        var found = RawParams()
        let count = lua.rawLength(place)
        try limit.check(count: count)
        var (values, bytes) = (0, 0)
        func add(_ name: [UInt8], _ place: Int32) throws {
            let given = try rawValues(lua, place, name, limit)
            values += max(1, given?.count ?? 1)
            // Each value is written with the name.
            bytes += given?.reduce(0) { $0 + name.count + $1.count } ?? 0
            try limit.check(count: values, bytes: bytes)
            found.params.append((name, given))
        }
        for item in 0..<count {
            try lua.rawItem(place, item + 1)
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
            try add(name, -1)
        }
        if count > 0 {
            found.isList = true
            return found
        }
        try lua.forEachPair(place) { lua in
            guard let name = lua.bytes(-2) else {
                throw LuaUsageError("the name of a parameter is a string")
            }
            try add(name, -1)
        }
        found.params.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return found
    }

    /// The value of a parameter: text, number, boolean, or a list of them. nil or null removes it.
    func paramValues(_ lua: Lua, _ index: Int32, _ name: String) throws -> [String]? {
        try RawParams.Limit.url.check(count: 1, bytes: name.utf8.count)
        return try rawValues(lua, index, Array(name.utf8), .url)?.map { String(decoding: $0, as: UTF8.self) }
    }

    private func rawValues(
        _ lua: Lua, _ index: Int32, _ name: [UInt8], _ limit: RawParams.Limit
    ) throws -> [[UInt8]]? {
        if trees.isNull(lua, index) { return nil }
        switch lua.type(index) {
        case .none, .nil: return nil
        case .string:
            try limit.check(count: 1, bytes: name.count + lua.rawLength(index))
            return [lua.bytes(index) ?? []]
        case .number: return [Array(try lua.tostring(index).utf8)]
        case .boolean: return [Array((lua.isTruthy(index) ? "true" : "false").utf8)]
        case .table:
            let index = lua.absolute(index)
            try limit.check(count: lua.rawLength(index))
            try lua.forEachPair(index) { lua in
                guard lua.type(-2) == .number else {
                    throw LuaUsageError(
                        "the value of parameter '\(RawText(name))' must be a list, not a table with names")
                }
            }
            var bytes = 0
            return try (0..<lua.rawLength(index)).flatMap { item -> [[UInt8]] in
                try lua.rawItem(index, item + 1)
                defer { lua.pop() }
                guard lua.type(-1) != .table else {
                    throw LuaUsageError("the value of parameter '\(RawText(name))' is a list of lists")
                }
                let values = try rawValues(lua, -1, name, limit) ?? []
                bytes += values.reduce(0) { $0 + name.count + $1.count }
                try limit.check(count: 0, bytes: bytes)
                return values
            }
        default:
            throw LuaUsageError(
                "the value of parameter '\(RawText(name))' can't be a \(lua.typeName(index))")
        }
    }
}

extension Lua {
    /// A list of strings at `index`.
    func strings(_ index: Int32, _ name: String) throws -> [String] {
        guard type(index) == .table else {
            throw LuaUsageError("'\(name)' must be a list of strings, not a \(typeName(index))")
        }
        let index = absolute(index)
        // Only metamethods can see the items of a read-only table.
        let count = isFrozen(index) ? try length(index) : rawLength(index)
        try forEachPair(index) { lua in
            guard lua.isInteger(-2), let place = lua.integer(-2), (1...Int64(max(1, count))).contains(place)
            else {
                throw LuaUsageError(
                    "'\(name)' must be a list of strings, which has no place for the key '\(try lua.tostring(-2))'"
                )
            }
        }
        return try (0..<count).map { item in
            push(item + 1)
            try get(index)
            defer { pop() }
            guard let text = string(-1) else {
                throw LuaUsageError("item \(item + 1) of '\(name)' must be a string, not a \(typeName(-1))")
            }
            return text
        }
    }
}
