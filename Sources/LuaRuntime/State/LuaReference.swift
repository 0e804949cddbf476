import CLua
import Synchronization

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

/// The state as a `LuaReference` knows it: enough to release the reference on any thread, at any time.
final class LuaHome: Sendable {
    private struct Content {
        var released: [Int] = []
        var isClosed = false
    }

    private let content = Mutex(Content())
    /// Says without the lock that there is something to drain.
    private let hasReleased = Atomic(false)
    private let references = Atomic(0)

    /// The number of references that are held.
    var live: Int { references.load(ordering: .relaxed) }

    func adopt() {
        references.add(1, ordering: .relaxed)
    }

    /// A finalizer that Lua runs in the middle of an allocation may end here, so Lua is not touched: the slot
    /// waits for the next entry.
    func release(_ slot: Int) {
        references.subtract(1, ordering: .relaxed)
        content.withLock { content in
            if !content.isClosed { content.released.append(slot) }
        }
        hasReleased.store(true, ordering: .releasing)
    }

    /// Exchanges the released slots for `slots`, which is empty and lends its memory. False when there are
    /// none.
    func drain(into slots: inout [Int]) -> Bool {
        guard hasReleased.load(ordering: .relaxed), hasReleased.exchange(false, ordering: .acquiring) else {
            return false
        }
        content.withLock { swap(&$0.released, &slots) }
        return true
    }

    func close() {
        content.withLock {
            $0.isClosed = true
            $0.released = []
        }
    }
}

extension LuaState {
    /// Takes the value on top of `thread` off it and keeps it.
    func anchor(_ thread: OpaquePointer) -> Int {
        drainReleases()
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = nextSlot
            nextSlot += 1
        }
        clua_anchor(thread, lua_Integer(slot))
        return slot
    }

    func release(slot: Int) {
        clua_release(clua_main(core), lua_Integer(slot))
        freeSlots.append(slot)
    }

    /// Lets go of what references gave up since the last entry.
    func drainReleases() {
        guard home.drain(into: &releasedSlots) else { return }
        for slot in releasedSlots { release(slot: slot) }
        releasedSlots.removeAll(keepingCapacity: true)
    }
}
