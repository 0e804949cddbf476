import RestEngine

/// A test waits in vain, or the time that it may take is over.
public struct TestClockError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: Sendable, Equatable {
        /// Everything waits, and no timer is armed that could end it.
        case standstill
        /// The next timer is due after the time that was allowed.
        case limit
        /// Work makes new work for ever, without a wait in between.
        case restless
    }

    /// The kind of failure, for programs.
    public let reason: Reason
    /// The failure and the waits behind it, for people.
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension TestClock {
    func error(_ reason: TestClockError.Reason, limit: Duration? = nil) -> TestClockError {
        var text: String
        switch reason {
        case .standstill:
            text =
                "the test waits for something that can't happen: nothing has moved for \(patience), "
                + "and no timer is armed"
        case .limit: text = "the test still waits after \(limit ?? .zero) of the clock's time"
        case .restless: text = "the engine does not come to rest: something begins anew for ever"
        }
        if scheduler.armedTimers > 0, let next = scheduler.nextDeadline {
            text += "; the next of \(scheduler.armedTimers) timers is due in "
            text += "\(Duration(inSeconds: next - time.uptime))"
        }
        for line in waiting() { text += "\n  " + line }
        return TestClockError(reason, text)
    }
}
