import Platform

/// How long the blocks of a script are tried out for a check of it, all together: some may not end by
/// themselves, and others be very many.
@EngineActor
public final class TrialTime {
    /// Seconds of the thread's CPU time (limit L262).
    public static let standardSeconds = 5.0

    private let end: Double
    /// Somebody asked for more than there was.
    public private(set) var wasShort = false

    /// Begins now.
    public init(seconds: Double = standardSeconds) { end = ClockReading.threadTime + seconds }

    /// There is time for one more. Asking in vain is remembered.
    public var isLeft: Bool {
        let isLeft = ClockReading.threadTime < end
        if !isLeft { wasShort = true }
        return isLeft
    }
}
