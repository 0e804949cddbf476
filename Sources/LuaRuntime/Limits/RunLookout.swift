import CLua

/// Where a state shows what it runs. Any thread may look.
final class RunLookout: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer?

    init() { pointer = clua_lookout_new() }

    deinit { clua_lookout_free(pointer) }

    struct Reading: Equatable {
        /// Changes with each beginning and end of a run.
        var sequence: UInt64
        var phase: String
        /// Seconds; nil without a limit.
        var limit: Double?

        var isRunning: Bool { sequence % 2 == 1 }
    }

    func read() -> Reading {
        guard let pointer else { return Reading(sequence: 0, phase: "", limit: nil) }
        var phase: UnsafePointer<CChar>?
        var milliseconds: Int64 = 0
        let sequence = clua_lookout_read(pointer, &phase, &milliseconds)
        return Reading(
            sequence: sequence, phase: phase.map { String(cString: $0) } ?? "",
            limit: milliseconds > 0 && milliseconds < 1 << 40 ? Double(milliseconds) / 1000 : nil)
    }
}
