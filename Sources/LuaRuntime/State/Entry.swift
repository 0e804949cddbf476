/// Whose rules apply while a script runs.
struct Entry {
    var phase: RunPhase?
    var coroutine: LuaCoroutine?
}
