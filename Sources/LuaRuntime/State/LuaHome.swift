import Synchronization

/// What a `LuaReference` knows of its state: enough to be let go of on any thread, at any time.
final class LuaHome: Sendable {
    private struct Content {
        var released: [Int] = []
        var isClosed = false
    }

    private let content = Mutex(Content())
    /// Says without the lock that there is something to drain.
    private let hasReleased = Atomic(false)
    private let references = Atomic(0)

    /// References that somebody holds.
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
