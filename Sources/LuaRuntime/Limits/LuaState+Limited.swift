import CLua

extension Lua {
    /// Throws when the script's time is over. For loops of host functions over a script's values; the call
    /// then ends with the error of its budget, whatever happens to this error.
    public func poll() throws(LuaUsageError) {
        if state.isSpent { throw .spent }
    }
}

extension LuaState {
    /// Does work of the host's under the budget of a phase, with all that it sets off in Lua: a walk through
    /// what a script gave, when no function of the script runs that it could be counted to, or several calls
    /// that shall not take long together. Inside a run it counts to that as well.
    public func limited<Result>(by phase: RunPhase, _ work: () throws -> Result) throws -> Result {
        verifyOwner()
        var budget = phase.budget
        var entry = clua_entry()
        let outer = enter(phase)
        clua_begin(core, &budget, &entry)
        let result = Swift.Result { try work() }
        clua_end(core, &entry)
        leave(outer)
        guard case .failure(let error as LuaUsageError) = result, error == .spent else {
            return try result.get()
        }
        var excess = clua_excess()
        guard clua_expired(core, &excess) else { throw error }
        let exceeded = ExceededLimit(excess)
        throw LuaError(kind: .budget, message: exceeded.text(advice: phase.limitAdvice), exceeded: exceeded)
    }
}

extension ExceededLimit {
    /// As C says it, where a function of a script runs.
    fileprivate func text(advice: String) -> String {
        func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }
        let scope = budget == .total ? "in all" : "in one go"
        return "\(phase) used \(milliseconds(used)) ms of CPU time \(scope); its limit is"
            + " \(milliseconds(limit)) ms" + (advice.isEmpty ? "" : ": \(advice)")
    }
}
