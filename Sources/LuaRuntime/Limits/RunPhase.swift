import CLua

/// What a piece of script may do while it runs: wait or not, and how much CPU time it has.
public struct RunPhase: Sendable {
    /// What people call it: "configuration block", "job".
    public let name: String
    /// Whether its host functions may suspend it.
    public let mayWait: Bool
    /// Follows "cannot wait here: ". Says why not, and where waiting is fine.
    public let waitAdvice: String
    /// CPU seconds in one go; each wait begins a new one.
    public let budgetSeconds: Double
    /// CPU seconds of a whole coroutine, waits not counted.
    public let totalSeconds: Double

    let budgetTicks: UInt64
    let totalTicks: UInt64

    public init(
        name: String, mayWait: Bool, waitAdvice: String = "", budgetSeconds: Double,
        totalSeconds: Double = .infinity
    ) {
        self.name = name
        self.mayWait = mayWait
        self.waitAdvice = waitAdvice
        self.budgetSeconds = budgetSeconds
        self.totalSeconds = totalSeconds
        budgetTicks = Self.ticks(budgetSeconds)
        totalTicks = Self.ticks(totalSeconds)
    }

    /// One more than fits, for the tick that has already begun.
    private static func ticks(_ seconds: Double) -> UInt64 {
        let ticks = (seconds / clua_tick_seconds()).rounded(.up) + 1
        return ticks < 1e15 ? UInt64(max(ticks, 1)) : .max >> 1
    }

    static func milliseconds(_ seconds: Double) -> Int64 {
        seconds < 1e12 ? Int64((seconds * 1000).rounded()) : .max
    }
}
