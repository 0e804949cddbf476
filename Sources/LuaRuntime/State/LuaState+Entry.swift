/// Whose rules apply while a script runs.
struct Entry {
    var phase: RunPhase?
    var coroutine: LuaCoroutine?
}

extension LuaState {
    /// Entries nest: a host function may call back into Lua. Answers what `leave` puts back.
    func enter(_ phase: RunPhase, coroutine: LuaCoroutine? = nil) -> Entry {
        drainReleases()
        let outer = entry
        entry = Entry(phase: phase, coroutine: coroutine)
        return outer
    }

    func leave(_ outer: Entry) {
        entry = outer
    }
}
