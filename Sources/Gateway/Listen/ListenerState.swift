import Synchronization

/// What the connections that came in by one listener know of it.
final class ListenerState: Sendable {
    private let closing = Atomic(false)

    /// It takes no more connections, and those it took end with the request under way.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    func beginClosing() { closing.store(true, ordering: .relaxed) }
}
