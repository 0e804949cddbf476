/// The state of a network request, with the rules for its transitions (rules 5, 40 to 43): a value without
/// side effects. Its owner passes events to it and performs the actions that it returns.
///
/// It is in one state at a time, and in each state it waits for one event. An event for another state, such
/// as an answer after the end, changes nothing, so that no message is sent after the end.
struct RequestLifecycle {
    enum State {
        case notStarted
        /// The message waits for its permits.
        case queued(RequestHop)
        /// The message is being sent, or its answer received.
        case sending(RequestHop)
        /// The owner is deciding whether to follow a redirect.
        case redirected(RequestHop, TransportResponse, to: Redirect.RequestStep)
        /// The owner is deciding whether to send a failed message again.
        case failed(RequestHop, TransportResult)
        /// The next message waits, because the one before it failed.
        case waiting(RequestHop)
        /// The outcome is known, and is being processed by the pipeline or written to a file.
        case done
    }

    /// The owner's next step.
    enum Action {
        /// Get the permits of the message, then call ``admitted(after:)`` or ``refused(_:)``.
        case admit(RequestHop)
        /// Send the message, then call ``ended(_:)``.
        case send(RequestHop)
        /// Decide whether the redirect may be followed, then call ``decided(onRedirect:)``.
        case decideRedirect(RequestHop, TransportResponse, to: Redirect.RequestStep)
        /// Decide whether to make another attempt, then call ``decided(onRetry:)``.
        case decideRetry(RequestHop, TransportResult, obstacle: String?)
        /// Call ``waited()`` after that many seconds.
        case wait(RequestHop, seconds: Double)
        /// Process the final answer.
        case receive(TransportResponse, RequestHop)
        case fail(Failure, RequestHop)
        /// Do nothing: the event came too late.
        case ignore
    }

    /// The reason why there is no answer.
    enum Failure {
        case cause(RequestError.Cause)
        case thrown(any Error)
        /// An answer with this status redirects to a target that can't be followed.
        case misled(String, status: Int)
    }

    /// The end of a message.
    struct Outcome {
        var result: TransportResult
        /// The reason why the body can't be sent again as it was; nil if it can. Not set for a success below
        /// 300.
        var bodyObstacle: String?
        /// Whether the answer refused the message's credentials, and new ones are available.
        var hasNewCredentials = false
        /// The message for the missing part of a download.
        var continuation: RequestHop?
        /// The fault of a download after its last answer.
        var shortfall: TransportError?
        /// Whether there is a retry policy.
        var isRetried = false
        /// Whether a part of the body was delivered, which can't be undone.
        var isGivenAway = false
    }

    private(set) var state = State.notStarted
    /// The deadline on the scheduler's uptime clock; infinite without limits (41.8).
    var deadline = Double.infinity

    // MARK: Events

    mutating func started(_ hop: RequestHop) -> Action {
        guard case .notStarted = state else { return .ignore }
        return admit(hop)
    }

    /// The message may go, after waiting for that many seconds.
    mutating func admitted(after queued: Double?) -> Action {
        guard case .queued(var hop) = state else { return .ignore }
        if let queued { hop = hop.queued(queued) }
        state = .sending(hop)
        return .send(hop)
    }

    /// A limit or a breaker refuses the message. The result of the attempt before it is more specific.
    mutating func refused(_ error: TransportError) -> Action {
        guard case .queued(let hop) = state else { return .ignore }
        return conclude(hop, hop.failed ?? .failure(error))
    }

    /// The message can't be sent, regardless of earlier attempts.
    mutating func failed(_ failure: Failure) -> Action {
        switch state {
        case .queued(let hop), .sending(let hop): return end(.fail(failure, hop))
        default: return .ignore
        }
    }

    mutating func ended(_ outcome: Outcome) -> Action {
        guard case .sending(let hop) = state else { return .ignore }
        switch outcome.result {
        case .failure(let error): return failed(error, hop, outcome)
        case .success(let response): return answered(response, hop, outcome)
        }
    }

    mutating func decided(onRedirect decision: Result<Bool, any Error>) -> Action {
        guard case .redirected(let hop, let response, let step) = state else { return .ignore }
        switch decision {
        case .success(true): return admit(hop.following(step, response.status))
        case .success(false): return take(response, hop)
        case .failure(let error): return end(.fail(.thrown(error), hop))
        }
    }

    mutating func decided(onRetry decision: Result<RetryDecision, any Error>) -> Action {
        guard case .failed(let hop, let result) = state else { return .ignore }
        switch decision {
        case .success(.retry(let seconds)):
            let next = hop.again(after: result, waiting: seconds)
            state = .waiting(next)
            return .wait(next, seconds: seconds)
        case .success(.stop): return conclude(hop, result)
        case .failure(let error): return end(.fail(.thrown(error), hop))
        }
    }

    mutating func waited() -> Action {
        guard case .waiting(let hop) = state else { return .ignore }
        return admit(hop)
    }

    /// The request was cancelled, or ends by other means.
    mutating func stopped() -> Action { end(.ignore) }

    // MARK: Transitions

    private mutating func admit(_ hop: RequestHop) -> Action {
        state = .queued(hop)
        return .admit(hop)
    }

    private mutating func end(_ action: Action) -> Action {
        state = .done
        return action
    }

    private mutating func conclude(_ hop: RequestHop, _ result: TransportResult) -> Action {
        switch result {
        case .success(let response): end(.receive(response, hop))
        case .failure(let error): end(.fail(.cause(.transport(error)), hop))
        }
    }

    private mutating func failed(_ error: TransportError, _ hop: RequestHop, _ outcome: Outcome) -> Action {
        // If an idle connection broke before the first byte of the answer, the message is sent again on a new
        // one (41.10). If there is a retry policy, that decides.
        if error.isStaleConnection, !outcome.isRetried, !hop.wasStale, obstacle(hop.step, outcome) == nil {
            return admit(hop.goingOn(after: outcome.result))
        }
        if let continuation = outcome.continuation { return admit(continuation) }
        guard outcome.isRetried, !outcome.isGivenAway else { return conclude(hop, outcome.result) }
        return retry(hop, outcome)
    }

    private mutating func retry(_ hop: RequestHop, _ outcome: Outcome) -> Action {
        state = .failed(hop, outcome.result)
        return .decideRetry(hop, outcome.result, obstacle: obstacle(hop.first, outcome))
    }

    private mutating func answered(
        _ response: TransportResponse, _ hop: RequestHop, _ outcome: Outcome
    ) -> Action {
        if outcome.hasNewCredentials, bodyObstacle(hop.step, outcome) == nil {
            return admit(hop.answeringChallenge)
        }
        guard response.status >= 300 else {
            guard let error = outcome.shortfall else { return end(.receive(response, hop)) }
            if let continuation = outcome.continuation { return admit(continuation) }
            return conclude(hop, .failure(error))
        }
        let policy = hop.resolved.configuration.redirects
        switch Redirect.decide(
            step: hop.step, status: response.status, location: response.headers["Location"], policy: policy,
            followed: hop.followed)
        {
        case .follow(let step):
            if let obstacle = bodyObstacle(step, outcome) {
                let why = "the server redirects a request that can't be sent again: \(obstacle)"
                return end(.fail(.misled(why, status: response.status), hop))
            }
            guard policy.on != nil else { return admit(hop.following(step, response.status)) }
            state = .redirected(hop, response, to: step)
            return .decideRedirect(hop, response, to: step)
        case .tooMany: return end(.fail(.cause(.tooManyRedirects(limit: policy.max)), hop))
        case .refuse(let why):
            return conclude(hop, .failure(TransportError(.tlsFailed, phase: .tls, message: why)))
        case .broken(let why): return end(.fail(.misled(why, status: response.status), hop))
        case .none: break
        }
        if let continuation = outcome.continuation { return admit(continuation) }
        if response.status >= 400, outcome.isRetried { return retry(hop, outcome) }
        return take(response, hop)
    }

    /// If the body of an error can't be read, the status is still more informative.
    private mutating func take(_ response: TransportResponse, _ hop: RequestHop) -> Action {
        if response.status < 400, let error = response.bodyError { return conclude(hop, .failure(error)) }
        return end(.receive(response, hop))
    }

    /// The reason why the message can't be sent a second time (41.4, 41.5).
    private func obstacle(_ step: Redirect.RequestStep, _ outcome: Outcome) -> String? {
        guard Method.mayBeRepeated(step.method, step.headers) else {
            return "\(step.method) may not be repeated without an idempotency key"
        }
        return bodyObstacle(step, outcome)
    }

    /// A redirect may have removed the body.
    private func bodyObstacle(_ step: Redirect.RequestStep, _ outcome: Outcome) -> String? {
        if case .none = step.payload { nil } else { outcome.bodyObstacle }
    }
}

extension RequestLifecycle.Action {
    /// Whether no further message or decision follows.
    var isLast: Bool {
        switch self {
        case .receive, .fail, .ignore: true
        case .admit, .send, .decideRedirect, .decideRetry, .wait: false
        }
    }
}

extension TransportResult {
    var isStale: Bool { error?.isStaleConnection ?? false }
}
