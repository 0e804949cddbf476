import LuaRuntime

/// Readers of tables by which bundled modules describe themselves and their results.
extension Lua {
    /// The values that `read` makes of the items of the list in a field; none without one.
    func items<Item>(_ table: Int32, _ field: String, _ read: (Int32) throws -> Item) throws -> [Item] {
        let height = top
        defer { setTop(height) }
        guard rawGet(table, field) == .table else { return [] }
        let list = top
        return try (0..<rawLength(list)).map { place in
            rawGet(list, place + 1)
            defer { setTop(list) }
            return try read(top)
        }
    }

    /// The text in a field; nil for another type.
    func text(_ table: Int32, _ field: String) -> String? {
        rawGet(table, field)
        defer { pop() }
        return string(-1)
    }

    /// The number in a field, as a script would write it; nil for another type.
    func number(_ table: Int32, _ field: String) -> String? {
        defer { pop() }
        guard rawGet(table, field) == .number else { return nil }
        return try? tostring(-1)
    }

    /// Whether a field has a true value.
    func flag(_ table: Int32, _ field: String) -> Bool {
        rawGet(table, field)
        defer { pop() }
        return isTruthy(-1)
    }
}
