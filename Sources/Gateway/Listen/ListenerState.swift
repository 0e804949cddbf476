import Synchronization

/// The state of a listener that its connections need.
final class ListenerState: Sendable {
    /// The configured address.
    let text: String
    private let closing = Atomic(false)
    private let current: Mutex<ListenerSecurity?>

    init(_ text: String, _ security: ListenerSecurity? = nil) {
        self.text = text
        current = Mutex(security)
    }

    /// The security of the next connection; nil without TLS.
    var security: ListenerSecurity? { current.withLock { $0 } }

    func use(_ security: ListenerSecurity?) { current.withLock { $0 = security } }

    /// The listener accepts no more connections, and its connections end with the request under way.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    func beginClosing() { closing.store(true, ordering: .relaxed) }
}
