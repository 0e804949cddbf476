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

    private static let stage = Atomic(Stage.draining.rawValue)
    private static let connections = Atomic(0)

    static func enter(_ new: Stage) { stage.store(new.rawValue, ordering: .relaxed) }

    /// The number of open client connections.
    static func note(connections count: Int) { connections.store(count, ordering: .relaxed) }

    /// Waits for the process to end, and ends it when that takes too long. It runs on the signal thread.
    static func enforce(drain: Double) -> Never {
        pause(drain + grace)
        if stage.load(ordering: .relaxed) == Stage.writing.rawValue { pause(writing) }
        Streams.lastWord("resthost: error: \(account(drain: drain))\n")
        _exit(1)
    }

    /// Describes the part that did not end, and what is lost.
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
