import CLua

/// A limit that a script passed, and by how much.
public struct ExceededLimit: Sendable, Equatable {
    /// A bounded set, fit for a metric's label.
    public enum Budget: String, Sendable, CaseIterable {
        /// CPU time without a wait.
        case burst
        /// CPU time of a whole run.
        case total
        case memory
    }

    public let budget: Budget
    /// The name of the phase whose limit it was; empty for memory, which is the state's.
    public let phase: String
    /// CPU seconds, to a hundredth, or bytes.
    public let used: Double
    public let limit: Double
}

extension ExceededLimit {
    init(_ excess: clua_excess) {
        var excess = excess
        let phase = withUnsafeBytes(of: &excess.phase) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            budget: excess.is_total ? .total : .burst, phase: phase,
            used: Double(excess.used_milliseconds) / 1000, limit: Double(excess.limit_milliseconds) / 1000)
    }
}
