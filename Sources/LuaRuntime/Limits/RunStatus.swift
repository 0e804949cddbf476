import CLua
import CPlatform

/// Where a state shows what it runs. Any thread may look.
final class RunStatus: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer?

    init() { pointer = clua_run_status_new() }

    deinit { clua_run_status_free(pointer) }

    struct Reading: Equatable {
        /// Changes with each beginning and end of a run.
        var sequence: UInt64
        var phase: String
        /// Seconds; nil without a limit.
        var limit: Double?

        var isRunning: Bool { sequence % 2 == 1 }
    }

    func read() -> Reading {
        guard let pointer else { return Reading(sequence: 0, phase: "", limit: nil) }
        var phase: UnsafePointer<CChar>?
        var milliseconds: Int64 = 0
        let sequence = clua_run_status_read(pointer, &phase, &milliseconds)
        return Reading(
            sequence: sequence, phase: phase.map { String(cString: $0) } ?? "",
            limit: milliseconds > 0 && milliseconds < 1 << 40 ? Double(milliseconds) / 1000 : nil)
    }
}

/// The part of one state that a watchdog sees.
final class RunWatch: Sendable {
    let status = RunStatus()
    let notify: @Sendable (LuaHang) -> Void
    private let thread = cplatform_thread_id()

    /// Made on the thread that owns the state.
    init(notify: @escaping @Sendable (LuaHang) -> Void) { self.notify = notify }

    /// The system's view of the state's thread; nil where it has none.
    struct Usage {
        /// It runs, or waits for a processor.
        var wantsProcessor: Bool
        /// CPU time since it began.
        var seconds: Double
    }

    func usage() -> Usage? {
        var wants = false
        var ticks: Int64 = 0
        guard thread != 0, cplatform_thread_usage(thread, &wants, &ticks) else { return nil }
        return Usage(wantsProcessor: wants, seconds: Double(ticks) / 100)
    }
}
