/// One message of an exchange: the request itself, another attempt of it, an answer to a challenge, or what a
/// redirect led to.
final class RequestHop {
    let step: Redirect.RequestStep
    /// What another attempt begins with: the request itself, or the GET that a redirect has made of it.
    private(set) var first: Redirect.RequestStep
    /// Redirects that had led there.
    private var followedFirst = 0
    let resolved: ResolvedConfiguration
    /// When the exchange began.
    let began: Double
    /// Which attempt of the request it belongs to.
    private(set) var number: Int
    /// Of the request's first attempt: repeats count on.
    let firstNumber: Int
    private(set) var followed = 0
    /// How many challenges this hop has answered.
    private(set) var answers = 0
    /// What led here.
    private(set) var redirect: (status: Int, url: String)?
    /// See ``RequestAttempt/reason``.
    private(set) var reason: RequestAttempt.Reason?
    /// See ``RequestAttempt/waited``.
    private(set) var waited = 0.0
    /// See ``RequestAttempt/queued``.
    private(set) var queued = 0.0
    /// The attempt before it, which stands when this one is never sent. Nil where another message was
    /// answered since: what its server says is no failure of this one's.
    private(set) var failed: TransportResult?

    init(step: Redirect.RequestStep, resolved: ResolvedConfiguration, began: Double, number: Int) {
        self.step = step
        first = step
        self.resolved = resolved
        self.began = began
        self.number = number
        firstNumber = number
    }

    /// The same with another step.
    private init(_ other: RequestHop, _ step: Redirect.RequestStep) {
        (self.step, resolved, began) = (step, other.resolved, other.began)
        (first, followedFirst) = (other.first, other.followedFirst)
        (number, firstNumber) = (other.number, other.firstNumber)
        (followed, answers) = (other.followed, other.answers)
        (redirect, reason, failed) = (other.redirect, other.reason, other.failed)
        (waited, queued) = (other.waited, other.queued)
    }

    /// The same, which waited so long for a place.
    func queued(_ seconds: Double) -> RequestHop {
        let hop = RequestHop(self, step)
        hop.queued = seconds
        return hop
    }

    /// The same with other headers.
    func changing(_ change: (inout Headers) -> Void) -> RequestHop {
        var next = step.draft
        change(&next.headers)
        let hop = RequestHop(self, Redirect.RequestStep(next))
        if followed == followedFirst { hop.first = hop.step }
        return hop
    }

    /// Another attempt behind one that failed. It begins where the request did: where it is led now is for
    /// the server to say (41.11).
    func again(after result: TransportResult, waiting seconds: Double) -> RequestHop {
        let next = goingOn(after: result, waiting: seconds, with: first)
        (next.followed, next.answers, next.redirect) = (followedFirst, 0, nil)
        return next
    }

    /// Another message for what the last one began, where that went.
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

    /// What a redirect leads to.
    func following(_ step: Redirect.RequestStep, _ status: Int) -> RequestHop {
        let next = RequestHop(self, step)
        next.followed = followed + 1
        // What led there may not be sent twice, or need not.
        if step.method != self.step.method { (next.first, next.followedFirst) = (step, next.followed) }
        next.answers = 0
        next.redirect = (status, self.step.url)
        next.reason = .redirect(status)
        next.failed = nil
        next.waited = 0
        return next
    }

    /// The same again, with credentials.
    var answeringChallenge: RequestHop {
        let again = RequestHop(self, step)
        again.answers = answers + 1
        again.reason = .challenge
        again.failed = nil
        again.waited = 0
        return again
    }

    /// It means the same when it is sent twice, and can be (41.4, 41.5).
    var mayBeRepeated: Bool {
        Method.mayBeRepeated(first.method, first.headers) && !first.payload.isSentOnce
    }

    /// The message before it went out on a connection that had broken.
    var wasStale: Bool { failed?.error?.isStaleConnection ?? false }

    /// It is one of several messages of its request.
    var isOneOfMany: Bool { reason != nil }
}

extension Request {
    /// Notes an answer, of which ``exchange`` tells, as that of one message among others.
    func note(_ hop: RequestHop, remembering isOneOfMany: Bool) {
        guard isOneOfMany || trail != nil, var attempt = exchange?.attempt(hop.number) else { return }
        attempt.reason = hop.reason
        attempt.waited = hop.waited
        attempt.queued = hop.queued
        trail = (trail ?? []) + [attempt]
    }

    /// Notes a message without answer.
    func note(_ hop: RequestHop, sent: Double, _ error: TransportError) {
        var attempt = RequestAttempt(
            number: hop.number, method: hop.step.method, url: hop.step.url, reason: hop.reason, began: sent,
            outcome: .failure(error))
        attempt.timings.total = max(0, engine.scheduler.now - sent)
        attempt.waited = hop.waited
        attempt.queued = hop.queued
        trail = (trail ?? []) + [attempt]
    }
}
