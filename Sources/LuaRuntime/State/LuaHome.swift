import Synchronization

/// What a `LuaReference` knows of its state: enough to be let go of on any thread, at any time.
final class LuaHome: Sendable {
    private struct Content {
        var released: [Int] = []
        var live = 0
        var isClosed = false
    }

    private let content = Mutex(Content())
    /// Says without the lock that there is something to drain.
    private let hasReleased = Atomic(false)

    var isClosed: Bool { content.withLock { $0.isClosed } }
    var live: Int { content.withLock { $0.live } }

    func adopt() {
        content.withLock { $0.live += 1 }
    }

    /// A finalizer that Lua runs in the middle of an allocation may end here, so Lua is not touched: the slot waits
    /// for the next entry.
    func release(_ slot: Int) {
        content.withLock {
            $0.live -= 1
            if !$0.isClosed { $0.released.append(slot) }
        }
        hasReleased.store(true, ordering: .releasing)
    }

    func drain(_ body: (Int) -> Void) {
        guard hasReleased.exchange(false, ordering: .acquiring) else { return }
        for slot in content.withLock({ content in
            let slots = content.released
            content.released.removeAll()
            return slots
        }) {
            body(slot)
        }
    }

    func close() {
        content.withLock {
            $0.isClosed = true
            $0.released = []
        }
    }
}
