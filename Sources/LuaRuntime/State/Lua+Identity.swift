import CLua

extension Lua {
    /// What tells a table, function, thread or userdata from all others while it lives.
    public func identity(_ index: Int32) -> UnsafeRawPointer? {
        lua_topointer(checked, index).map { UnsafeRawPointer($0) }
    }
}
