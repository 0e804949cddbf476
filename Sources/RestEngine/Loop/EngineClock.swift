import Platform

/// The source of time of an engine.
@EngineActor
public protocol EngineClock: AnyObject {
    /// Unix time in seconds; jumps when the system's clock is set.
    var now: Double { get }
    /// Seconds since some point in the past, on a clock that never jumps; used for timers and ages.
    var uptime: Double { get }
}

/// A point in time on both clocks.
struct EngineTime {
    /// Unix time in seconds.
    var now: Double
    var uptime: Double

    /// The uptime for a Unix time; the current one for a time in the future.
    func uptime(at timestamp: Double) -> Double { uptime - max(0, now - timestamp) }
}

/// The machine's clocks.
@EngineActor
public final class SystemClock: EngineClock {
    /// The clock of the system.
    public nonisolated init() {}

    public var now: Double { ClockReading.timeOfDay }
    public var uptime: Double { ClockReading.timeSinceBoot }
}

/// A clock that only moves when it is set. Tests start it at 1,000,000.
@EngineActor
package final class ManualClock: EngineClock {
    /// The time that was last set.
    package private(set) var now: Double
    /// Seconds by which it was moved forward.
    package private(set) var uptime: Double = 0

    /// Starts at that time of day, in Unix seconds.
    package init(now: Double = 1_000_000) { self.now = now }

    /// Moves both times by seconds; a negative step moves only the time of day.
    package func advance(by seconds: Double) {
        now += seconds
        uptime += max(0, seconds)
    }

    /// Moves to a point of uptime that is not in the past, and to the given time of day, which a sum of steps
    /// would not reach exactly.
    package func move(toUptime uptime: Double, now: Double) {
        self.uptime = max(self.uptime, uptime)
        self.now = now
    }

    /// Sets the time of day; timers see the difference if it is forward.
    package func set(_ time: Double) { advance(by: time - now) }
}
