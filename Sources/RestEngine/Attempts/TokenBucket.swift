/// So many in so long, with a reserve for bursts, and what a server said of its own limit (rules 42.4, 42.5).
struct TokenBucket: Equatable {
    private(set) var rate: Double
    private(set) var burst: Double
    private var tokens: Double
    private var last: Double?
    /// The server wants nothing until then.
    private(set) var pausedUntil = 0.0
    /// What the server said is left until some time; nil when it said nothing, or the time is over.
    private(set) var quota: (left: Double, until: Double)?
    /// The server's own rate, where it is lower than the one asked for.
    private var serverRate: Double?

    /// Seconds by which a timer may be late without the rate suffering: what comes meanwhile is kept.
    private static let lateness = 0.1

    /// - Parameters:
    ///   - rate: Tokens in a second.
    ///   - burst: The most that are kept; it begins with them.
    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
        tokens = burst
    }

    static func == (a: TokenBucket, b: TokenBucket) -> Bool {
        a.rate == b.rate && a.burst == b.burst && a.tokens == b.tokens && a.pausedUntil == b.pausedUntil
            && a.quota?.left == b.quota?.left && a.quota?.until == b.quota?.until
    }

    /// Another rate from now on; what is left stays.
    mutating func set(rate: Double, burst: Double, at uptime: Double) {
        guard rate != self.rate || burst != self.burst else { return }
        refill(uptime)
        self.rate = rate
        self.burst = burst
        tokens = min(tokens, burst)
    }

    /// The rate that holds, the server's where it is lower.
    var effectiveRate: Double { min(rate, serverRate ?? rate) }

    private mutating func refill(_ uptime: Double) {
        if let quota, quota.until <= uptime { self.quota = nil }
        defer { last = max(last ?? uptime, uptime) }
        guard let last, uptime > last else { return }
        let rate = effectiveRate
        tokens = min(burst + min(0.999, rate * Self.lateness), tokens + (uptime - last) * rate)
    }

    /// Takes a token if there is one.
    mutating func take(at uptime: Double) -> Bool {
        refill(uptime)
        // A sum of many small steps is a little less than what they add up to.
        guard tokens > 1 - 1e-9, uptime >= pausedUntil, quota.map({ $0.left >= 1 }) ?? true else {
            return false
        }
        spend()
        return true
    }

    /// Takes a token whether there is one or not, for what must not wait: the ones after it wait longer.
    mutating func takeAnyway(at uptime: Double) {
        refill(uptime)
        spend()
    }

    private mutating func spend() {
        tokens -= 1
        if let quota { self.quota = (max(0, quota.left - 1), quota.until) }
    }

    /// When a token will be there, on the same clock; now or before when it is.
    mutating func nextTime(at uptime: Double) -> Double {
        refill(uptime)
        var time = max(uptime, pausedUntil)
        if let quota, quota.left < 1 { time = max(time, quota.until) }
        let missing = 1 - tokens
        if missing > 1e-9 { time = max(time, uptime + missing / effectiveRate) }
        return time
    }

    /// Seconds for which the server wants nothing.
    func rest(at uptime: Double) -> Double {
        let quotaEnd = quota.map { $0.left < 1 ? $0.until : 0 } ?? 0
        return max(0, max(pausedUntil, quotaEnd) - uptime)
    }

    // MARK: What the server says

    /// Nothing for so many seconds.
    mutating func pause(seconds: Double, at uptime: Double) {
        pausedUntil = max(pausedUntil, uptime + seconds)
    }

    /// So many are left for so many seconds. Requests that were sent after the one that is answered are not
    /// counted in that, so it never adds to what is known to be left of the same time.
    mutating func learn(left: Double, seconds: Double, at uptime: Double) {
        refill(uptime)
        let until = uptime + seconds
        if let quota, abs(quota.until - until) < 1.5 {
            self.quota = (min(quota.left, left), max(quota.until, until))
        } else {
            quota = (left, until)
        }
    }

    /// The server's own policy.
    mutating func learn(rate: Double, at uptime: Double) {
        refill(uptime)
        serverRate = rate
    }
}
