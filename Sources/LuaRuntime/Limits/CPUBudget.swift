import CLua

/// CPU time, as seconds and in the units that C counts in.
struct CPUBudget: Sendable {
    let seconds: Double
    let ticks: UInt64
    /// For the message only.
    let milliseconds: Int64

    init(seconds: Double, ticks: UInt64, milliseconds: Int64) {
        self.seconds = seconds
        self.ticks = ticks
        self.milliseconds = milliseconds
    }

    init(seconds: Double) {
        // One more than fits, for the tick that has already begun.
        let ticks = (seconds / clua_tick_seconds()).rounded(.up) + 1
        self.init(
            seconds: seconds, ticks: ticks < 1e15 ? UInt64(max(ticks, 1)) : .max >> 1,
            milliseconds: seconds < 1e12 ? Int64((seconds * 1000).rounded()) : .max)
    }
}
