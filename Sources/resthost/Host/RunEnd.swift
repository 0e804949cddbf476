import LuaRuntime
import Platform
import RestEngine
import Synchronization

/// The end of a run, as the signal thread controls it. The engine's loop ends the process itself. When the
/// loop hangs, this thread ends it, so that a service manager or a container never has to kill the host.
enum RunEnd {
    enum Stage: Int {
        /// Requests in flight continue, and `on_shutdown` runs.
        case draining
        /// Recordings, caches and stores are written.
        case writing
    }

    /// Seconds after the drain time, after which a hanging loop is no longer awaited.
    private static let grace = 1.0
    /// Further seconds for files: a disk may be slow, and unwritten data is lost. See
    /// docs/reference/limits.md, L273.
    private static let writing = 10.0

    /// Seconds after the drain time in which a worker has ended, in one way or the other.
    static let longestEnd = grace + writing + 2

    /// The times of the end, in seconds.
    struct Times: Sendable {
        /// See docs/reference/limits.md, L63.
        static let usualDrain = 5.0

        var delay = 0.0
        var drain = usualDrain

        init(_ options: RunCommand) {
            delay = options.drainDelay ?? 0
            drain = options.drain ?? Self.usualDrain
        }

        fileprivate init() {}
    }

    private static let given = Mutex(Times())

    /// Set once at the start; any thread.
    static var times: Times {
        get { given.withLock { $0 } }
        set { given.withLock { $0 = newValue } }
    }

    private static let stage = Atomic(Stage.draining.rawValue)
    private static let connections = Atomic(0)

    static func enter(_ new: Stage) { stage.store(new.rawValue, ordering: .relaxed) }

    /// The number of open client connections.
    static func note(connections count: Int) { connections.store(count, ordering: .relaxed) }

    /// Waits for the process to end, and ends it when that takes too long. It runs on the signal thread.
    static func enforce() -> Never {
        pause(times.delay + times.drain + grace)
        if stage.load(ordering: .relaxed) == Stage.writing.rawValue { pause(writing) }
        Streams.lastWord("resthost: error: \(account())\n")
        _exit(1)
    }

    /// Describes the part that did not end, and what is lost.
    private static func account() -> String {
        if stage.load(ordering: .relaxed) == Stage.writing.rawValue {
            return
                "stopped by force: files were still being written \(writing) s after the requests had ended, "
                + "and may lack the last changes"
        }
        let seconds = text(times.delay + times.drain + grace)
        let open = connections.load(ordering: .relaxed)
        let phase = LuaWatchdog.shared.runningPhase.map { ", in a \($0)" } ?? ""
        return "stopped by force \(seconds) s after the signal: the engine hangs\(phase); cut off: "
            + "\(open) connection\(open == 1 ? "" : "s"), and what caches, stores and recordings had not written"
    }

    /// Seconds, to a tenth.
    static func text(_ seconds: Double) -> String {
        let rounded = (10 * seconds).rounded() / 10
        return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }

    private static func pause(_ seconds: Double) {
        let end = ClockReading.timeSinceBoot + seconds
        while true {
            let left = end - ClockReading.timeSinceBoot
            guard left > 0 else { return }
            var pause = timespec(tv_sec: Int(left), tv_nsec: Int((left - left.rounded(.down)) * 1e9))
            nanosleep(&pause, nil)
        }
    }
}
