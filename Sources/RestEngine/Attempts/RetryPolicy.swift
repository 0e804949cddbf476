/// When and how to send a failed request again (rules 41).
public struct RetryPolicy: Sendable {
    /// The number of attempts, the first one included.
    public var attempts = 3
    package var baseSeconds = 0.2
    package var capSeconds = 10.0
    /// Statuses after which a later attempt may succeed.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// Retries to a host, as a share of its requests; three a second are always allowed.
    public var budget = 0.2
    /// Called for each failure of a request that may be sent again, with the error and the number of the
    /// attempt that failed. If it is nil, the statuses and the transient errors of the transport decide. If
    /// it throws, that error is the error of the request.
    public var when: (@EngineActor (RequestError, Int) throws -> RetryAnswer)?

    /// The defaults of each property.
    public init() {}

    /// The longest wait before the second attempt; it doubles with each further attempt.
    public var base: Duration {
        get { Duration(inSeconds: baseSeconds) }
        set { baseSeconds = newValue.inSeconds }
    }

    /// The upper limit of all waits, and of a server's Retry-After.
    public var cap: Duration {
        get { Duration(inSeconds: capSeconds) }
        set { capSeconds = newValue.inSeconds }
    }

    /// Retries in a second that a host may always get.
    package static let leastPerSecond = 3.0

    /// The longest wait after an attempt, before the random factor (41.3).
    func ceiling(after attempt: Int) -> Double {
        var ceiling = baseSeconds
        for _ in 1..<max(1, min(attempt, 64)) where ceiling < capSeconds { ceiling *= 2 }
        return min(ceiling, capSeconds)
    }
}

/// The decision of ``RetryPolicy/when`` about a failure.
public enum RetryAnswer: Sendable, Equatable {
    /// Send it again after the policy's wait.
    case retry
    /// Don't send it again.
    case fail
    /// Send it again after this time, instead of the policy's wait.
    case after(Duration)
    /// Do what the policy would do without the function.
    case usual
}

/// The facts for the decision whether to try again after a failure.
struct RetryQuestion {
    /// The number of the attempt that failed.
    var number: Int
    /// The status of the answer; nil without one.
    var status: Int?
    var error: TransportError?
    /// Why the request can't be sent a second time; nil when it can.
    var obstacle: String?
    var retryAfter: RetryAfter?
    /// Seconds until the deadline of the whole request; infinite without one.
    var timeLeft = Double.infinity
    /// The answer of the policy's function.
    var answer = RetryAnswer.usual
}

/// The decision about a failure.
enum RetryDecision: Equatable {
    case retry(after: Double)
    /// The failure stands. The text says why, for the log, where another attempt was possible.
    case stop(String?)
}

extension RetryPolicy {
    /// Whether another attempt may be worthwhile (41.2), and so whether to call ``when`` at all. Nil: it may.
    func mayRetry(_ question: RetryQuestion) -> RetryDecision? {
        if let error = question.error, !error.mayPass { return .stop(nil) }
        if let obstacle = question.obstacle { return .stop(obstacle) }
        return question.number >= attempts ? .stop("it was the last of \(attempts) attempts") : nil
    }

    /// - Parameters:
    ///   - random: From 0 to 1, for the wait.
    ///   - pays: Takes one retry out of the host's budget; false if the budget is used up.
    func decide(_ question: RetryQuestion, random: () -> Double, pays: () -> Bool) -> RetryDecision {
        if let decision = mayRetry(question) { return decision }
        var wait: Double?
        switch question.answer {
        case .fail: return .stop("'when' says so")
        case .retry: break
        case .after(let time): wait = max(0, time.inSeconds)
        case .usual:
            if let status = question.status, !statuses.contains(status) { return .stop(nil) }
        }
        // If the connection was closed while it was idle, waiting does not help.
        if question.error?.isStaleConnection ?? false { wait = wait ?? 0 }
        let delay =
            wait ?? question.retryAfter?.wait(cap: capSeconds)
            ?? ceiling(after: question.number) * min(max(random(), 0), 1)
        guard delay < question.timeLeft else { return .stop("no time is left for another attempt") }
        return pays() ? .retry(after: delay) : .stop("the retries of the host are used up")
    }
}

extension TransportError {
    /// Whether another attempt may succeed, as far as the client can know. False if the certificate, the URL
    /// or the body itself is the cause (41.2).
    package var mayPass: Bool {
        switch code {
        case .dnsFailed, .connectionFailed: true
        case .timeout: phase != .total && phase != .queue
        case .tlsFailed, .tooLarge, .decodingFailed, .invalidURL, .tooManyRedirects, .circuitOpen, .offline,
            .rateLimited:
            false
        case .queueFull, .internal: isShortage
        }
    }
}
