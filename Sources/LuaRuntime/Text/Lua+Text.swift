extension Lua {
    /// What a script prints of a value: the content of a table that can't say by itself what it is, of others what
    /// `tostring` says.
    public func printed(_ index: Int32) throws(LuaError) -> String {
        holdsPlainTable(index) ? ValueText(limit: 4000).text(self, index) : try tostring(index)
    }

    /// A table without `__tostring`.
    private func holdsPlainTable(_ index: Int32) -> Bool {
        guard type(index) == .table else { return false }
        guard pushMetatable(index) else { return true }
        defer { pop(2) }
        return rawGet(-1, "__tostring") == .nil
    }
}
