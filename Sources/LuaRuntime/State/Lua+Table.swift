import CLua

/// Raw access: no metamethod runs. The value at `table` must be a table.
extension Lua {
    /// Pushes an empty table with room for that many items and fields.
    public func newTable(array: Int32 = 0, record: Int32 = 0) {
        lua_createtable(room, array, record)
    }

    /// Pushes the global environment.
    public func pushGlobals() {
        clua_push_globals(room)
    }

    /// Pushes the field, or nil.
    @discardableResult
    public func rawGet(_ table: Int32, _ field: String) -> LuaType {
        let table = tableIndex(table)
        push(field)
        return LuaType(code: lua_rawget(raw, table))
    }

    /// Pushes the item, or nil.
    @discardableResult
    public func rawGet(_ table: Int32, _ item: Int) -> LuaType {
        LuaType(code: lua_rawgeti(room, tableIndex(table), lua_Integer(item)))
    }

    /// Pushes the item, or nil, for a loop over what a script gave: throws when the script's time is over.
    @discardableResult
    public func rawItem(_ table: Int32, _ item: Int) throws(LuaUsageError) -> LuaType {
        try poll()
        return rawGet(table, item)
    }

    /// Pops a key and pushes its value, or nil.
    @discardableResult
    public func rawGet(_ table: Int32) -> LuaType {
        LuaType(code: lua_rawget(raw, tableIndex(table)))
    }

    /// Pops a value and sets the field to it.
    public func rawSet(_ table: Int32, _ field: String) {
        let table = tableIndex(table)
        push(field)
        insert(-2)
        lua_rawset(raw, table)
    }

    /// Pops a value and sets the item to it.
    public func rawSet(_ table: Int32, _ item: Int) {
        lua_rawseti(checked, tableIndex(table), lua_Integer(item))
    }

    /// Pops a value, then its key, and sets them. False, and nothing set, when the key is nil or NaN.
    @discardableResult
    public func rawSet(_ table: Int32) -> Bool {
        clua_rawset(checked, tableIndex(table))
    }

    /// The border, as `#` without metamethods; the byte count of a string.
    public func rawLength(_ index: Int32) -> Int {
        Int(lua_rawlen(checked, index))
    }

    /// Whether both are the same value, as `rawequal` says.
    public func rawEqual(_ left: Int32, _ right: Int32) -> Bool {
        lua_rawequal(checked, left, right) != 0
    }

    /// Calls `body` with each key at -2 and value at -1; what it pushes is popped. It may change and clear
    /// fields but should add none: then the loop ends early. Throws when the script's time is over.
    public func forEachPair(_ table: Int32, _ body: (Lua) throws -> Void) throws {
        let table = tableIndex(table)
        let bottom = top
        defer { setTop(bottom) }
        checkStack(6)
        lua_pushnil(raw)
        var more = true
        try poll()
        while clua_next(state.core, raw, table, &more) == LUA_OK, more {
            try body(self)
            setTop(bottom + 1)
            try poll()
        }
    }

    /// Pushes the script's `next`, for what a `__pairs` gives.
    public func pushNext() {
        clua_push_next(room)
    }

    /// Pops a table or nil and makes it the metatable. A table with `__gc` stops the process: finalizers run
    /// where no budget reaches.
    public func setMetatable(_ index: Int32) {
        let index = absolute(index)
        if type(-1) == .table {
            let hasFinalizer = rawGet(-1, "__gc") != .nil
            pop()
            precondition(!hasFinalizer, "a metatable from Swift has __gc")
        }
        _ = lua_setmetatable(checked, index)
    }

    /// Pushes the metatable, if there is one.
    public func pushMetatable(_ index: Int32) -> Bool {
        lua_getmetatable(room, index) != 0
    }

    /// Pops a metatable that is locked by its field `__metatable`: scripts may still take it off a table of
    /// theirs.
    public func letScriptsRemoveMetatable() {
        _ = tableIndex(-1)
        clua_let_remove(raw)
    }

    /// Whether the value has a metatable that no script may replace.
    public func isProtected(_ index: Int32) -> Bool {
        clua_is_protected(raw, absolute(index))
    }

    /// Makes the table on top read only, for raw access too: what is assigned to it goes to `refusal` as
    /// arguments (table, key, value), which throws. A metatable that it has goes on answering for names that
    /// are missing.
    public func freeze(refusal: @escaping HostFunction) {
        _ = tableIndex(-1)
        push(function: refusal, name: "__newindex")
        clua_freeze(raw)
    }

    /// The value is a table made read only by ``freeze(refusal:)``, as modules are.
    public func isFrozen(_ index: Int32) -> Bool {
        type(index) == .table && clua_is_frozen(raw, index)
    }

    /// Pushes the value at `index`, or what a table holds that ``freeze(refusal:)`` made read only. For
    /// looking at: scripts must not get it.
    public func pushShown(_ index: Int32) {
        let index = absolute(index)
        checkStack(4)
        if !clua_push_content(raw, index) { pushValue(at: index) }
    }

    private func tableIndex(_ index: Int32) -> Int32 {
        precondition(lua_type(checked, index) == LUA_TTABLE, "the value at \(index) is no table")
        return lua_absindex(raw, index)
    }
}
