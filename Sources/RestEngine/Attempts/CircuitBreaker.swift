/// When an origin that fails is left alone for a while (rules 43).
public struct BreakerPolicy: Sendable, Equatable {
    /// The share of failures that opens it.
    public var ratio = 0.5
    /// Fewer answers than these in the window say nothing.
    public var requests = 20
    package var windowSeconds = 10.0
    package var openSeconds = 5.0

    public init() {}

    /// The time whose answers count.
    public var window: Duration {
        get { Duration(inSeconds: windowSeconds) }
        set { windowSeconds = newValue.inSeconds }
    }

    /// How long it stays open before one request is let through.
    public var open: Duration {
        get { Duration(inSeconds: openSeconds) }
        set { openSeconds = newValue.inSeconds }
    }
}

/// Closed, open, or half open with one request on its way that decides (43.1).
struct CircuitBreaker {
    enum State: Equatable {
        case closed
        /// Until that time, on the scheduler's clock.
        case open(until: Double)
        /// Its probe is on its way, or the next request will be it.
        case halfOpen(isProbed: Bool)
    }

    /// What becomes of a request.
    enum Admission: Equatable {
        case pass
        /// It is the probe.
        case probe
        /// Not before that time.
        case refuse(until: Double)
    }

    private static let slots = 10

    private struct Slot {
        var answers = 0
        var failures = 0
    }

    private(set) var state = State.closed
    private var counts = [Slot](repeating: Slot(), count: slots)
    private var latest: Int?
    private var slotSeconds = 1.0

    /// Answers in the window, and how many of them were failures.
    var counted: (answers: Int, failures: Int) {
        counts.reduce((0, 0)) { ($0.0 + $1.answers, $0.1 + $1.failures) }
    }

    /// Whether it would let a request through; the request is not counted on.
    func isRefusing(at uptime: Double) -> Double? {
        switch state {
        case .closed: nil
        case .open(let until): until > uptime ? until : nil
        case .halfOpen(let isProbed): isProbed ? uptime : nil
        }
    }

    /// Lets a request through or not.
    mutating func admit(at uptime: Double) -> Admission {
        if let until = isRefusing(at: uptime) { return .refuse(until: until) }
        if state == .closed { return .pass }
        state = .halfOpen(isProbed: true)
        return .probe
    }

    /// The outcome of a request that was let through; true when that changed the state.
    mutating func note(isFailure: Bool, wasProbe: Bool, _ policy: BreakerPolicy, at uptime: Double) -> Bool {
        if wasProbe {
            guard case .halfOpen = state else { return false }
            clear()
            state = isFailure ? .open(until: uptime + policy.openSeconds) : .closed
            return true
        }
        // What was on its way when it opened says nothing new.
        guard state == .closed else { return false }
        let place = move(to: uptime, policy)
        counts[place].answers += 1
        if isFailure { counts[place].failures += 1 }
        let (answers, failures) = counted
        guard isFailure, answers >= policy.requests, Double(failures) >= policy.ratio * Double(answers) else {
            return false
        }
        clear()
        state = .open(until: uptime + policy.openSeconds)
        return true
    }

    /// The probe ended without an outcome: the next request is it.
    mutating func abandonProbe() {
        if state == .halfOpen(isProbed: true) { state = .halfOpen(isProbed: false) }
    }

    private mutating func clear() {
        counts = [Slot](repeating: Slot(), count: Self.slots)
        latest = nil
    }

    private mutating func move(to uptime: Double, _ policy: BreakerPolicy) -> Int {
        let seconds = policy.windowSeconds / Double(Self.slots)
        if seconds != slotSeconds {
            clear()
            slotSeconds = seconds
        }
        let slot = Int(max(0, min(uptime / seconds, 1e15)))
        guard let latest else {
            self.latest = slot
            return slot % Self.slots
        }
        guard slot > latest else { return latest % Self.slots }
        for passed in (latest + 1)...min(slot, latest + Self.slots) { counts[passed % Self.slots] = Slot() }
        self.latest = slot
        return slot % Self.slots
    }
}

/// The outcome of a message that a breaker let through.
enum BreakerOutcome {
    case succeeded
    case failed
    /// It was never sent, or its end says nothing of the server.
    case abandoned

    /// By what came of the message (43.2, 43.3).
    init(_ result: TransportResult) {
        switch result {
        case .success(let response): self = response.status >= 500 ? .failed : .succeeded
        case .failure(let error):
            switch error.code {
            case _ where error.isShortage: self = .abandoned
            case .connectionFailed, .dnsFailed, .tlsFailed, .decodingFailed: self = .failed
            case .timeout: self = error.phase == .queue ? .abandoned : .failed
            // An answer came.
            case .tooLarge, .tooManyRedirects: self = .succeeded
            case .invalidURL, .queueFull, .circuitOpen, .rateLimited, .offline, .internal: self = .abandoned
            }
        }
    }
}

/// One message's leave to go, from the breaker of its origin. It ends once; one that is dropped is abandoned,
/// so that a half open breaker never waits for a probe that nobody sends.
@EngineActor
final class BreakerPermit {
    let isProbe: Bool
    private let origin: OriginHealth
    private let policy: BreakerPolicy
    private var hasEnded = false

    init(_ origin: OriginHealth, _ policy: BreakerPolicy, isProbe: Bool) {
        (self.origin, self.policy, self.isProbe) = (origin, policy, isProbe)
    }

    isolated deinit { abandon() }

    /// True when that changed the breaker's state.
    func end(_ outcome: BreakerOutcome, at uptime: Double) -> Bool {
        guard outcome != .abandoned else {
            abandon()
            return false
        }
        guard !hasEnded else { return false }
        hasEnded = true
        return origin.breaker.note(isFailure: outcome == .failed, wasProbe: isProbe, policy, at: uptime)
    }

    /// It says nothing of the server; no effect after the end.
    func abandon() {
        guard !hasEnded else { return }
        hasEnded = true
        if isProbe { origin.breaker.abandonProbe() }
    }
}
