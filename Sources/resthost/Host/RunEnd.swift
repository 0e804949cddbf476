import LuaRuntime
import Platform
import RestEngine
import Synchronization

/// The end of a run, as the thread of the signals sees it. The engine's loop ends the process by itself; when
/// the loop hangs, this thread does, so that a service manager or a container never has to kill the host.
enum RunEnd {
    enum Stage: Int {
        /// Requests in flight go on, and `on_shutdown` runs.
        case draining
        /// Recordings, caches and stores are written.
        case writing
    }

    /// Seconds beyond the drain time until a loop that hangs is left behind.
    private static let grace = 1.0
    /// Seconds for files beyond that: a disk may be slow, and what is cut here is lost. See
    /// docs/reference/limits.md, L273.
    private static let writing = 10.0

    private static let stage = Atomic(Stage.draining.rawValue)
    private static let connections = Atomic(0)

    static func enter(_ new: Stage) { stage.store(new.rawValue, ordering: .relaxed) }

    /// Connections of clients that are still open.
    static func note(connections count: Int) { connections.store(count, ordering: .relaxed) }

    /// Waits for the process to end, and ends it when that takes too long. On the thread of the signals.
    static func enforce(drain: Double) -> Never {
        pause(drain + grace)
        if stage.load(ordering: .relaxed) == Stage.writing.rawValue { pause(writing) }
        Streams.lastWord("resthost: error: \(account(drain: drain))\n")
        _exit(1)
    }

    /// Tells which part didn't come to its end, and what is lost.
    private static func account(drain: Double) -> String {
        if stage.load(ordering: .relaxed) == Stage.writing.rawValue {
            return
                "stopped by force: files were still being written \(writing) s after the requests had ended, "
                + "and may lack the last changes"
        }
        let seconds = (10 * (drain + grace)).rounded() / 10
        let open = connections.load(ordering: .relaxed)
        let phase = LuaWatchdog.shared.runningPhase.map { ", in a \($0)" } ?? ""
        return "stopped by force \(seconds) s after the signal: the engine hangs\(phase); cut off: "
            + "\(open) connection\(open == 1 ? "" : "s"), and what caches, stores and recordings had not written"
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
