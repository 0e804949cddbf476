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
        plan.timeout ?? (configurationAtStart ?? finalConfiguration).configuration.timeouts.totalSeconds
    }
}

extension TransportError {
    /// The error of a request whose total time is over.
    static func overdue(after seconds: Double) -> TransportError {
        TransportError(
            .timeout, phase: .total, message: "the request did not end within \(inWords(seconds: seconds))")
    }

    /// `1 second`, `2.5 seconds`.
    static func inWords(seconds: Double) -> String {
        let rounded = (seconds * 1000).rounded() / 1000
        let number = rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
        return "\(number) second\(rounded == 1 ? "" : "s")"
    }
}
