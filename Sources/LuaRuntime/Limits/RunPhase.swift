import CLua
import Platform
import Synchronization

/// The rules for a piece of script while it runs: whether it may wait, and its CPU time. Make one for each
/// kind of run and keep it: a copy is one reference.
public struct RunPhase: Sendable {
    private final class Content: Sendable {
        let name: String
        let mayWait: Bool
        let waitAdvice: String
        let limitAdvice: String
        let burst: CPULimit
        let total: CPULimit
        let texts: PhaseTexts

        init(
            name: String, mayWait: Bool, waitAdvice: String, burst: Double, total: Double, limitAdvice: String
        ) {
            self.name = name
            self.mayWait = mayWait
            self.waitAdvice = waitAdvice
            self.limitAdvice = limitAdvice
            self.burst = CPULimit(seconds: burst)
            self.total = CPULimit(seconds: total)
            texts = PhaseTexts(name: name, advice: limitAdvice)
        }
    }

    private let content: Content

    public init(
        name: String, mayWait: Bool, waitAdvice: String = "", budgetSeconds: Double,
        totalSeconds: Double = .infinity, limitAdvice: String = ""
    ) {
        content = Content(
            name: name, mayWait: mayWait, waitAdvice: waitAdvice, burst: budgetSeconds, total: totalSeconds,
            limitAdvice: limitAdvice)
    }

    /// Its name for people: "configuration block", "job".
    public var name: String { content.name }
    /// Whether its host functions may suspend it.
    public var mayWait: Bool { content.mayWait }
    /// Follows "cannot wait here: ". Says why not, and where waiting is fine.
    public var waitAdvice: String { content.waitAdvice }
    /// Ends the message of a run that took too long: what to do.
    public var limitAdvice: String { content.limitAdvice }
    /// CPU seconds in one go; each wait begins a new one.
    public var budgetSeconds: Double { content.burst.seconds }
    /// CPU seconds of a whole coroutine, waits not counted.
    public var totalSeconds: Double { content.total.seconds }

    var budget: clua_budget { budget(after: 0) }

    /// The budget of one more go after `used` ticks: its own, or what is left of the whole.
    func budget(after used: UInt64) -> clua_budget {
        let total = content.total
        let left = total.ticks > used ? total.ticks - used : 1
        let isTotal = left < content.burst.ticks
        return clua_budget(
            ticks: isTotal ? left : content.burst.ticks,
            milliseconds: isTotal ? total.milliseconds : content.burst.milliseconds,
            ticks_before: isTotal ? used : 0, is_total: isTotal, phase: content.texts.name,
            advice: content.texts.advice)
    }
}

/// CPU time, as seconds and in the units that C counts in.
private struct CPULimit {
    let seconds: Double
    let ticks: UInt64
    let milliseconds: Int64

    init(seconds: Double) {
        self.seconds = seconds
        // One more than fits, for the tick that has already begun.
        let ticks = (seconds / clua_tick_seconds()).rounded(.up) + 1
        self.ticks = ticks < 1e15 ? UInt64(max(ticks, 1)) : .max >> 1
        milliseconds = seconds < 1e12 ? Int64((seconds * 1000).rounded()) : .max
    }
}

/// The texts of a phase for C, which makes its messages where no Swift can run. Never changed, so any thread
/// may read.
final class PhaseTexts: Sendable {
    nonisolated(unsafe) let name: UnsafePointer<CChar>?
    /// Nil for none.
    nonisolated(unsafe) let advice: UnsafePointer<CChar>?

    init(name: String, advice: String) {
        self.name = Self.kept(name)
        self.advice = advice.isEmpty ? nil : UnsafePointer(strdup(advice))
    }

    /// Names are few and stay for ever: a watchdog may read one just when its run ends.
    private static let names = Mutex<[String: UInt]>([:])

    private static func kept(_ name: String) -> UnsafePointer<CChar>? {
        names.withLock { names in
            if let known = names[name] { return UnsafePointer(bitPattern: known) }
            guard let new = UnsafePointer<CChar>(strdup(name)) else { return nil }
            names[name] = UInt(bitPattern: new)
            return new
        }
    }

    deinit {
        free(UnsafeMutablePointer(mutating: advice))
    }
}
