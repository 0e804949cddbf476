/// How much CPU time each kind of function of a script has; see docs/guides/limits-and-grants.md.
public struct ScriptLimits: Sendable, Equatable {
    /// The raw values are the names on the command line.
    public enum Phase: String, Sendable, CaseIterable {
        case load, block, predicate, mutator, decorator, transformer, hook, job, test
    }

    /// The time that functions of a phase may run, in seconds of CPU time.
    public struct Time: Sendable, Equatable {
        /// The time without a wait. Each wait begins a new span.
        public var burst: Double
        /// The time in all, without waits; infinity means no limit.
        public var total: Double

        public init(burst: Double, total: Double = .infinity) {
            self.burst = burst
            self.total = total
        }
    }

    private var times: [Phase: Time] = [:]

    public init() {}

    public subscript(phase: Phase) -> Time {
        get { times[phase] ?? Self.standard(phase) }
        set { times[phase] = newValue }
    }

    private static func standard(_ phase: Phase) -> Time {
        switch phase {
        case .load, .test: Time(burst: 5)
        case .hook, .job: Time(burst: 0.5)
        case .block, .predicate, .mutator, .decorator, .transformer: Time(burst: 0.05)
        }
    }
}

extension ScriptLimits {
    /// Takes `transformer=0.2`, or `job=0.5/60` for burst and total. `none` in place of a number lifts a
    /// limit. Returns the error of the text, or nil.
    public mutating func set(_ text: String) -> String? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2 else { return "write PHASE=SECONDS, such as transformer=0.2" }
        let names = Phase.allCases.map(\.rawValue)
        guard let phase = Phase(rawValue: parts[0]) else {
            return "there is no phase '\(parts[0])': there are \(names.joined(separator: ", "))"
        }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false).map(Self.seconds)
        guard numbers.count <= 2, let burst = numbers[0], let total = numbers.last ?? burst else {
            return
                "'\(parts[1])' is not a time: write seconds above 0, SECONDS/SECONDS for one go and in all, or none"
        }
        self[phase] = Time(burst: burst, total: numbers.count == 2 ? total : self[phase].total)
        return nil
    }

    private static func seconds(_ text: Substring) -> Double? {
        if text == "none" { return .infinity }
        guard let number = Double(text), number > 0, number.isFinite else { return nil }
        return number
    }
}
