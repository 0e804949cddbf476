import CLua

extension LuaState {
    /// Tells functions apart by what they do: code that is the same, wherever it stands in its file, and that reaches the
    /// same values has the same number in every state of this process. Nil when there is too much to look at.
    public func fingerprint(of function: LuaReference) -> UInt64? {
        let lua = main
        lua.push(function)
        defer { lua.pop() }
        let number = clua_fingerprint(lua.raw, -1)
        return number == 0 ? nil : number
    }
}
