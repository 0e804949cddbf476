/// The times of a message's phases, one after the other.
package enum MessagePhases {
    /// The phases that the message had, in order: `queue`, `dns`, `connect`, `tls`, `wait` for the first
    /// byte, `transfer` of the rest.
    package static func of(_ timings: TransferTimings) -> [(String, Double)] {
        var phases: [(String, Double)] = []
        var end = timings.queueSeconds
        if timings.queueSeconds > 0 { phases.append(("queue", timings.queueSeconds)) }
        func take(_ name: String, _ time: Double) {
            guard time > 0 else { return }
            phases.append((name, max(0, time - end)))
            end = max(end, time)
        }
        if !timings.isConnectionReused {
            take("dns", timings.nameLookupSeconds)
            take("connect", timings.connectSeconds)
            take("tls", timings.tlsSeconds)
        }
        take("wait", timings.firstByteSeconds)
        take("transfer", timings.totalSeconds)
        return phases
    }
}
