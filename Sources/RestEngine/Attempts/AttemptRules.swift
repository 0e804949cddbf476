/// A configuration's settings for attempts: a reference, nil until a block sets one of them.
struct AttemptRules: Sendable {
    var retry: RetryPolicy?
    var limits: RequestLimits?
    var breaker: BreakerPolicy?
    var priority = 0
    var staleIfErrorSeconds = 0.0
    var staleWhileRevalidateSeconds = 0.0

    /// True if requests are sent without retries, limits and breaker.
    var isIdle: Bool { retry == nil && limits == nil && breaker == nil }
}

final class AttemptRulesBox: Sendable {
    let rules: AttemptRules
    init(_ rules: AttemptRules) { self.rules = rules }
}

extension Configuration {
    private var rules: AttemptRules {
        get { attemptRules?.rules ?? AttemptRules() }
        set { attemptRules = AttemptRulesBox(newValue) }
    }

    /// When to send a failed request again; nil: never (rules 41).
    public var retry: RetryPolicy? {
        get { attemptRules?.rules.retry }
        set { rules.retry = newValue }
    }

    /// How many requests may be in flight at once or within some time; nil: any number (rules 42).
    public var limits: RequestLimits? {
        get { attemptRules?.rules.limits }
        set { rules.limits = newValue }
    }

    /// The priority among requests that wait for a limit: higher numbers go first.
    public var priority: Int {
        get { attemptRules?.rules.priority ?? 0 }
        set { rules.priority = newValue }
    }

    /// When to stop sending requests to an origin that fails; nil: never (rules 43).
    public var breaker: BreakerPolicy? {
        get { attemptRules?.rules.breaker }
        set { rules.breaker = newValue }
    }

    /// How long after its expiry data may replace the result of a load that fails (rule 44.2); zero, unless a
    /// block says otherwise.
    public var staleIfError: Duration {
        get { Duration(inSeconds: staleIfErrorSeconds) }
        set { staleIfErrorSeconds = newValue.inSeconds }
    }

    /// How long after its expiry readers may get data while it is loaded again (rule 44.1); zero, unless a
    /// block says otherwise.
    public var staleWhileRevalidate: Duration {
        get { Duration(inSeconds: staleWhileRevalidateSeconds) }
        set { staleWhileRevalidateSeconds = newValue.inSeconds }
    }

    package var staleIfErrorSeconds: Double {
        get { attemptRules?.rules.staleIfErrorSeconds ?? 0 }
        set { rules.staleIfErrorSeconds = newValue }
    }

    package var staleWhileRevalidateSeconds: Double {
        get { attemptRules?.rules.staleWhileRevalidateSeconds ?? 0 }
        set { rules.staleWhileRevalidateSeconds = newValue }
    }
}

extension Configuration {
    /// A setting that makes no sense, by itself or in combination with the others.
    package struct ValidationError: Error, CustomStringConvertible {
        /// `retry`, `limits`, `breaker`, ….
        package let field: String
        package let description: String

        init(_ field: String, _ description: String) {
            self.field = field
            self.description = "\(field)\(description)"
        }
    }

    /// Checks the settings for attempts (rule 40.3). It is called after each block.
    package func checkAttempts() throws(ValidationError) {
        try Self.require(
            stream == nil || refreshSeconds == 0, "stream",
            " makes no sense with refresh_while_observed: each event is loaded already")
        guard let rules = attemptRules?.rules else { return }
        if let retry = rules.retry { try check(retry) }
        if let limits = rules.limits { try check(limits) }
        if let breaker = rules.breaker { try Self.check(breaker) }
        try Self.require(rules.staleIfErrorSeconds >= 0, "stale_if_error", " is 0 or more")
        try Self.require(rules.staleWhileRevalidateSeconds >= 0, "stale_while_revalidate", " is 0 or more")
    }

    /// Checks the same, and throws the failure of a block.
    package func refuseSenselessAttempts() throws(RequestError.CauseError) {
        do throws(ValidationError) { try checkAttempts() } catch {
            throw RequestError.CauseError(.internal(message: error.description))
        }
    }

    private static func require(
        _ isSound: Bool, _ field: String, _ sentence: @autoclosure () -> String
    ) throws(ValidationError) {
        guard isSound else { throw ValidationError(field, sentence()) }
    }

    private func check(_ retry: RetryPolicy) throws(ValidationError) {
        func require(_ isSound: Bool, _ sentence: @autoclosure () -> String) throws(ValidationError) {
            try Self.require(isSound, "retry", sentence())
        }
        try require(
            2...100 ~= retry.attempts,
            ".attempts is from 2 to 100, got \(retry.attempts): the first attempt counts too; for no retry write retry = false"
        )
        try require(
            retry.baseSeconds > 0 && retry.baseSeconds.isFinite,
            ".base is more than 0, got \(retry.baseSeconds)")
        try require(
            retry.capSeconds >= retry.baseSeconds && retry.capSeconds.isFinite,
            ".cap (\(retry.capSeconds)) is less than .base (\(retry.baseSeconds)), the first wait")
        try require(0...1 ~= retry.budget, ".budget is a share from 0 to 1, got \(retry.budget)")
        if let status = retry.statuses.sorted().first(where: { !(400...599 ~= $0) }) {
            throw ValidationError(
                "retry", ".statuses has \(status), which is no failure: allowed are 400 to 599")
        }
        let total = timeouts.totalSeconds
        try require(
            total <= 0 || total > retry.baseSeconds,
            " has no effect: timeouts.total (\(total) s) is not longer than the first wait (base = \(retry.baseSeconds) s)"
        )
    }

    private func check(_ limits: RequestLimits) throws(ValidationError) {
        func require(_ isSound: Bool, _ sentence: @autoclosure () -> String) throws(ValidationError) {
            try Self.require(isSound, "limits", sentence())
        }
        let isLimited = limits.inFlight != nil || limits.rate != nil
        try require(
            isLimited || limits.queue == nil,
            ".queue needs in_flight or rate: nothing else makes requests wait")
        try require(
            isLimited || limits.queueSeconds == nil,
            ".queue_timeout needs in_flight or rate: nothing else makes requests wait")
        try require(isLimited, " sets neither in_flight nor rate: for no limits write limits = false")
        if let inFlight = limits.inFlight {
            try require(inFlight >= 1, ".in_flight is 1 or more, got \(inFlight)")
        }
        if let queue = limits.queue { try require(queue >= 0, ".queue is 0 or more, got \(queue)") }
        if let seconds = limits.queueSeconds {
            try require(
                seconds > 0 && seconds.isFinite,
                ".queue_timeout is more than 0, got \(seconds): with queue = 0 no request waits")
            try require(
                limits.queue != 0, ".queue_timeout makes no sense with queue = 0, where no request waits")
            let total = timeouts.totalSeconds
            try require(
                total <= 0 || seconds <= total,
                ".queue_timeout (\(seconds) s) is longer than a whole request may take (timeouts.total = \(total) s)"
            )
        }
        if let rate = limits.rate {
            try require(rate.requests >= 1, ".rate.requests is 1 or more, got \(rate.requests)")
            try require(
                rate.perSeconds > 0 && rate.perSeconds.isFinite,
                ".rate.per is more than 0, got \(rate.perSeconds)")
            if let burst = rate.burst { try require(burst >= 1, ".rate.burst is 1 or more, got \(burst)") }
        }
        if case .named(let name) = limits.scope { try require(!name.isEmpty, ".scope has no name") }
    }

    private static func check(_ breaker: BreakerPolicy) throws(ValidationError) {
        try require(
            breaker.ratio > 0 && breaker.ratio <= 1, "breaker",
            ".ratio is more than 0 and at most 1, got \(breaker.ratio)")
        try require(breaker.requests >= 1, "breaker", ".requests is 1 or more, got \(breaker.requests)")
        try require(
            breaker.windowSeconds > 0 && breaker.windowSeconds.isFinite, "breaker",
            ".window is more than 0, got \(breaker.windowSeconds)")
        try require(
            breaker.openSeconds > 0 && breaker.openSeconds.isFinite, "breaker",
            ".open is more than 0, got \(breaker.openSeconds)")
    }
}
