extension NetworkWork {
    /// The message to send for a hop.
    ///
    /// - Parameters:
    ///   - target: The URL, where cookies or a span need it.
    ///   - span: The span to announce to the server.
    func message(
        of hop: RequestHop, of request: Request, to target: URLText?, _ proof: AuthenticationProof?,
        _ span: TraceSpan?
    ) -> TransportRequest {
        let engine = resource.engine
        var timeouts = hop.resolved.configuration.timeouts
        if let timeout = plan.timeout { timeouts.totalSeconds = timeout }
        if hop.isOneOfMany || permits != nil || hasCallDeadline || sharedLoad != nil {
            // The limit applies to the whole exchange, not to each hop, and to the wait for another host.
            let left = timeLeft
            if left < .infinity { timeouts.totalSeconds = max(0.001, left) }
        }
        var message = TransportRequest(
            TransportRequest.Fields(
                method: hop.step.method, url: hop.step.url, headers: hop.step.headers,
                payload: hop.step.payload, timeouts: timeouts,
                maxBodyBytes: hop.resolved.configuration.maxBodyBytes, account: account,
                wantsRemoteAddress: engine.recordsAddresses || engine.hasListeners(of: .attempt),
                wantsFreshConnection: hop.wasStale))
        if let proof { message.headers.set("Authorization", proof.header) }
        delivery?.prepare(&message)
        if let target, let cookies = resource.cookies { cookies.add(to: &message, for: target, engine) }
        if let span, let target { notify(span, by: &message, to: target, of: hop) }
        if let id = request.origin?.id, tellsRequestID(to: hop) { message.headers.set(RequestID.header, id) }
        return message
    }

    /// Tells the writer of a streamed body when nobody reads it any more. A repeat may send a body that was
    /// not read yet, but not after a cancellation.
    func endStream(of hop: RequestHop, after request: Request) {
        guard case .upload(.stream(let pipe)) = hop.step.payload else { return }
        request.onCompletion { info in if pipe.isSpent || info.isCancellation { pipe.close() } }
    }

    // MARK: Failures

    /// Ends without the pipeline.
    func end(_ response: Response, _ request: Request) {
        account?.close()
        request.complete(ResponseInfo(response))
    }

    /// The failure for an answer with an error status.
    func failure(
        _ response: TransportResponse, _ entity: Entity, _ step: Redirect.RequestStep
    ) -> RequestError {
        SecretMask.hideCredentials(in: response.body, of: step.headers, to: step.url)
        return RequestError(
            httpStatusCode: response.status, entity: entity, cause: response.bodyError.map { .transport($0) },
            timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
    }

    func failure(_ cause: RequestError.Cause, _ step: Redirect.RequestStep) -> RequestError {
        RequestError(
            cause: cause, timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
    }

    /// The error of a request whose lifecycle ended without an answer.
    func error(of failure: RequestLifecycle.Failure, _ step: Redirect.RequestStep) -> RequestError {
        switch failure {
        case .cause(let cause): return self.failure(cause, step)
        case .thrown(let error):
            return RequestError(
                thrown: error, timestamp: resource.engine.scheduler.now, url: step.url, method: step.method)
        case .misled(let why, let status):
            let cause = TransportError(.invalidURL, phase: .receive, message: why)
            var error = self.failure(.transport(cause), step)
            error.httpStatusCode = status
            return error
        }
    }

    // MARK: Identity

    var lister: Resource? { resource }

    var isNotified: Bool { true }

    var network: NetworkWork? { self }

    var target: (url: String, method: String)? { (resource.urlString, plan.method) }

    var description: String { "\(plan.method) \(resource.urlString)" }

    /// Built again, not replayed: headers are read and mutations run again (9.2).
    func repeated() -> any RequestWork { NetworkWork(plan, of: resource) }

    func authenticate(by authentication: any RequestAuthentication) { plan.authentication = authentication }

    // MARK: Traces

    /// Nil if there is no tracing and no listener.
    func makeTrace(of request: Request, isNotified: Bool, _ headers: Headers) -> RequestTrace? {
        // A tracer of another module announces its own spans.
        let isNotified = isNotified && resource.engine.messageTracer == nil
        guard isNotified || resource.engine.recordsSpans else { return nil }
        let own = isNotified ? TraceContext(headers) : nil
        return RequestTrace(below: own ?? request.origin?.trace, isNotified: isNotified)
    }

    /// Whether a message gets the ID of the client's request: neither the configuration nor the caller has
    /// set one, and the message goes to no other origin (74.2).
    private func tellsRequestID(to hop: RequestHop) -> Bool {
        guard hop.resolved.configuration.sendsRequestID, !hop.step.headers.contains(RequestID.header) else {
            return false
        }
        if hop.step.url == resource.urlString { return true }
        return URLText(hop.step.url)?.origin == resource.url?.origin
            || hop.resolved.configuration.redirects.keepHeaders.contains(HeaderName(RequestID.header))
    }

    /// Announces the span to the server in a header, unless the message goes to another origin (59.2).
    func notify(
        _ span: TraceSpan, by message: inout TransportRequest, to target: URLText, of hop: RequestHop
    ) {
        for (name, value) in [("traceparent", span.context.parent), ("tracestate", span.context.state)] {
            message.headers.remove(name)
            if let value, mayTell(name, to: target, of: hop) { message.headers.set(name, value) }
        }
    }

    private func mayTell(_ name: String, to target: URLText?, of hop: RequestHop) -> Bool {
        target?.origin == resource.url?.origin
            || hop.resolved.configuration.redirects.keepHeaders.contains(HeaderName(name))
    }

    /// Makes the message a span of a tracer, whose fields replace those of the engine's own span.
    func follow(
        _ hop: RequestHop, of request: Request, sent: Double, _ message: inout TransportRequest,
        _ tracer: any MessageTracer
    ) {
        let follower = follower ?? MessageFollower()
        self.follower = follower
        let traced = TracedMessage(
            service: resource.core.name, method: message.method, url: message.url,
            resends: request.earlierMessages + request.attempts.count, began: sent,
            place: request.origin?.place, requestID: request.origin?.id)
        let target = hop.step.url == resource.urlString ? resource.url : URLText(hop.step.url)
        for field in follower.begin(traced, tracer) {
            message.headers.remove(field.name)
            if mayTell(field.name, to: target, of: hop) { message.headers.set(field.name, field.value) }
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

    /// A script that was loaded again meanwhile does not affect requests that began before (ARCHITECTURE.md,
    /// Four walks).
    var configurationAtEnd: ResolvedConfiguration {
        if let configurationAtStart, generation != resource.core.generation { return configurationAtStart }
        return finalConfiguration
    }

    /// The message in flight; nil if there is none.
    var transfer: (any Transfer)? {
        if case .transfer(let transfer, _) = awaited { transfer } else { nil }
    }

    /// The reason why the body can't be sent again as it was (41.5, 69.4).
    func bodyObstacle(of step: Redirect.RequestStep) -> String? {
        if step.payload.isSpent { return RequestPayload.spentMessage }
        guard let files, let now = step.payload.fileStamps else { return nil }
        return now != files || now.contains(nil) ? RequestPayload.changedMessage : nil
    }
}
