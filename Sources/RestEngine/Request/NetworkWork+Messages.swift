extension NetworkWork {
    /// What goes out for a leg.
    ///
    /// - Parameters:
    ///   - target: The URL, where cookies or a span need it.
    ///   - span: That the server is told of.
    func message(
        of leg: RequestLeg, to target: URLText?, _ proof: AuthenticationProof?, _ span: TraceSpan?
    ) -> TransportRequest {
        let engine = resource.engine
        var timeouts = leg.resolved.configuration.timeouts
        if let timeout = plan.timeout { timeouts.totalSeconds = timeout }
        if leg.isOneOfMany || driver != nil || deadline < .infinity {
            // The limit is for the whole exchange, not for each leg of it.
            let left = timeLeft
            if left < .infinity { timeouts.totalSeconds = max(0.001, left) }
        }
        var message = TransportRequest(
            TransportRequest.Fields(
                method: leg.step.method, url: leg.step.url, headers: leg.step.headers,
                payload: leg.step.payload, timeouts: timeouts,
                maxBodyBytes: leg.resolved.configuration.maxBodyBytes, account: account,
                wantsRemoteAddress: engine.recordsAddresses || engine.hasListeners(of: .attempt),
                wantsFreshConnection: leg.failed?.error?.isStaleConnection ?? false))
        if let proof { message.headers.set("Authorization", proof.header) }
        delivery?.prepare(&message)
        if let target, let cookies = resource.core.cookies { cookies.add(to: &message, for: target, engine) }
        if let span, let target { tell(span, by: &message, to: target, of: leg) }
        return message
    }

    // MARK: Failures

    /// Of an answer that is one.
    func failure(
        _ response: TransportResponse, _ entity: Entity, _ step: Redirect.RequestStep
    ) -> RequestError {
        RequestError(
            httpStatusCode: response.status, entity: entity, cause: response.bodyError.map { .transport($0) },
            timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
    }

    func failure(_ cause: RequestError.Cause, _ step: Redirect.RequestStep) -> RequestError {
        RequestError(
            cause: cause, timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
    }

    func failure(thrown error: any Error, _ step: Redirect.RequestStep) -> RequestError {
        RequestError(
            thrown: error, timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
    }

    /// Of an answer that leads where nobody can follow.
    func misled(
        _ why: String, _ response: TransportResponse, _ step: Redirect.RequestStep
    ) -> RequestError {
        var error = failure(
            .transport(TransportError(.invalidURL, phase: .receive, message: why)), step)
        error.httpStatusCode = response.status
        return error
    }

    /// A message can't be sent, because its body went along with one before it (69.4).
    func failSpent(_ leg: RequestLeg, _ request: Request) {
        let why = "the request can't be sent again: " + RequestPayload.spentMessage
        fail(leg, TransportError(.internal, phase: .send, message: why), request)
    }

    /// The same of one that a redirect leads to.
    func failSpent(
        _ obstacle: String, redirectedBy response: TransportResponse, _ leg: RequestLeg, _ request: Request
    ) {
        request.note(leg, remembering: leg.isOneOfMany)
        let why = "the server redirects a request that can't be sent again: \(obstacle)"
        finish(.failure(misled(why, response, leg.step)), leg.step, request)
    }

    // MARK: Identity

    var lister: Resource? { resource }

    var isTold: Bool { true }

    var target: (url: String, method: String)? { (resource.urlString, plan.method) }

    var description: String { "\(plan.method) \(resource.urlString)" }

    /// Rebuilt, not replayed: headers are read and mutations run again (9.2).
    func repeated() -> any RequestWork { NetworkWork(plan, of: resource) }

    func authenticate(by authentication: any RequestAuthentication) { plan.authentication = authentication }

    // MARK: Traces

    /// Nil when nobody wants one.
    func makeTrace(isTold: Bool, _ headers: Headers) -> RequestTrace? {
        guard isTold || resource.engine.recordsSpans else { return nil }
        let own = isTold ? TraceContext(headers) : nil
        return RequestTrace(below: own ?? resource.engine.traceParent, isTold: isTold)
    }

    /// A message tells the server which span it is, unless it goes to another origin (59.2).
    func tell(
        _ span: TraceSpan, by message: inout TransportRequest, to target: URLText, of leg: RequestLeg
    ) {
        let kept = leg.resolved.configuration.redirects.keepHeaders
        for (name, value) in [("traceparent", span.context.parent), ("tracestate", span.context.state)] {
            message.headers.remove(name)
            guard let value, target.origin == resource.url?.origin || kept.contains(HeaderName(name)) else {
                continue
            }
            message.headers.set(name, value)
        }
    }

    // MARK: Progress

    func measure(_ step: Redirect.RequestStep) {
        let now = resource.engine.scheduler.uptime
        let isGet = step.method == "GET"
        if tracker == nil {
            tracker = ProgressTracker(isGet: isGet, now: now)
        } else {
            tracker?.restart(isGet: isGet, now: now)
        }
    }

    var fraction: Double {
        if let transfer { tracker?.update(transfer.progress, now: resource.engine.scheduler.uptime) }
        return tracker?.fraction ?? 0
    }

    var progressInterval: Double { finalConfiguration.configuration.progressSeconds }
}
