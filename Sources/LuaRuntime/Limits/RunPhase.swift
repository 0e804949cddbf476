import CLua

/// What a piece of script may do while it runs: wait or not, and how much CPU time it has. Make one for each
/// kind of run and keep it: a copy is one reference.
public struct RunPhase: Sendable {
    private final class Content: Sendable {
        let name: String
        let mayWait: Bool
        let waitAdvice: String
        let budget: CPUBudget
        let total: CPUBudget

        init(name: String, mayWait: Bool, waitAdvice: String, budget: CPUBudget, total: CPUBudget) {
            self.name = name
            self.mayWait = mayWait
            self.waitAdvice = waitAdvice
            self.budget = budget
            self.total = total
        }
    }

    private let content: Content

    public init(
        name: String, mayWait: Bool, waitAdvice: String = "", budgetSeconds: Double,
        totalSeconds: Double = .infinity
    ) {
        content = Content(
            name: name, mayWait: mayWait, waitAdvice: waitAdvice, budget: CPUBudget(seconds: budgetSeconds),
            total: CPUBudget(seconds: totalSeconds))
    }

    /// What people call it: "configuration block", "job".
    public var name: String { content.name }
    /// Whether its host functions may suspend it.
    public var mayWait: Bool { content.mayWait }
    /// Follows "cannot wait here: ". Says why not, and where waiting is fine.
    public var waitAdvice: String { content.waitAdvice }
    /// CPU seconds in one go; each wait begins a new one.
    public var budgetSeconds: Double { content.budget.seconds }
    /// CPU seconds of a whole coroutine, waits not counted.
    public var totalSeconds: Double { content.total.seconds }

    var budget: CPUBudget { content.budget }

    /// The budget of one more go after `used` ticks: its own, or what is left of the whole.
    func budget(after used: UInt64) -> CPUBudget {
        let total = content.total
        let left = total.ticks > used ? total.ticks - used : 1
        return left < budget.ticks
            ? CPUBudget(seconds: total.seconds, ticks: left, milliseconds: total.milliseconds) : budget
    }
}
