/// Bounds the retries to one host (rule 41.6): a share of its requests in the last ten seconds, and a few in
/// each second in any case. So a dead host does not get several times as many requests as a live one.
struct RetryBudget {
    /// Seconds whose requests count.
    static let window = 10

    private struct Second {
        var requests = 0
        var retries = 0
    }

    private var seconds = [Second](repeating: Second(), count: window)
    private var latest: Int?
    private var requests = 0
    private var retries = 0
    private var least = TokenBucket(rate: RetryPolicy.leastPerSecond, burst: RetryPolicy.leastPerSecond)

    /// Counts a request's first attempt.
    mutating func noteRequest(at uptime: Double) {
        let place = move(to: uptime)
        seconds[place].requests += 1
        requests += 1
    }

    /// Takes one retry out of the budget; false when it is used up.
    mutating func takeRetry(share: Double, at uptime: Double) -> Bool {
        let place = move(to: uptime)
        if Double(retries + 1) <= share * Double(requests) {
            seconds[place].retries += 1
            retries += 1
            return true
        }
        return least.take(at: uptime)
    }

    /// Whether no request or retry of the last ten seconds is counted.
    mutating func isIdle(at uptime: Double) -> Bool {
        _ = move(to: uptime)
        return requests == 0 && retries == 0
    }

    /// Forgets the seconds that have left the window; returns the index of the current second.
    private mutating func move(to uptime: Double) -> Int {
        let second = Int(max(0, uptime))
        let count = Self.window
        guard let latest else {
            self.latest = second
            return second % count
        }
        guard second > latest else { return latest % count }
        for passed in (latest + 1)...min(second, latest + count) {
            requests -= seconds[passed % count].requests
            retries -= seconds[passed % count].retries
            seconds[passed % count] = Second()
        }
        self.latest = second
        return second % count
    }
}
