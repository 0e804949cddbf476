/// One message of an exchange: the request itself, another attempt of it, an answer to a challenge, or the
/// target of a redirect.
final class RequestHop {
    let step: Redirect.RequestStep
    /// The step with which another attempt begins: the request itself, or the GET that a redirect has made of
    /// it.
    private(set) var first: Redirect.RequestStep
    /// The number of redirects before that step.
    private var followedFirst = 0
    let resolved: ResolvedConfiguration
    /// When the exchange began.
    let began: Double
    /// The number of the attempt that the message belongs to.
    private(set) var number: Int
    /// The number of the request's first attempt; repeats continue the count.
    let firstNumber: Int
    private(set) var followed = 0
    /// The number of challenges that this hop has answered.
    private(set) var answers = 0
    /// The redirect that led here.
    private(set) var redirect: (status: Int, url: String)?
    /// See ``RequestAttempt/reason``.
    private(set) var reason: RequestAttempt.Reason?
    /// See ``RequestAttempt/waited``.
    private(set) var waited = 0.0
    /// See ``RequestAttempt/queued``.
    private(set) var queued = 0.0
    /// The result of the attempt before it, which is final if this message is never sent. Nil if another
    /// message was answered in between: then the earlier result is not the failure of this one.
    private(set) var failed: TransportResult?

    init(step: Redirect.RequestStep, resolved: ResolvedConfiguration, began: Double, number: Int) {
        self.step = step
        first = step
        self.resolved = resolved
        self.began = began
        self.number = number
        firstNumber = number
    }

    /// A copy with another step.
    private init(_ other: RequestHop, _ step: Redirect.RequestStep) {
        (self.step, resolved, began) = (step, other.resolved, other.began)
        (first, followedFirst) = (other.first, other.followedFirst)
        (number, firstNumber) = (other.number, other.firstNumber)
        (followed, answers) = (other.followed, other.answers)
        (redirect, reason, failed) = (other.redirect, other.reason, other.failed)
        (waited, queued) = (other.waited, other.queued)
    }

    /// A copy that has waited that long for a slot.
    func queued(_ seconds: Double) -> RequestHop {
        let hop = RequestHop(self, step)
        hop.queued = seconds
        return hop
    }

    /// A copy with other headers.
    func changing(_ change: (inout Headers) -> Void) -> RequestHop {
        var next = step.draft
        change(&next.headers)
        let hop = RequestHop(self, Redirect.RequestStep(next))
        if followed == followedFirst { hop.first = hop.step }
        return hop
    }

    /// Another attempt after a failed one. It begins where the request began: the server decides again where
    /// to redirect it (41.11).
    func again(after result: TransportResult, waiting seconds: Double) -> RequestHop {
        let next = goingOn(after: result, waiting: seconds, with: first)
        (next.followed, next.answers, next.redirect) = (followedFirst, 0, nil)
        return next
    }

    /// Another message to the target of the last one, to continue it.
    func goingOn(after result: TransportResult) -> RequestHop {
        goingOn(after: result, waiting: 0, with: step)
    }

    private func goingOn(
        after result: TransportResult, waiting seconds: Double, with step: Redirect.RequestStep
    ) -> RequestHop {
        let next = RequestHop(self, step)
        next.number = number + 1
        next.waited = seconds
        next.queued = 0
        next.failed = result
        switch result {
        case .success(let response): next.reason = .status(response.status)
        case .failure(let error): next.reason = .failure(error.code.rawValue)
        }
        return next
    }

    /// The hop to the target of a redirect.
    func following(_ step: Redirect.RequestStep, _ status: Int) -> RequestHop {
        let next = RequestHop(self, step)
        next.followed = followed + 1
        // The request before the redirect may be unrepeatable, or need no repeat.
        if step.method != self.step.method { (next.first, next.followedFirst) = (step, next.followed) }
        next.answers = 0
        next.redirect = (status, self.step.url)
        next.reason = .redirect(status)
        next.failed = nil
        next.waited = 0
        return next
    }

    /// A copy to be sent again with credentials.
    var answeringChallenge: RequestHop {
        let again = RequestHop(self, step)
        again.answers = answers + 1
        again.reason = .challenge
        again.failed = nil
        again.waited = 0
        return again
    }

    /// Whether it has the same effect when it is sent twice, and can be sent twice (41.4, 41.5).
    var mayBeRepeated: Bool {
        Method.mayBeRepeated(first.method, first.headers) && !first.payload.isSentOnce
    }

    /// Whether the message before it failed because its connection was stale.
    var wasStale: Bool { failed?.error?.isStaleConnection ?? false }

    /// Whether its request has several messages.
    var isOneOfMany: Bool { reason != nil }
}

extension Request {
    /// Whether it has sent more than one message.
    package var isOfManyMessages: Bool { (trail?.count ?? 0) > 1 }

    /// Records the answer in ``exchange`` as that of one message of several.
    func note(_ hop: RequestHop, remembering isOneOfMany: Bool) {
        guard isOneOfMany || trail != nil, var attempt = exchange?.attempt(hop.number) else { return }
        attempt.reason = hop.reason
        attempt.waitedSeconds = hop.waited
        attempt.queuedSeconds = hop.queued
        trail = (trail ?? []) + [attempt]
    }

    /// Records a message without an answer.
    func note(_ hop: RequestHop, sent: Double, _ error: TransportError) {
        var attempt = RequestAttempt(
            number: hop.number, method: hop.step.method, url: hop.step.url, reason: hop.reason, began: sent,
            outcome: .failure(error))
        attempt.timings.totalSeconds = max(0, engine.scheduler.now - sent)
        attempt.waitedSeconds = hop.waited
        attempt.queuedSeconds = hop.queued
        trail = (trail ?? []) + [attempt]
    }
}
