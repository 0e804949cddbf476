import LuaRuntime
import RestEngine

/// Reads the properties that a script gives to endpoints, definitions and modifiers.
struct PropertiesBinding: ScriptBinding {
    unowned let context: ScriptContext

    /// The properties in an argument; empty when the argument is absent.
    func properties(_ call: Arguments, _ index: Int32) throws -> RequestProperties {
        try defining { try read(try call.options(index, "properties")) }
    }

    /// The properties that a function returned, in the table on top of the stack.
    func properties(returnedOn lua: Lua, to name: String) throws -> RequestProperties {
        switch lua.type(-1) {
        case .nil, .none: return RequestProperties()
        case .table where !lua.isFrozen(-1):
            return try defining { try read(OptionTable(lua: lua, table: lua.top, owner: name)) }
        default:
            throw LuaUsageError(
                "the function of '\(name)' returned \(lua.nameOfResult(-1)) where it must return a table of properties"
            )
        }
    }

    private func read(_ options: OptionTable) throws -> RequestProperties {
        let lua = options.lua
        let height = lua.top
        defer { lua.setTop(height) }
        var given = GivenProperties()
        try options.read(GivenProperties.schema, into: &given)
        var properties = given.properties
        properties.headers = try given.headers.map { try headers(lua, $0) }
        properties.query = try given.query.map { try query(lua, $0) }
        properties.path = try given.path.map { try path(lua, $0) }
        properties.body = try body(given, of: options)
        if let contentType = given.contentType, properties.body == nil {
            properties.headers = (properties.headers ?? []) + [HeaderItem("Content-Type", contentType)]
        }
        if let function = given.configure {
            lua.push(function.reference)
            properties.configuration = [configuration(function, lua.identity(-1))]
        }
        return properties
    }

    private func body(
        _ given: GivenProperties, of options: OptionTable
    ) throws -> RequestProperties.BodyChange? {
        if let place = given.body.body, trees.isNull(options.lua, place) {
            for name in ["text", "json", "form", "multipart", "file", "charset"]
            where options.value(name) != nil {
                options.lua.pop()
                throw LuaUsageError("'body = rest.null' removes the body: it can't go with '\(name)'")
            }
            return .remove
        }
        guard let made = try RequestOptionsBinding(context: context).body(given.body, of: options) else {
            return nil
        }
        switch made.body {
        case .success(let body): return .replace(DefinedBody(body, contentType: given.contentType))
        case .failure(let error):
            return .replace(DefinedBody(made.kind, failure: error.cause, contentType: given.contentType))
        }
    }

    // MARK: Configuration

    /// A configuring function of a script. It is identified by its address as long as it is held.
    func configuration(_ function: ScriptFunction, _ address: UnsafeRawPointer?) -> ConfigurationFunction {
        let origin = function.place ?? ""
        let made = ConfigurationFunction(
            identity: context.blocks.identity(of: function.reference, at: address), origin: origin,
            apply: BlockBinding(context: context).run(function, at: origin, BlockGates()))
        context.declarations.note(made)
        return made
    }

    // MARK: Headers, query, path

    /// Headers from a table, sorted by name, or from a list of pairs, in its order.
    private func headers(_ lua: Lua, _ place: Int32) throws -> [HeaderItem] {
        var items: [HeaderItem] = []
        var left = MostHeaders.bytes
        let isList = try forEachItem(lua, place, "headers", "header") { name, value in
            guard items.count <= DefinitionLimits.headerFields else {
                throw LuaUsageError(
                    "the headers of a definition are \(DefinitionLimits.headerFields) fields at most")
            }
            if lua.type(value) == .nil { return }
            let values = try lua.headerValues(value, name: name)
            left -= values.reduce(name.utf8.count) { $0 + $1.utf8.count }
            guard left >= 0 else { throw Lua.tooLongHeaders }
            items.append(HeaderItem(name, values))
        }
        if !isList { items.sort { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) } }
        return items
    }

    /// Parameters from a table, sorted by name, or from a list of pairs, in its order.
    private func query(_ lua: Lua, _ place: Int32) throws -> [QueryItem] {
        var items: [QueryItem] = []
        var count = 0
        let isList = try forEachItem(lua, place, "query", "parameter") { name, place in
            guard let value = try queryValue(lua, place, name, &count) else { return }
            items.append(QueryItem(name, value))
        }
        if !isList { items.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        return items
    }

    /// The value of a parameter; nil for nil. `count` is the number of values so far: the limit is checked
    /// before more values are copied.
    func queryValue(
        _ lua: Lua, _ place: Int32, _ name: String, _ count: inout Int
    ) throws -> QueryValue? {
        let place = lua.absolute(place)
        count += 1
        guard count <= DefinitionLimits.queryValues else {
            throw LuaUsageError(
                "the query of a definition has \(DefinitionLimits.queryValues) values at most")
        }
        if trees.isNull(lua, place) { return .bare }
        switch lua.type(place) {
        case .none, .nil: return nil
        case .string: return .text(try text(lua, place, "the value of parameter '\(name)'"))
        case .boolean: return .boolean(lua.isTruthy(place))
        case .number: return try number(lua, place, integer: { .integer($0) }, other: { try .number($0) })
        case .table:
            // The values of the list count, not the list itself.
            count -= 1
            let length = lua.rawLength(place)
            try refuseNames(lua, place, length, "the value of parameter '\(name)'")
            var values: [QueryValue] = []
            for item in 0..<length {
                try lua.rawItem(place, item + 1)
                defer { lua.pop() }
                guard lua.type(-1) != .table || trees.isNull(lua, -1) else {
                    throw LuaUsageError("the value of parameter '\(name)' is a list of lists")
                }
                if let value = try queryValue(lua, -1, name, &count) { values.append(value) }
            }
            return try .list(values)
        default:
            if let raw = lua.object(place, as: ScriptEscapedText.self) { return try .raw(raw.text) }
            throw LuaUsageError(
                "the value of parameter '\(name)' is text, a number, a boolean, rest.raw(…) or a list of them, not a "
                    + lua.typeName(place))
        }
    }

    private func path(_ lua: Lua, _ place: Int32) throws -> [PathComponent] {
        guard lua.type(place) == .table, !lua.isFrozen(place) else {
            throw LuaUsageError(
                "'path' is a list of components, path = { \"a\", 1 }, not a \(lua.typeName(place))")
        }
        let length = lua.rawLength(place)
        guard length <= DefinitionLimits.pathComponents else {
            throw LuaUsageError(
                "the path of a definition has \(DefinitionLimits.pathComponents) components at most")
        }
        try refuseNames(lua, place, length, "'path'")
        return try (0..<length).map { item in
            try lua.rawItem(place, item + 1)
            defer { lua.pop() }
            return try component(lua, -1, "component \(item + 1) of 'path'")
        }
    }

    /// A string, a number, a boolean or `rest.raw(…)` as a component of a path.
    func component(_ lua: Lua, _ place: Int32, _ what: String) throws -> PathComponent {
        switch lua.type(place) {
        case .string: return try PathComponent(text(lua, place, what))
        case .boolean: return PathComponent(lua.isTruthy(place))
        case .number:
            return try number(lua, place, integer: { PathComponent($0) }, other: { try PathComponent($0) })
        default:
            if let raw = lua.object(place, as: ScriptEscapedText.self) { return try .raw(raw.text) }
            throw LuaUsageError(
                "\(what) is text, a number, a boolean or rest.raw(…), not \(lua.nameOfResult(place))")
        }
    }

    private func number<Value>(
        _ lua: Lua, _ place: Int32, integer: (Int64) -> Value, other: (Double) throws -> Value
    ) throws -> Value {
        if lua.isInteger(place), let value = lua.integer(place) { return integer(value) }
        return try other(lua.number(place) ?? 0)
    }

    /// A URL is made of text. Bytes that are not UTF-8 are refused, so that a mistake does not stay hidden.
    private func text(_ lua: Lua, _ place: Int32, _ what: String) throws -> String {
        guard let text = String(validating: lua.bytes(place) ?? [], as: UTF8.self) else {
            throw LuaUsageError("\(what) is not UTF-8: escape its bytes, rest.raw(rest.url.encode(bytes))")
        }
        return text
    }

    /// Calls `body` with the name of each item and the index of its value. Returns true when the items are a
    /// list of pairs.
    private func forEachItem(
        _ lua: Lua, _ place: Int32, _ option: String, _ item: String, _ body: (String, Int32) throws -> Void
    ) throws -> Bool {
        let place = lua.absolute(place)
        let length = lua.rawLength(place)
        guard length > 0 else {
            try lua.forEachPair(place) { lua in
                guard lua.type(-2) == .string else {
                    throw LuaUsageError("the name of a \(item) is a string, not a \(lua.typeName(-2))")
                }
                try body(try text(lua, -2, "the name of a \(item)"), lua.absolute(-1))
            }
            return false
        }
        try refuseNames(lua, place, length, "'\(option)' as a list of pairs")
        for number in 0..<length {
            try lua.rawItem(place, number + 1)
            defer { lua.pop() }
            let pair = lua.absolute(-1)
            guard lua.type(pair) == .table, !trees.isNull(lua, pair) else {
                throw LuaUsageError(
                    "'\(option)' is a table { name = value } or a list of pairs { { name, value }, … }; item "
                        + "\(number + 1) is a \(lua.typeName(pair))")
            }
            try refuseNames(lua, pair, 2, "item \(number + 1) of '\(option)'")
            lua.rawGet(pair, 1)
            lua.rawGet(pair, 2)
            defer { lua.pop(2) }
            guard lua.type(-2) == .string else {
                throw LuaUsageError(
                    "item \(number + 1) of '\(option)' is a pair { name, value }, whose name is a string, not "
                        + lua.nameOfResult(-2))
            }
            try body(try text(lua, -2, "the name of a \(item)"), lua.absolute(-1))
        }
        return true
    }

    /// Refuses keys that are not indexes of the list.
    private func refuseNames(_ lua: Lua, _ place: Int32, _ length: Int, _ what: String) throws {
        try lua.forEachPair(place) { lua in
            if lua.isInteger(-2), let key = lua.integer(-2), key >= 1, key <= length { return }
            throw LuaUsageError("\(what) is a list, which has no place for the key '\(try lua.tostring(-2))'")
        }
    }
}
