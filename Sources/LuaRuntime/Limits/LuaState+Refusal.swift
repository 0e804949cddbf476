import CLua

/// For tests: makes the nth allocation of a script fail.
extension LuaState {
    /// Counts from now; 0 turns it off.
    func refuseAllocation(_ nth: Int) {
        clua_refuse(core, Int64(nth))
    }

    var hasRefusedAllocation: Bool { clua_refused(core) }

    /// Swift objects and functions that Lua holds.
    var hostObjectCount: Int { Int(clua_boxes(core)) }

    /// `LuaReference`s that somebody holds.
    var referenceCount: Int { home.live }
}
