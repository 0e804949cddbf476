/// Keeps one Lua value alive for Swift. It may be let go of on any thread; all else is the owner's.
public final class LuaReference: Sendable {
    let home: LuaHome
    let slot: Int

    init(home: LuaHome, slot: Int) {
        self.home = home
        self.slot = slot
        home.adopt()
    }

    deinit { home.release(slot) }
}
