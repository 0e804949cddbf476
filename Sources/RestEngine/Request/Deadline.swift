/// When a request must have ended: its total time counts from its start, and what is part of another call, a
/// request in a chain for instance, ends with that at the latest (rules 41.8, 10.13).
extension Request {
    /// It is part of a call that must end by then.
    func mustEnd(by deadline: Double) { self.deadline = min(self.deadline, deadline) }

    /// Seconds that are left of so many, counted from now, and of its call's; infinite without limits.
    ///
    /// - Parameter seconds: 0 for any time.
    func timeLeft(of seconds: Double) -> Double {
        let own = seconds > 0 ? seconds : .infinity
        return deadline < .infinity ? min(own, deadline - engine.scheduler.uptime) : own
    }
}

extension NetworkWork {
    /// Seconds for all that it does; 0 for any time.
    var totalSeconds: Double {
        plan.timeout ?? (configurationAtStart ?? finalConfiguration).configuration.timeouts.totalSeconds
    }
}

extension TransportError {
    /// The time for a whole request is over.
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
