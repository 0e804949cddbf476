extension Arguments {
    /// "bad argument #1 'path' to 'resource' (string expected, got nil)".
    public func wrongType(_ index: Int32, _ name: String, _ expected: String) -> LuaUsageError {
        let got = isModule(index) ? "the module: write \(box.name)(…), with a dot" : lua.typeName(slot(index))
        return bad(index, name, "\(expected) expected, got \(got)")
    }

    var wrongReceiver: LuaUsageError {
        LuaUsageError(
            "bad object for '\(box.name)' (\(box.className) expected, got \(lua.typeName(1)));"
                + " call it as \(box.className):\(box.name)(…)")
    }

    /// `module:f(…)` gives the module itself as the first argument.
    func isModule(_ index: Int32) -> Bool {
        box.role == .function && index == 1 && lua.isFrozen(slot(1))
    }

    /// Throws when the call has a colon for a dot, or a dot for a colon, which moves all arguments by one.
    func requireOwnReceiver() throws {
        if box.role == .method, lua.type(1) != .userdata { throw wrongReceiver }
        if isModule(1) {
            throw LuaUsageError("'\(box.name)' is a function of the module: write \(box.name)(…), with a dot")
        }
    }

    /// "bad argument #1 'path' to 'resource' (reason)"; of a setter: "bad value for 'path' of resource
    /// (reason)".
    public func bad(_ index: Int32, _ name: String, _ reason: String) -> LuaUsageError {
        // With a dot for the colon all arguments are one place off.
        if box.role == .method, lua.type(1) != .userdata { return wrongReceiver }
        return box.role == .field
            ? LuaUsageError("bad value for '\(box.name)' of \(box.className) (\(reason))")
            : LuaUsageError("bad argument #\(index) '\(name)' to '\(box.name)' (\(reason))")
    }
}
