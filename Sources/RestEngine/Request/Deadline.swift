/// The time at which a request must have ended. Its total time counts from its start; a request that is part
/// of another call, for example in a chain, ends with that call at the latest (rules 41.8, 10.13).
extension Request {
    /// Limits the request to the deadline of the call that it is part of.
    func mustEnd(by deadline: Double) { self.deadline = min(self.deadline, deadline) }

    /// The smaller of `seconds` from now and the time that is left of its call; infinite without limits.
    ///
    /// - Parameter seconds: 0 for any time.
    func timeLeft(of seconds: Double) -> Double {
        let own = seconds > 0 ? seconds : .infinity
        return deadline < .infinity ? min(own, deadline - engine.scheduler.uptime) : own
    }
}

extension NetworkWork {
    /// Seconds for the whole request; 0 for any time.
    var totalSeconds: Double {
        if let secondsAtStart { return secondsAtStart }
        if let timeout = plan.timeout { return timeout }
        return finalConfiguration.configuration.timeouts.totalSeconds
    }
}

extension TransportError {
    /// The error of a request whose total time is over.
    static func overdue(after seconds: Double) -> TransportError {
        let message =
            seconds == .leastNormalMagnitude
            ? "the time for the request was over before it began"
            : "the request did not end within \(inWords(seconds: seconds))"
        return TransportError(.timeout, phase: .total, message: message)
    }

    /// `1 second`, `2.5 seconds`.
    static func inWords(seconds: Double) -> String {
        let rounded = (seconds * 1000).rounded() / 1000
        let number = rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
        return "\(number) second\(rounded == 1 ? "" : "s")"
    }
}

extension Engine {
    /// The time on the scheduler's uptime clock; infinite for nil.
    func uptime(at instant: ContinuousClock.Instant?) -> Double {
        guard let instant else { return .infinity }
        return scheduler.uptime + ContinuousClock.now.duration(to: instant).inSeconds
    }
}
