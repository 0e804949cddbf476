/// A rate with a reserve for bursts, and the server's statements about its own limit (rules 42.4, 42.5).
struct TokenBucket: Equatable {
    private(set) var rate: Double
    private(set) var burst: Double
    private(set) var tokens: Double
    /// Tokens come from elsewhere, and none by themselves.
    private(set) var isFed = false
    /// When another token may come from there.
    private var nextFeed = -Double.infinity
    private var last: Double?
    /// The server wants no requests before this time.
    private(set) var pausedUntil = 0.0
    /// The number of requests left until a time, as stated by the server; nil without such a statement, or
    /// after that time.
    private(set) var quota: (left: Double, until: Double)?
    /// The server's own rate, where it is lower than the one asked for.
    private var serverRate: Double?

    /// Seconds by which a timer may be late without lowering the rate: tokens that arrive meanwhile are kept.
    private static let lateness = 0.1

    /// - Parameters:
    ///   - rate: Tokens in a second.
    ///   - burst: The largest number of tokens that are kept; the bucket starts with them.
    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
        tokens = burst
    }

    static func == (a: TokenBucket, b: TokenBucket) -> Bool {
        a.rate == b.rate && a.burst == b.burst && a.tokens == b.tokens && a.pausedUntil == b.pausedUntil
            && a.quota?.left == b.quota?.left && a.quota?.until == b.quota?.until
    }

    /// Sets another rate; the tokens that are left stay.
    mutating func set(rate: Double, burst: Double, at uptime: Double) {
        guard rate != self.rate || burst != self.burst else { return }
        refill(uptime)
        self.rate = rate
        self.burst = burst
        tokens = min(tokens, burst)
    }

    // MARK: Tokens from elsewhere

    /// From now on tokens come from elsewhere alone.
    mutating func beginFeeding() {
        guard !isFed else { return }
        (isFed, tokens, nextFeed) = (true, 0, -.infinity)
    }

    /// From now on tokens come by themselves again.
    mutating func endFeeding(at uptime: Double) {
        guard isFed else { return }
        (isFed, last, tokens) = (false, uptime, min(tokens, burst))
    }

    /// - Parameter next: When there may be more.
    mutating func feed(_ number: Double, next: Double) {
        tokens += number
        nextFeed = next
    }

    /// Takes tokens away that go back to where they came from.
    mutating func giveBack(_ number: Double) { tokens -= number }

    /// The rate in use: the lower of the server's and the configured one.
    var effectiveRate: Double { min(rate, serverRate ?? rate) }

    private mutating func refill(_ uptime: Double) {
        if let quota, quota.until <= uptime { self.quota = nil }
        defer { last = max(last ?? uptime, uptime) }
        guard !isFed else { return }
        guard let last, uptime > last else { return }
        let rate = effectiveRate
        tokens = min(burst + min(0.999, rate * Self.lateness), tokens + (uptime - last) * rate)
    }

    /// Takes a token if there is one.
    mutating func take(at uptime: Double) -> Bool {
        refill(uptime)
        // The sum of many small steps is slightly less than their exact total.
        guard tokens > 1 - 1e-9, uptime >= pausedUntil, quota.map({ $0.left >= 1 }) ?? true else {
            return false
        }
        spend()
        return true
    }

    /// Takes a token even if there is none, for a message that must not wait: later ones wait longer.
    mutating func takeAnyway(at uptime: Double) {
        refill(uptime)
        spend()
    }

    private mutating func spend() {
        tokens -= 1
        if let quota { self.quota = (max(0, quota.left - 1), quota.until) }
    }

    /// When a token will be there, on the same clock; not later than `uptime` when there is one.
    mutating func nextTime(at uptime: Double) -> Double {
        refill(uptime)
        var time = max(uptime, pausedUntil)
        if let quota, quota.left < 1 { time = max(time, quota.until) }
        let missing = 1 - tokens
        if missing > 1e-9 { time = max(time, isFed ? nextFeed : uptime + missing / effectiveRate) }
        return time
    }

    /// Seconds for which the server wants no requests.
    func rest(at uptime: Double) -> Double {
        let quotaEnd = quota.map { $0.left < 1 ? $0.until : 0 } ?? 0
        return max(0, max(pausedUntil, quotaEnd) - uptime)
    }

    // MARK: Statements of the server

    /// The server wants no requests for `seconds`.
    mutating func pause(seconds: Double, at uptime: Double) {
        pausedUntil = max(pausedUntil, uptime + seconds)
    }

    /// The server has stated how many requests are left for `seconds`. Its count does not include requests
    /// that were sent after the answered one, so it never raises the known number for the same period.
    mutating func learn(left: Double, seconds: Double, at uptime: Double) {
        refill(uptime)
        let until = uptime + seconds
        if let quota, abs(quota.until - until) < 1.5 {
            self.quota = (min(quota.left, left), max(quota.until, until))
        } else {
            quota = (left, until)
        }
    }

    /// The server has stated its own rate.
    mutating func learn(rate: Double, at uptime: Double) {
        refill(uptime)
        serverRate = rate
    }
}
