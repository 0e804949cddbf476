import CLua
import CPlatform

/// What a watchdog sees of one state.
final class RunWatch: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer?
    let tell: @Sendable (LuaWedge) -> Void
    private let thread = cplatform_thread_id()

    /// Made on the thread that owns the state.
    init(tell: @escaping @Sendable (LuaWedge) -> Void) {
        pointer = clua_lookout_new()
        self.tell = tell
    }

    deinit { clua_lookout_free(pointer) }

    struct Reading: Equatable {
        /// Changes with each beginning and end of a run.
        var sequence: UInt64
        var phase: String
        /// Seconds; nil without a limit.
        var limit: Double?

        var isRunning: Bool { sequence % 2 == 1 }
    }

    /// What the system says of the state's thread; nil where it says nothing.
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

    func read() -> Reading {
        guard let pointer else { return Reading(sequence: 0, phase: "", limit: nil) }
        var phase: UnsafePointer<CChar>?
        var milliseconds: Int64 = 0
        let sequence = clua_lookout_read(pointer, &phase, &milliseconds)
        return Reading(
            sequence: sequence, phase: phase.map { String(cString: $0) } ?? "",
            limit: milliseconds > 0 && milliseconds < 1 << 40 ? Double(milliseconds) / 1000 : nil)
    }
}

/// A run that should have ended long ago: it is in a native call that looks at no budget. Its thread can't be helped; a
/// state that has such a thread to itself can be given up.
public struct LuaWedge: Sendable, Equatable {
    /// What runs: "transformer".
    public let phase: String
    /// For how long, at least.
    public let seconds: Double
    /// CPU seconds that it may take.
    public let limit: Double
    /// It has come back after all.
    public let isOver: Bool
    /// The run that it is about; nil in tests.
    private let run: (watch: RunWatch, sequence: UInt64)?

    package init(phase: String, seconds: Double, limit: Double, isOver: Bool) {
        self.init(phase: phase, seconds: seconds, limit: limit, isOver: isOver, run: nil)
    }

    init(
        phase: String, seconds: Double, limit: Double, isOver: Bool, run: (watch: RunWatch, sequence: UInt64)?
    ) {
        self.phase = phase
        self.seconds = seconds
        self.limit = limit
        self.isOver = isOver
        self.run = run
    }

    /// The run has come to no end since this was found. Any thread.
    var isStillOn: Bool { run.map { $0.watch.read().sequence == $0.sequence } ?? !isOver }

    public static func == (one: LuaWedge, other: LuaWedge) -> Bool {
        one.phase == other.phase && one.seconds == other.seconds && one.limit == other.limit
            && one.isOver == other.isOver
    }
}
