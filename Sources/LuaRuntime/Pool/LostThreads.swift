import Synchronization

/// Threads that hang in a call which nothing can end, and for which others were started. Each keeps its stack, its Lua state
/// and often a processor, so there is a limit for all pools together.
public final class LostThreads: Sendable {
    public static let shared = LostThreads(limit: 4)

    public let limit: Int
    private let number = Mutex(0)

    public init(limit: Int) { self.limit = limit }

    /// Those that hang now.
    public var count: Int { number.withLock { $0 } }

    /// No other thread takes the place of one that hangs.
    public var isFull: Bool { count >= limit }

    /// False when there are too many already.
    func add() -> Bool {
        number.withLock { number in
            guard number < limit else { return false }
            number += 1
            return true
        }
    }

    /// One has come back, and ends.
    func remove() { number.withLock { $0 -= 1 } }
}
