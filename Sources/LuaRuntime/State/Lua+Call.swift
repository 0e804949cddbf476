import CLua

/// Operations that may run script code: protected, and under the CPU budget of a phase.
extension Lua {
    /// For `call`: as many results as there are.
    public static var allResults: Int32 { -1 }

    /// Calls the function below the `arguments` topmost values, takes them all off and leaves `results`
    /// values. The function can't wait; for that there is `LuaState.spawn`. Called inside a script, it also
    /// counts against the budget of that script.
    public func call(arguments: Int32, results: Int32, phase: RunPhase) throws(LuaError) {
        checkStack(2)
        var budget = phase.budget
        let saved = state.enter(phase)
        let status = clua_call(state.core, raw, arguments, results, &budget)
        state.leave(saved)
        if status != LUA_OK { throw state.takeError(status, from: self) }
    }

    /// Pushes a field; metamethods may run.
    public func get(_ index: Int32, _ field: String) throws(LuaError) {
        let index = absolute(index)
        push(field)
        try guarded { clua_get(state.core, raw, index, $0) }
    }

    /// Pops a key and pushes its value; metamethods may run.
    public func get(_ index: Int32) throws(LuaError) {
        let index = absolute(index)
        try guarded { clua_get(state.core, raw, index, $0) }
    }

    /// Pops a value and sets the field to it; metamethods may run.
    public func set(_ index: Int32, _ field: String) throws(LuaError) {
        let index = absolute(index)
        push(field)
        insert(-2)
        try guarded { clua_set(state.core, raw, index, $0) }
    }

    /// The result of the script's `tostring` for the value; its metamethod may run.
    public func tostring(_ index: Int32) throws(LuaError) -> String {
        let index = absolute(index)
        try guarded { clua_tostring(state.core, raw, index, $0) }
        defer { pop() }
        return string(-1) ?? ""
    }

    /// The result of the operator `#` for the value; its metamethod may run.
    public func length(_ index: Int32) throws(LuaError) -> Int {
        let index = absolute(index)
        try guarded { clua_length(state.core, raw, index, $0) }
        defer { pop() }
        return Int(integer(-1) ?? 0)
    }

    /// As `string.match` of the text at `text` with the pattern at `pattern`: pushes the captures, or the
    /// whole match, and answers how many; 0, with nothing pushed, when nothing matches.
    public func match(_ text: Int32, _ pattern: Int32) throws(LuaError) -> Int32 {
        var captures: Int32 = 0
        try guarded { clua_match(state.core, raw, text, pattern, $0, &captures) }
        guard captures > 0, type(-captures) != .nil else {
            pop(captures)
            return 0
        }
        return captures
    }

    private func guarded(_ body: (UnsafePointer<clua_budget>) -> Int32) throws(LuaError) {
        checkStack(4)
        let phase = state.entry.phase ?? .access
        let saved = state.enter(phase)
        var budget = phase.budget
        let status = body(&budget)
        state.leave(saved)
        if status != LUA_OK { throw state.takeError(status, from: self) }
    }
}

extension RunPhase {
    /// For metamethods that Swift sets off while no script runs.
    static let access = RunPhase(
        name: "access", mayWait: false, waitAdvice: "the host is reading a value", budgetSeconds: 0.05)
}
