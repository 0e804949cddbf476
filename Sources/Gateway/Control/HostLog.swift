package import RestEngine
import Synchronization

/// The log of a host, for readers over the network: the last lines, and each new one.
public final class HostLog: Sendable {
    /// See docs/reference/limits.md, L124.
    static let mostRecent = 200

    private struct State {
        var recent: [MaskedText] = []
        var followers: [Int: @Sendable (MaskedText) -> Void] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Adds one entry, an object as JSON. On any thread.
    package func note(_ entry: MaskedText) {
        let followers = state.withLock { state in
            if state.recent.count == Self.mostRecent { state.recent.removeFirst() }
            state.recent.append(entry)
            return state.followers
        }
        for follower in followers.values { follower(entry) }
    }

    /// The oldest first.
    var recent: [MaskedText] { state.withLock { $0.recent } }

    /// - Parameter handler: Called on the thread that writes the entry.
    func follow(_ handler: @escaping @Sendable (MaskedText) -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.followers[state.last] = handler
            return state.last
        }
    }

    func leave(_ follower: Int) { state.withLock { $0.followers[follower] = nil } }
}
