/// When to stop sending requests to an origin that fails, and for how long (rules 43).
public struct BreakerPolicy: Sendable, Equatable {
    /// The share of failures that opens it.
    public var ratio = 0.5
    /// The breaker does not open with fewer answers than this in the window.
    public var requests = 20
    package var windowSeconds = 10.0
    package var openSeconds = 5.0

    /// The defaults of each property.
    public init() {}

    /// The length of the window whose answers count.
    public var window: Duration {
        get { Duration(inSeconds: windowSeconds) }
        set { windowSeconds = newValue.inSeconds }
    }

    /// How long the breaker stays open before it lets one request through.
    public var open: Duration {
        get { Duration(inSeconds: openSeconds) }
        set { openSeconds = newValue.inSeconds }
    }
}

/// A breaker that is closed, open, or half open: then one request is in flight whose outcome decides (43.1).
struct CircuitBreaker {
    enum State: Equatable {
        case closed
        /// Open until that time, on the scheduler's clock.
        case open(until: Double)
        /// The probe is in flight, or the next request will be the probe.
        case halfOpen(isProbed: Bool)
    }

    /// The breaker's decision about a request.
    enum Admission: Equatable {
        case pass
        /// The request may go, and is the probe.
        case probe
        /// The request may not go before that time.
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

    /// The number of answers in the window, and how many of them were failures.
    var counted: (answers: Int, failures: Int) {
        counts.reduce((0, 0)) { ($0.0 + $1.answers, $0.1 + $1.failures) }
    }

    /// The time until which the breaker refuses requests; nil if it would let one through. The call does not
    /// count as a request.
    func isRefusing(at uptime: Double) -> Double? {
        switch state {
        case .closed: nil
        case .open(let until): until > uptime ? until : nil
        case .halfOpen(let isProbed): isProbed ? uptime : nil
        }
    }

    /// Decides whether a request may go.
    mutating func admit(at uptime: Double) -> Admission {
        if let until = isRefusing(at: uptime) { return .refuse(until: until) }
        if state == .closed { return .pass }
        state = .halfOpen(isProbed: true)
        return .probe
    }

    /// Counts the outcome of a request that was let through; true when that changed the state.
    mutating func note(isFailure: Bool, wasProbe: Bool, _ policy: BreakerPolicy, at uptime: Double) -> Bool {
        if wasProbe {
            guard case .halfOpen = state else { return false }
            clear()
            state = isFailure ? .open(until: uptime + policy.openSeconds) : .closed
            return true
        }
        // The answer to a request that was in flight when the breaker opened is no new information.
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

    /// The probe ended without an outcome, so the next request becomes the probe.
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
    /// The message was never sent, or its end shows nothing about the server.
    case abandoned

    /// Classifies the result of the message (43.2, 43.3).
    init(_ result: TransportResult) {
        switch result {
        case .success(let response): self = response.status >= 500 ? .failed : .succeeded
        case .failure(let error):
            switch error.code {
            case _ where error.isShortage: self = .abandoned
            case .connectionFailed, .dnsFailed, .tlsFailed, .decodingFailed: self = .failed
            case .timeout: self = error.phase == .queue ? .abandoned : .failed
            // An answer arrived.
            case .tooLarge, .tooManyRedirects: self = .succeeded
            case .invalidURL, .queueFull, .circuitOpen, .rateLimited, .offline, .internal: self = .abandoned
            }
        }
    }
}

/// Permission to send one message, from the breaker of its origin. It ends once. A permit that is released
/// without an outcome counts as abandoned, so that a half open breaker never waits for a probe that is not
/// sent.
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

    /// Returns true when that changed the state of the breaker.
    func end(_ outcome: BreakerOutcome, at uptime: Double) -> Bool {
        guard outcome != .abandoned else {
            abandon()
            return false
        }
        guard !hasEnded else { return false }
        hasEnded = true
        return origin.breaker.note(isFailure: outcome == .failed, wasProbe: isProbe, policy, at: uptime)
    }

    /// Ends the permit without an outcome, which shows nothing about the server; no effect after the end.
    func abandon() {
        guard !hasEnded else { return }
        hasEnded = true
        if isProbe { origin.breaker.abandonProbe() }
    }
}
