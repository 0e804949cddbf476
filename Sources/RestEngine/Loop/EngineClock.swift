import Platform

/// The engine's idea of time.
@EngineActor
public protocol EngineClock: AnyObject {
    /// Unix time in seconds; may jump when somebody sets the clock.
    var now: Double { get }
    /// Seconds on a clock that never jumps, from some point in the past; timers and ages use it.
    var uptime: Double { get }
}

/// A point in time on both clocks.
struct EngineTime {
    /// Unix time in seconds.
    var now: Double
    var uptime: Double

    /// The uptime that belongs to a Unix time; now for one in the future.
    func uptime(at timestamp: Double) -> Double { uptime - max(0, now - timestamp) }
}

/// The machine's clocks.
@EngineActor
public final class SystemClock: EngineClock {
    public nonisolated init() {}

    public var now: Double { ClockReading.timeOfDay }
    public var uptime: Double { ClockReading.timeSinceBoot }
}

/// A clock that stands still until it is told otherwise. Tests start it at 1,000,000.
@EngineActor
public final class ManualClock: EngineClock {
    /// What it was last set to.
    public private(set) var now: Double
    /// Seconds that it was moved forward.
    public private(set) var uptime: Double = 0

    /// Starts at a time of day.
    public init(now: Double = 1_000_000) { self.now = now }

    /// Moves both times; back is for the time of day alone.
    public func advance(by time: Duration) { advance(by: time.inSeconds) }

    /// The same in seconds.
    package func advance(by seconds: Double) {
        now += seconds
        uptime += max(0, seconds)
    }

    /// Moves to a point of uptime that is not in the past, and to a time of day that is given, because a sum
    /// of steps would not meet it exactly.
    public func move(toUptime uptime: Double, now: Double) {
        self.uptime = max(self.uptime, uptime)
        self.now = now
    }

    /// Sets the time of day; timers see the difference when it is forward.
    public func set(_ time: Double) { advance(by: time - now) }
}
