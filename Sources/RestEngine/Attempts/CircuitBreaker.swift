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

extension TransportError {
    /// It says that the server, or the way to it, is not well (43.2).
    var isFaultOfServer: Bool {
        switch code {
        case .connectionFailed, .dnsFailed, .tlsFailed, .decodingFailed: true
        case .timeout: phase != .queue
        default: false
        }
    }
}
