/// What an entry puts aside and its end puts back.
struct EntryRecord {
    let phase: RunPhase?
    let coroutine: LuaCoroutine?
}

extension LuaState {
    /// Entries nest: a host function may call back into Lua.
    func enter(_ phase: RunPhase, coroutine entered: LuaCoroutine? = nil) -> EntryRecord {
        drainReleases()
        let saved = EntryRecord(phase: self.phase, coroutine: coroutine)
        self.phase = phase
        coroutine = entered
        return saved
    }

    func leave(_ saved: EntryRecord) {
        phase = saved.phase
        coroutine = saved.coroutine
    }
}
