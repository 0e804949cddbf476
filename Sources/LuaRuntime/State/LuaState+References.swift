import CLua

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
