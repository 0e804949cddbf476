import Platform

/// The total time for running the blocks of a script in a check: some may not end by themselves, and there
/// may be very many.
@EngineActor
package final class TrialTime {
    /// Seconds of the thread's CPU time (limit L262).
    package static let standardSeconds = 5.0

    private let end: Double
    /// Whether the time ran out before all work was done.
    package private(set) var wasShort = false

    /// Starts now.
    package init(seconds: Double = standardSeconds) { end = ClockReading.threadTime + seconds }

    /// Whether there is time for one more run. A false answer sets ``wasShort``.
    package var isLeft: Bool {
        let isLeft = ClockReading.threadTime < end
        if !isLeft { wasShort = true }
        return isLeft
    }
}
