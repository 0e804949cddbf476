/// One limit: what is on its way, what waits, and when the next may go. Times are on one clock, given from
/// outside.
struct LimitState {
    /// What becomes of a request that comes.
    enum Admission: Equatable {
        case go
        case wait
        case queueFull(limit: Int)
        /// There is no turn for it in the time that it may wait.
        case limited(until: Double)
    }

    private(set) var limits: RequestLimits
    private(set) var inFlight = 0
    private(set) var bucket: TokenBucket?
    private(set) var waiting = WaitingList()

    init(_ limits: RequestLimits) {
        self.limits = limits
        bucket = Self.bucket(limits)
    }

    private static func bucket(_ limits: RequestLimits) -> TokenBucket? {
        limits.rate.map {
            TokenBucket(rate: Double($0.requests) / $0.perSeconds, burst: Double($0.burst ?? $0.requests))
        }
    }

    /// Other numbers from now on; false when they are what they were. Who waits may be let go by them.
    mutating func set(_ limits: RequestLimits, at uptime: Double) -> Bool {
        guard limits != self.limits else { return false }
        if let new = Self.bucket(limits), bucket != nil {
            bucket?.set(rate: new.rate, burst: new.burst, at: uptime)
        } else {
            bucket = Self.bucket(limits)
        }
        self.limits = limits
        return true
    }

    private var hasRoom: Bool { limits.inFlight.map { inFlight < $0 } ?? true }

    /// A request comes.
    ///
    /// - Parameter patience: Seconds that it may wait.
    mutating func admit(
        _ id: WaitingList.ID, priority: Int, queueKey: String, timeout: Double, at uptime: Double
    ) -> Admission {
        if waiting.isEmpty, hasRoom, bucket?.take(at: uptime) ?? true {
            inFlight += 1
            return .go
        }
        // Whoever is told at once can do something better than wait in vain.
        if let next = bucket?.nextTime(at: uptime), next > uptime + timeout || limits.mostWaiting == 0 {
            if hasRoom || next > uptime + timeout { return .limited(until: next) }
        }
        guard waiting.count < limits.mostWaiting else { return .queueFull(limit: limits.mostWaiting) }
        waiting.append(
            WaitingList.Entry(id: id, priority: priority, queueKey: queueKey, ripe: uptime + timeout / 2))
        return .wait
    }

    /// A message that follows another of the same request, and must not wait.
    mutating func follow(at uptime: Double) { bucket?.takeAnyway(at: uptime) }

    /// One has ended.
    mutating func leave() { inFlight = max(0, inFlight - 1) }

    /// One gave up waiting; false when it didn't wait.
    mutating func giveUp(_ id: WaitingList.ID) -> Bool { waiting.remove(id) }

    /// Whose turn it is, if it is somebody's; to be asked until it is nobody's.
    mutating func next(at uptime: Double) -> WaitingList.ID? {
        guard !waiting.isEmpty, hasRoom, bucket?.take(at: uptime) ?? true else { return nil }
        guard let id = waiting.next(at: uptime) else { return nil }
        inFlight += 1
        return id
    }

    /// When to ask again although nothing ends; nil when only an end helps.
    mutating func nextTime(at uptime: Double) -> Double? {
        guard !waiting.isEmpty, hasRoom else { return nil }
        return bucket?.nextTime(at: uptime)
    }

    /// What the server says of its limit in an answer; what was learned, for the log.
    mutating func learn(status: Int, retryAfter: RetryAfter?, _ fields: RateLimitFields, at uptime: Double)
        -> String?
    {
        guard bucket != nil else { return nil }
        if status == 429 || status == 503, let wait = retryAfter?.wait(cap: Self.longestPause) {
            bucket?.pause(seconds: wait, at: uptime)
            return "nothing for \(wait) s"
        }
        if let rate = fields.rate { bucket?.learn(rate: rate, at: uptime) }
        guard let left = fields.left, let reset = fields.reset else { return nil }
        bucket?.learn(left: left, seconds: reset, at: uptime)
        return left < 1 ? "nothing is left for \(reset) s" : nil
    }

    /// Seconds; a server that says more is taken by this.
    static let longestPause = 3600.0

    /// Nothing is in it that is worth keeping.
    func isIdle(at uptime: Double) -> Bool {
        guard inFlight == 0, waiting.isEmpty else { return false }
        guard let bucket else { return true }
        return bucket.pausedUntil <= uptime && (bucket.quota?.until ?? 0) <= uptime
    }
}
