internal import Coordination

/// The state of one limit: how many requests are in flight, which requests wait, and when the next may go.
/// All times are on one clock, given by the caller.
struct LimitState {
    /// The decision about a request that arrives.
    enum Admission: Equatable {
        case go
        case wait
        case queueFull(limit: Int)
        /// The rate allows no request within the time that this one may wait.
        case limited(until: Double)
    }

    private(set) var limits: RequestLimits
    private(set) var inFlight = 0
    private(set) var bucket: TokenBucket?
    private(set) var waiting = WaitingList()
    /// This host's share of a limit of all hosts; nil for a limit of its own.
    private(set) var share: LimitShare?
    /// Requests that have gone out.
    private var started = 0

    private let workers: Int

    /// - Parameter workers: The least number of hosts that share a limit of all hosts.
    init(_ limits: RequestLimits, workers: Int = 1) {
        (self.limits, self.workers) = (limits, workers)
        bucket = Self.bucket(limits)
        setShare(at: 0)
    }

    private static func bucket(_ limits: RequestLimits) -> TokenBucket? {
        limits.rate.map {
            TokenBucket(rate: Double($0.requests) / $0.perSeconds, burst: Double($0.burst ?? $0.requests))
        }
    }

    /// Sets new numbers; false when they are unchanged. Afterwards requests that wait may be able to go.
    mutating func set(_ limits: RequestLimits, at uptime: Double) -> Bool {
        guard limits != self.limits else { return false }
        if let new = Self.bucket(limits), bucket != nil {
            bucket?.set(rate: new.rate, burst: new.burst, at: uptime)
        } else {
            bucket = Self.bucket(limits)
        }
        self.limits = limits
        setShare(at: uptime)
        return true
    }

    /// The requests that may be in flight here; nil for any number.
    var mostInFlight: Int? { share == nil ? limits.inFlight : share?.permits }
    private var hasRoom: Bool { mostInFlight.map { inFlight < $0 } ?? true }

    /// Decides about a request that arrives.
    ///
    /// - Parameter timeout: Seconds that the request may wait.
    mutating func admit(
        _ id: WaitingList.ID, priority: Int, queueKey: String, timeout: Double, at uptime: Double
    ) -> Admission {
        if waiting.isEmpty, hasRoom, bucket?.take(at: uptime) ?? true {
            begin()
            return .go
        }
        // A request that is refused at once lets its caller react, instead of waiting in vain.
        if let next = bucket?.nextTime(at: uptime), next > uptime + timeout || limits.mostWaiting == 0 {
            if hasRoom || next > uptime + timeout { return .limited(until: next) }
        }
        guard waiting.count < limits.mostWaiting else { return .queueFull(limit: limits.mostWaiting) }
        waiting.append(
            WaitingList.Entry(id: id, priority: priority, queueKey: queueKey, ripe: uptime + timeout / 2))
        return .wait
    }

    private mutating func begin() {
        inFlight += 1
        started += 1
    }

    /// Counts a message that follows another of the same request and must not wait.
    mutating func follow(at uptime: Double) { bucket?.takeAnyway(at: uptime) }

    /// A request has ended.
    mutating func leave() { inFlight = max(0, inFlight - 1) }

    /// A request stopped waiting; false when it didn't wait.
    mutating func giveUp(_ id: WaitingList.ID) -> Bool { waiting.remove(id) }

    /// Takes the next request that may go, nil if none may. Call it until it returns nil.
    mutating func next(at uptime: Double) -> WaitingList.ID? {
        guard !waiting.isEmpty, hasRoom, bucket?.take(at: uptime) ?? true else { return nil }
        guard let id = waiting.next(at: uptime) else { return nil }
        begin()
        return id
    }

    /// When to call ``next(at:)`` again if no request ends before; nil when only the end of a request helps.
    mutating func nextTime(at uptime: Double) -> Double? {
        guard !waiting.isEmpty, hasRoom, let time = bucket?.nextTime(at: uptime) else { return nil }
        // Only an answer about the share brings tokens.
        if let bucket, bucket.isFed, bucket.tokens < 1 { return nil }
        return time
    }

    /// Learns the server's own limit from an answer. Returns a text about it for the log.
    mutating func learn(status: Int, retryAfter: RetryAfter?, _ fields: RateLimitFields, at uptime: Double)
        -> String?
    {
        guard bucket != nil else { return nil }
        if status == 429 || status == 503, let wait = retryAfter?.wait(cap: Self.longestPause) {
            bucket?.pause(seconds: wait, at: uptime)
            return "no requests for \(wait) s"
        }
        if let rate = fields.rate { bucket?.learn(rate: rate, at: uptime) }
        guard let left = fields.left, let reset = fields.reset else { return nil }
        bucket?.learn(left: left, seconds: reset, at: uptime)
        return left < 1 ? "no requests are left for \(reset) s" : nil
    }

    /// Seconds; a longer pause that a server asks for is cut to this.
    static let longestPause = 3600.0

    /// Whether the state holds no information that must be kept.
    func isIdle(at uptime: Double) -> Bool {
        guard inFlight == 0, waiting.isEmpty, share?.isIdle(use) ?? true else { return false }
        guard let bucket else { return true }
        return bucket.pausedUntil <= uptime && (bucket.quota?.until ?? 0) <= uptime
    }
}

// MARK: - Limits of all hosts

extension LimitState {
    private var use: LimitUse {
        LimitUse(
            inFlight: inFlight, waiting: waiting.count,
            tokens: bucket?.isFed == true ? bucket?.tokens ?? 0 : 0,
            started: started)
    }

    var sharedLimit: SharedLimit {
        SharedLimit(
            inFlight: limits.inFlight,
            rate: limits.rate.map { Double($0.requests) / $0.perSeconds },
            burst: Double(limits.rate.map { $0.burst ?? $0.requests } ?? 0))
    }

    /// Takes the limits over into the share, and the share into the bucket.
    private mutating func setShare(at uptime: Double) {
        // Without numbers there is nothing to share.
        guard limits.isShared, limits.inFlight != nil || limits.rate != nil else {
            share = nil
            bucket?.endFeeding(at: uptime)
            return
        }
        let limit = sharedLimit
        if share == nil { share = LimitShare(limit, leastHosts: workers) } else { share?.set(limit) }
        fillBucket(at: uptime)
    }

    /// A host without an answer takes an equal part of the rate.
    private mutating func fillBucket(at uptime: Double) {
        guard let whole = Self.bucket(limits) else { return }
        guard let hosts = share?.hostsWhenAlone else {
            bucket?.beginFeeding()
            return
        }
        bucket?.endFeeding(at: uptime)
        let number = Double(hosts)
        bucket?.set(rate: whole.rate / number, burst: max(1, whole.burst / number), at: uptime)
    }

    /// The actions after a change; none for a limit of this host.
    mutating func updateShare(at uptime: Double) -> [LimitShare.Action] {
        let use = use
        return share?.update(use, at: uptime) ?? []
    }

    /// Another host has given something back.
    mutating func wakeShare(at uptime: Double) -> [LimitShare.Action] {
        let use = use
        return share?.woken(use, at: uptime) ?? []
    }

    /// Takes tokens away that go back to the server.
    mutating func giveBack(_ tokens: Double) { bucket?.giveBack(tokens) }

    /// Afterwards requests that wait may be able to go.
    mutating func take(_ answer: LimitAnswer?, at uptime: Double) -> [LimitShare.Action] {
        let use = use
        guard share != nil else { return [] }
        let actions = share?.answered(answer, use, at: uptime) ?? []
        fillBucket(at: uptime)
        if let answer { bucket?.feed(Double(answer.tokens), next: uptime + answer.nextToken) }
        return actions
    }
}
