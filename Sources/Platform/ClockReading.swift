/// The system's clocks (clock_gettime(2)), read in one place.
package enum ClockReading {
    /// Unix time in seconds; may jump when somebody sets the clock.
    @inline(__always)
    package static var timeOfDay: Double { seconds(of: CLOCK_REALTIME) }

    /// Seconds on a clock that never jumps, from some point in the past.
    @inline(__always)
    package static var uptime: Double { seconds(of: CLOCK_MONOTONIC) }

    /// Of any clock of the system.
    package static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
