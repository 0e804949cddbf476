import Platform

/// Named options of one call. Read each by name, then call `finish`: a key that was not read is an error.
public struct OptionTable {
    private final class Asked {
        var names: [String] = []
    }

    public let lua: Lua
    /// Where the table lies; nil when the script gave none.
    public let table: Int32?
    private let owner: String
    private let asked = Asked()

    /// `table` is the place of a table, `owner` the function that errors name.
    public init(lua: Lua, table: Int32?, owner: String) {
        self.lua = lua
        self.table = table.map { lua.absolute($0) }
        self.owner = owner
    }

    /// Pushes the value and answers its place; nil (and nothing pushed) when it is absent.
    public func value(_ key: String) -> Int32? {
        // One that is looked at before it is read is asked for twice.
        if asked.names.last != key { asked.names.append(key) }
        guard let table else { return nil }
        if lua.rawGet(table, key) != .nil { return lua.top }
        lua.pop()
        return nil
    }

    public func string(_ key: String) throws -> String? { try read(key, "string") { lua.string($0) } }

    public func bytes(_ key: String) throws -> [UInt8]? { try read(key, "string") { lua.bytes($0) } }

    public func integer(_ key: String) throws -> Int64? { try read(key, "integer") { lua.integer($0) } }

    public func number(_ key: String) throws -> Double? { try read(key, "number") { lua.number($0) } }

    public func boolean(_ key: String) throws -> Bool? { try read(key, "boolean") { lua.boolean($0) } }

    public func function(_ key: String) throws -> LuaReference? {
        try read(key, "function") { lua.type($0) == .function ? lua.reference($0) : nil }
    }

    /// Keeps the option's value, of any type; nil when it is absent.
    public func reference(_ key: String) -> LuaReference? {
        guard let place = value(key) else { return nil }
        defer { lua.pop() }
        return lua.reference(place)
    }

    public func object<Object: AnyObject>(
        _ key: String, as type: Object.Type, expected: String? = nil
    ) throws -> Object? {
        try read(key, expected ?? lua.state.name(ofObjectsOf: type)) { lua.object($0, as: type) }
    }

    /// Pushes a table and answers its place.
    public func table(_ key: String) throws -> Int32? {
        guard let place = value(key) else { return nil }
        guard lua.type(place) == .table else { throw wrongType(key, "table", place) }
        return place
    }

    /// A table of options inside this one; it stays on the stack.
    public func options(_ key: String) throws -> OptionTable? {
        try table(key).map { OptionTable(lua: lua, table: $0, owner: "\(owner).\(key)") }
    }

    /// The values that `read` makes of the tables of a list; nil when the list is absent.
    public func items<Item>(_ key: String, _ read: (OptionTable) throws -> Item) throws -> [Item]? {
        guard let place = try table(key) else { return nil }
        var items: [Item] = []
        while try lua.rawItem(place, items.count + 1) != .nil {
            guard lua.type(-1) == .table else {
                throw LuaUsageError(
                    "item \(items.count + 1) of '\(key)' is a table, not a \(lua.typeName(-1))")
            }
            items.append(try read(OptionTable(lua: lua, table: -1, owner: "\(owner).\(key)")))
            lua.pop()
        }
        lua.pop(2)
        return items
    }

    public func required<Value>(_ key: String, _ value: Value?) throws -> Value {
        guard let value else { throw missing(key) }
        return value
    }

    /// Names what may have been meant for it. `owner`: what it calls the function, where that is not the
    /// table's.
    public func missing(_ key: String, of owner: String? = nil) -> LuaUsageError {
        var near: [String] = []
        if let table {
            try? lua.forEachPair(table) { lua in
                guard near.count < 20, let name = lua.string(-2), !asked.names.contains(name),
                    NearestName.nearest(name, among: [key]) != nil
                else { return }
                near.append(name)
            }
        }
        let advice = near.min().map { ": is it '\($0)'?" } ?? ""
        return LuaUsageError(
            "option '\(key)' is missing in the call of '\(owner ?? self.owner)'" + advice)
    }

    /// Throws for a key that was not read. With `allowingItems` keys 1, 2, 3 … are fine.
    public func finish(allowingItems: Bool = false) throws {
        guard let table else { return }
        try lua.forEachPair(table) { lua in
            guard let key = lua.string(-2) else {
                if allowingItems, lua.integer(-2) != nil { return }
                throw LuaUsageError("unknown option of type \(lua.typeName(-2)): options have names")
            }
            if asked.names.contains(key) { return }
            let advice = NearestName.advice(key, among: asked.names)
            let known = asked.names.isEmpty ? "" : ": '\(owner)' knows \(asked.names.joined(separator: ", "))"
            throw LuaUsageError("unknown option '\(key)'" + (advice.isEmpty ? known : advice))
        }
    }

    private func read<Value>(_ key: String, _ expected: String, _ body: (Int32) -> Value?) throws -> Value? {
        guard let place = value(key) else { return nil }
        defer { lua.pop() }
        guard let value = body(place) else { throw wrongType(key, expected, place) }
        return value
    }

    private func wrongType(_ key: String, _ expected: String, _ place: Int32) -> LuaUsageError {
        LuaUsageError("bad option '\(key)' to '\(owner)' (\(expected) expected, got \(lua.typeName(place)))")
    }
}
