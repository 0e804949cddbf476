import CPlatform
import Platform
import Synchronization

/// A listening socket of several processes.
package struct SharedSocket: Sendable {
    package var descriptor: Int32
    /// The address with the port that the system chose.
    package var bound: String

    package init(descriptor: Int32, bound: String) { (self.descriptor, self.bound) = (descriptor, bound) }
}

/// Accepts connections to a shared socket, on a thread that waits for them.
///
/// Processes that wait in accept(2) get connections in turn. Those that wait for a readable socket, as event
/// loops do, are woken together for one connection, and the fastest gets the most.
final class SharedAcceptor: Sendable {
    private struct State {
        var hasStarted = false
        var isStopped = false
        /// The thread, while it runs.
        var thread: UInt?
    }

    private let socket: Int32
    private let state = Mutex(State())
    private let accepted: @Sendable (Int32) -> Void
    private let refused: @Sendable (Int32) -> Double?

    /// - Parameters:
    ///   - socket: The acceptor makes a descriptor of its own from it.
    ///   - accepted: Gets each connection, on the acceptor's thread.
    ///   - refused: Gets the number of the error after which no connection could be accepted. Returns the
    ///     seconds until the next try; nil for none.
    init?(
        _ socket: Int32, accepted: @escaping @Sendable (Int32) -> Void,
        refused: @escaping @Sendable (Int32) -> Double?
    ) {
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        // The flag belongs to the socket, and all processes wait in the call.
        let flags = fcntl(own, F_GETFL)
        if flags >= 0 { _ = fcntl(own, F_SETFL, flags & ~O_NONBLOCK) }
        (self.socket, self.accepted, self.refused) = (own, accepted, refused)
    }

    deinit { close(socket) }

    /// No effect after the first call.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { return }
        NamedThread.startOrStop(name: "acceptor") { [self] in
            let thread = UInt(cplatform_interruptible_thread())
            state.withLock { $0.thread = thread }
            var pauses = AcceptPauses()
            while !state.withLock({ $0.isStopped }) {
                let connection = cplatform_accept(socket)
                if connection >= 0 {
                    accepted(connection)
                    // The kernel has woken another process for each that waits.
                    if cplatform_is_readable(socket), pauses.take(at: ClockReading.uptime) {
                        usleep(AcceptPauses.microseconds)
                    }
                } else if connection != -EINTR, connection != -ECONNABORTED,
                    let seconds = refused(-connection)
                {
                    usleep(UInt32(seconds * 1e6))
                }
            }
            state.withLock { $0.thread = nil }
        }
    }

    /// Returns when no further connection is accepted. Those that wait stay for the other processes.
    func stop() {
        state.withLock { $0.isStopped = true }
        while let thread = state.withLock({ $0.thread }) {
            // The thread may be between its look at the flag and the call, so once is not enough.
            cplatform_interrupt(UInt(thread))
            usleep(500)
        }
    }
}

/// The pauses in which other processes get their part of many connections at once. Their number is limited,
/// so a flood of short connections is accepted nearly as fast as without them.
struct AcceptPauses {
    /// One pause.
    static let microseconds: UInt32 = 200
    /// Seconds for the limit, which is a fifth of the time or less.
    private static let period = 0.01
    private static let most = 8

    private var end = -Double.infinity
    private var left = 0

    mutating func take(at now: Double) -> Bool {
        if now >= end { (end, left) = (now + Self.period, Self.most) }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
