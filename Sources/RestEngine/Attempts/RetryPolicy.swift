/// When and how a request that failed is sent again (rules 41).
public struct RetryPolicy: Sendable {
    /// Attempts in all, the first one included.
    public var attempts = 3
    package var baseSeconds = 0.2
    package var capSeconds = 10.0
    /// Statuses that may be better another time.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// Retries of a host, as a share of its requests; three a second are always allowed.
    public var budget = 0.2
    /// Asked about each failure of a request that may be sent again; nil: the statuses and transient errors
    /// of the transport decide. It gets the number of the attempt that failed. What it throws is the error of
    /// the request.
    public var when: (@EngineActor (RequestError, Int) throws -> RetryAnswer)?

    public init() {}

    /// The longest wait before the second attempt; it doubles from each to the next.
    public var base: Duration {
        get { Duration(inSeconds: baseSeconds) }
        set { baseSeconds = newValue.inSeconds }
    }

    /// The longest of all waits, and of a server's Retry-After.
    public var cap: Duration {
        get { Duration(inSeconds: capSeconds) }
        set { capSeconds = newValue.inSeconds }
    }

    /// Retries that a host always gets in a second.
    package static let leastPerSecond = 3.0

    /// The longest that is waited behind an attempt, before the random part (41.3).
    func ceiling(after attempt: Int) -> Double {
        var ceiling = baseSeconds
        for _ in 1..<max(1, min(attempt, 64)) where ceiling < capSeconds { ceiling *= 2 }
        return min(ceiling, capSeconds)
    }
}

/// What ``RetryPolicy/when`` says of a failure.
public enum RetryAnswer: Sendable, Equatable {
    case retry
    case fail
    /// Send it again after so long, whatever the policy says of waits.
    case after(Duration)
    /// Whatever it would be without the function.
    case usual
}

/// What is known of a failure when it has to be decided whether to try again.
struct RetryQuestion {
    /// Of the attempt that failed.
    var number: Int
    /// Of the answer; nil without one.
    var status: Int?
    var error: TransportError?
    /// Why the request can't be sent a second time; nil when it can.
    var obstacle: String?
    var retryAfter: RetryAfter?
    /// Seconds until the deadline of the whole request; infinite without one.
    var timeLeft = Double.infinity
    /// What the policy's function said.
    var answer = RetryAnswer.usual
}

/// What becomes of a failure.
enum RetryDecision: Equatable {
    case retry(after: Double)
    /// It stands; for the log, why, where there was something to decide.
    case stop(String?)
}

extension RetryPolicy {
    /// It may be worth while (41.2): whether to ask ``when`` at all.
    func mayRetry(_ question: RetryQuestion) -> RetryDecision? {
        if let error = question.error, !error.mayPass { return .stop(nil) }
        if let obstacle = question.obstacle { return .stop(obstacle) }
        return question.number >= attempts ? .stop("it was the last of \(attempts) attempts") : nil
    }

    /// - Parameters:
    ///   - random: From 0 to 1, for the wait.
    ///   - pays: Takes one retry out of the host's budget, if there is one.
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
        // Of a connection that was closed while it rested, waiting makes nothing better.
        if question.error?.isStaleConnection ?? false { wait = wait ?? 0 }
        let delay =
            wait ?? question.retryAfter?.wait(cap: capSeconds)
            ?? ceiling(after: question.number) * min(max(random(), 0), 1)
        guard delay < question.timeLeft else { return .stop("no time is left for another attempt") }
        return pays() ? .retry(after: delay) : .stop("the retries of the host are used up")
    }
}

extension TransportError {
    /// Another attempt may end better, as far as anybody can know from here: nothing that the certificate,
    /// the URL or the body itself is to blame for (41.2).
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
