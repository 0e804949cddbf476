import CPlatform

/// What a watchdog sees of one state.
final class RunWatch: Sendable {
    let lookout = RunLookout()
    let tell: @Sendable (LuaWedge) -> Void
    private let thread = cplatform_thread_id()

    /// Made on the thread that owns the state.
    init(tell: @escaping @Sendable (LuaWedge) -> Void) { self.tell = tell }

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
}
