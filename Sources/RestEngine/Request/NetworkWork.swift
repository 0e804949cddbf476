internal import Coordination

/// The work of a request over the network: it builds the request, performs the actions of its
/// ``RequestLifecycle``, and runs the answer through the pipeline.
@EngineActor
final class NetworkWork: RequestWork {
    /// The operation that it waits for; there is one at most.
    enum Awaited {
        case nothing
        case transfer(any Transfer, MessageUnderWay?)
        case timer(EngineTimer)
        /// Transformers that run elsewhere, with the timer of their time limit.
        case pipeline(OffloadedRun, EngineTimer?)
        /// Another host may be loading the resource; with the timer of the time limit.
        case otherHost(SharedLoad, EngineTimer?)
    }

    let resource: Resource
    var plan: RequestPlan
    /// As built; nil if building failed, see below, and once the request has started.
    private var firstStep: Redirect.RequestStep?
    private var failedDraft: Response?
    /// The method after mutation; it selects pipeline and decorators (14.20).
    let finalMethod: String
    private var lifecycle = RequestLifecycle()
    var awaited = Awaited.nothing
    /// Nil if the configuration has no limits, breaker or retries.
    private(set) var permits: RequestPermits?
    /// The account of the body, until the pipeline has processed it.
    private(set) var account: BodyAccount?
    /// Nil if the body becomes content.
    var delivery: BodyDelivery?
    /// Nil until the request starts.
    var tracker: ProgressTracker?
    /// Nil if the request is not traced.
    private(set) var trace: RequestTrace?
    /// Its part in what hosts do together; nil if the load is this host's own.
    var sharedLoad: SharedLoad?
    /// Nil until a tracer of another module follows its messages.
    var follower: MessageFollower?
    /// The service's definition at the start; see ``Service/Definition``.
    private(set) var generation = 0
    private(set) var configurationAtStart: ResolvedConfiguration?
    /// The seconds that it has from its start; nil before, and for any time.
    private(set) var secondsAtStart: Double?
    /// The last result with its version; failures are not kept, because a block may still be running.
    private var known: (configuration: ResolvedConfiguration, version: Int)?
    /// Whether it is part of a call with a deadline, or its time is over when it starts.
    private(set) var hasCallDeadline = false
    /// The stamps of the body's files when they were first sent.
    private(set) var files: [FileStamp?]?

    /// Builds the request now; it is sent when it is started.
    init(_ plan: consuming RequestPlan, of resource: Resource) {
        self.resource = resource
        do throws(RequestError) {
            let step = Redirect.RequestStep(try plan.draft(for: resource))
            finalMethod = step.method
            firstStep = step
        } catch {
            finalMethod = plan.method
            failedDraft = .failure(error)
        }
        self.plan = plan
        self.plan.heldBytes += firstStep?.draft.heldBytes ?? 0
        if let destination = self.plan.destination { _ = deliver(to: destination) }
    }

    /// The configuration for ``finalMethod``.
    var finalConfiguration: ResolvedConfiguration {
        let version = resource.core.configuration.version
        if let known, known.version == version { return known.configuration }
        let found = resource.resolvedConfiguration(for: finalMethod, own: plan.configuration)
        known = found.failure == nil ? (found, version) : nil
        return found
    }

    private var scheduler: Scheduler { resource.engine.scheduler }

    /// Seconds until the deadline; infinite without limits.
    var timeLeft: Double {
        lifecycle.deadline < .infinity ? lifecycle.deadline - scheduler.uptime : .infinity
    }

    // MARK: Start

    func start(_ request: Request) {
        if let failedDraft { request.complete(ResponseInfo(failedDraft)) }
        guard let step = firstStep else { return }
        firstStep = nil
        let resolved = finalConfiguration
        generation = resource.core.generation
        configurationAtStart = resolved
        // The fingerprint of the current transformers, which may have changed by the end.
        if resource.engine.remembersPipelines { _ = resolved.pipelineFingerprint }
        if let failure = resolved.failure { return end(.failure(failure), request) }
        trace = makeTrace(of: request, isNotified: resolved.configuration.isTraced, step.headers)
        if let rules = resolved.configuration.attemptRules?.rules, !rules.isIdle {
            permits = RequestPermits(rules, resource) { [weak self] in self?.limitsNow }
        }
        let left = request.timeLeft(of: totalSeconds)
        let isOver = left <= .leastNormalMagnitude
        if left < .infinity { secondsAtStart = isOver ? .leastNormalMagnitude : left }
        hasCallDeadline = request.deadline < .infinity || isOver
        var new = RequestLifecycle()
        new.deadline = isOver ? scheduler.uptime : left < .infinity ? scheduler.uptime + left : .infinity
        lifecycle = new
        if plan.isShared, finalMethod == "GET", plan.usesPipeline, delivery == nil, !isOver,
            let coordination = resource.engine.coordination
        {
            return wait(for: coordination, step, resolved, request)
        }
        begin(step, resolved, request)
    }

    func begin(_ step: Redirect.RequestStep, _ resolved: ResolvedConfiguration, _ request: Request) {
        let hop = RequestHop(step: step, resolved: resolved, began: scheduler.now, number: request.attempt)
        perform(next { $0.started(hop) }, request)
    }

    /// The lifecycle's action after an event. It is copied, not changed in place, which saves exclusivity
    /// checks; see ``EngineLog``.
    @inline(__always)
    private func next(_ event: (inout RequestLifecycle) -> RequestLifecycle.Action) -> RequestLifecycle.Action
    {
        var lifecycle = lifecycle
        defer { self.lifecycle = lifecycle }
        return event(&lifecycle)
    }

    private func perform(_ action: RequestLifecycle.Action, _ request: Request) {
        switch action {
        case .admit(let hop): admit(hop, request)
        case .send(let hop): transmit(hop, request)
        case .decideRedirect(let hop, let response, let step):
            let decision = Result { () throws in
                try hop.resolved.configuration.redirects.allows(
                    step, after: hop.step, status: response.status)
            }
            perform(next { $0.decided(onRedirect: decision) }, request)
        case .decideRetry(let hop, let result, let obstacle):
            let decision = decideRetry(hop, result, obstacle)
            let action = next { $0.decided(onRetry: decision) }
            if result.isStale, action.isLast { permits?.ended(result) }
            perform(action, request)
        case .wait(_, let seconds):
            // Slots in limits are for others meanwhile.
            permits?.leave()
            awaited = .timer(
                scheduler.after(seconds) { [self] in
                    awaited = .nothing
                    perform(next { $0.waited() }, request)
                })
        case .receive(let response, let hop): receive(response, hop.step, request)
        case .fail(let failure, let hop):
            finish(.failure(error(of: failure, hop.step)), hop.step, request)
        case .ignore: break
        }
    }

    // MARK: Messages

    /// Gets the permits of a message, or refuses it.
    private func admit(_ hop: RequestHop, _ request: Request) {
        let url = hop.step.url == resource.urlString ? resource.url : URLText(hop.step.url)
        guard let url, url.isHTTP else {
            return fail(.invalidURL(source: hop.step.url), request)
        }
        if let refusal = resource.core.refusal?(url) {
            return fail(hop.redirect.map { refusal.ofRedirect($0.status, from: $0.url) } ?? refusal, request)
        }
        if let refusal = refusal(hop) { return fail(refusal, request) }
        guard let permits else { return perform(next { $0.admitted(after: nil) }, request) }
        permits.admit(hop, to: url, timeLeft: timeLeft) { [self] admission in
            switch admission {
            case .success(let queued): perform(next { $0.admitted(after: queued) }, request)
            case .failure(let error): perform(next { $0.refused(error) }, request)
            }
        }
    }

    /// The reason why no message may be sent now.
    private func refusal(_ hop: RequestHop) -> RequestError.Cause? {
        if resource.engine.isOffline { return .transport(.offline) }
        // The first message can't be late, unless it waited or is part of a longer call.
        guard hop.isOneOfMany || hasCallDeadline || hop.queued > 0, timeLeft <= 0 else { return nil }
        return .transport(.overdue(after: totalSeconds))
    }

    /// The message can't be sent, regardless of earlier attempts.
    private func fail(_ cause: RequestError.Cause, _ request: Request) {
        perform(next { $0.failed(.cause(cause)) }, request)
    }

    private func transmit(_ hop: RequestHop, _ request: Request) {
        let engine = resource.engine
        // The state may have changed while it waited.
        if hop.queued > 0, let refusal = refusal(hop) { return fail(refusal, request) }
        if hop.step.payload.isSpent {
            let why = "the request can't be sent again: " + RequestPayload.spentMessage
            return fail(.transport(TransportError(.internal, phase: .send, message: why)), request)
        }
        endStream(of: hop, after: request)
        if files == nil { files = hop.step.payload.fileStamps }
        let authentication = MessageAuthentication(of: hop, in: self)
        measure(hop.step)
        account?.close()
        account = BodyAccount(engine.contentBudget)
        let sendsSpan = trace?.isNotified ?? false
        let target = resource.cookies == nil && !sendsSpan ? nil : URLText(hop.step.url)
        let span = trace?.span()
        var message = message(of: hop, of: request, to: target, authentication?.proof, sendsSpan ? span : nil)
        // The time of the first message is known, unless it had to wait.
        let isAtOnce = !hop.isOneOfMany && permits == nil && authentication == nil
        let sent = isAtOnce ? hop.began : engine.scheduler.now
        if let tracer = engine.messageTracer { follow(hop, of: request, sent: sent, &message, tracer) }
        let underWay =
            engine.listeners == nil && follower == nil
            ? nil : MessageUnderWay(request, hop, message.headers, span, sent, follower)
        delivery?.file?.onFault = { [weak self, weak request] cause in
            if let request { self?.interrupt(hop, sent: sent, cause, request) }
        }
        let transfer = resource.core.transport.send(message) { [self] result in
            awaited = .nothing
            guard !request.willIgnoreOutcome() else { return }
            // A stale connection shows nothing about the server, unless the request ends with it.
            if !result.isStale { permits?.ended(result) }
            underWay?.notify(result, delivery?.takeCopy())
            if let target, case .success(let response) = result {
                resource.cookies?.take(
                    response.headers, from: target, at: engine.scheduler.now, engine.log)
            }
            take(result, of: hop, sent: sent, authentication, request)
        }
        awaited = .transfer(transfer, underWay)
    }

    /// Handles the end of a message.
    private func take(
        _ result: TransportResult, of hop: RequestHop, sent: Double,
        _ authentication: MessageAuthentication?, _ request: Request
    ) {
        var outcome = RequestLifecycle.Outcome(result: result, isRetried: permits?.rules.retry != nil)
        switch result {
        case .failure(let error):
            resource.engine.note(error.code.rawValue, hop.step, since: sent)
            request.note(hop, sent: sent, error)
            outcome.bodyObstacle = bodyObstacle(of: hop.step)
            outcome.continuation = delivery?.rest(after: hop, error)
            outcome.isGivenAway = !(delivery?.canBeginAgain ?? true)
        case .success(let response):
            resource.engine.note(response.statusLine, hop.step, since: sent)
            request.exchange = Exchange(
                url: hop.step.url, status: response.status, httpVersion: response.httpVersion,
                headers: response.headers, timings: response.timings, redirects: hop.followed,
                body: plan.keepsBody ? response.body : nil, method: hop.step.method, began: sent,
                remoteAddress: response.remoteAddress)
            outcome.hasNewCredentials = authentication?.isRenewed(by: response, after: hop) ?? false
            if response.status >= 300 || outcome.hasNewCredentials {
                outcome.bodyObstacle = bodyObstacle(of: hop.step)
                outcome.continuation = delivery?.whole(after: hop, result)
            } else if let error = delivery?.file?.shortfall {
                outcome.shortfall = error
                outcome.continuation = delivery?.continuation(after: hop, error)
            }
        }
        let action = next { $0.ended(outcome) }
        if case .success = result {
            let isOneOfMany = hop.isOneOfMany || permits != nil || !action.isLast
            request.note(hop, remembering: isOneOfMany)
        } else if result.isStale, action.isLast {
            permits?.ended(result)
        }
        perform(action, request)
    }

    /// Ends the transfer because the body is useless: it is the wrong part of a file, or the file can't be
    /// written.
    private func interrupt(_ hop: RequestHop, sent: Double, _ cause: RequestError.Cause, _ request: Request) {
        guard case .transfer = awaited else { return }
        var error = TransportError(
            .internal, phase: .receive, message: "the body could not be written to its file")
        if case .transport(let fault) = cause { error = fault }
        stop(.failure(error))
        permits?.ended(.failure(error))
        resource.engine.note(error.code.rawValue, hop.step, since: sent)
        request.note(hop, sent: sent, error)
        guard case .transport = cause else {
            _ = next { $0.stopped() }
            permits?.leave()
            delivery?.file?.discard()
            return end(.failure(failure(cause, hop.step)), request)
        }
        var outcome = RequestLifecycle.Outcome(result: .failure(error))
        outcome.continuation = delivery?.continuation(after: hop, error)
        perform(next { $0.ended(outcome) }, request)
    }

    // MARK: Outcome

    /// A 304 confirms the existing data; without data it is a failure (19.9). Statuses from 400 are failures,
    /// all others are successes (5.18).
    private func receive(_ response: TransportResponse, _ step: Redirect.RequestStep, _ request: Request) {
        let now = scheduler.now
        permits?.leave()
        if response.status == 304 {
            if let entity = resource.state.data {
                request.complete(ResponseInfo(.success(entity), isNew: false))
                return
            }
            finish(.failure(failure(.noLocalDataFor304, step)), step, request)
            return
        }
        if let delivery, (200..<300).contains(response.status) {
            return finish(delivery, response, step, request)
        }
        let entity = Entity(response: response, url: step.url, timestamp: now)
        guard response.status >= 400 else {
            return finish(.success(entity), step, request, status: response.status)
        }
        finish(.failure(failure(response, entity, step)), step, request, status: response.status)
    }

    private func finish(
        _ response: Response, _ step: Redirect.RequestStep, _ request: Request, status: Int? = nil
    ) {
        permits?.leave()
        delivery?.file?.discard()
        guard plan.usesPipeline, !(plan.isRaw && response.isSuccess) else { return end(response, request) }
        let engine = resource.engine
        let resolved = configurationAtEnd
        if let failure = resolved.failure { return end(.failure(failure), request) }
        var context = PipelineContext(
            url: step.url, method: step.method, now: engine.scheduler.now, status: status,
            maxBodyBytes: resolved.configuration.maxBodyBytes, log: engine.log)
        context.allowsFragments = plan.allowsFragments
        // Any GET may become a load (D17).
        let version = resource.pipelineVersion(of: resolved, generation)
        let outputs = plan.method == "GET" ? StageOutputs(of: resource, pipelineVersion: version) : nil
        var run = PipelineRun(
            response, resolved.configuration.pipeline, context, of: engine, keeping: outputs,
            answerSnapshot: outputs == nil ? nil : resource.answerSnapshot)
        guard let next = run.next() else { return end(run, step, request) }
        let offloaded = OffloadedRun(run, next, engine) { [self] run in
            stop(.failure(.cancelled))
            end(run, step, request)
        }
        let left = timeLeft
        guard left < .infinity else {
            awaited = .pipeline(offloaded, nil)
            return
        }
        let timer = scheduler.after(left) { [weak self, weak request] in
            guard let self, let request else { return }
            stop(.failure(.cancelled))
            guard case .success = response else { return end(response, request) }
            end(.failure(failure(.transport(.overdue(after: totalSeconds)), step)), request)
        }
        awaited = .pipeline(offloaded, timer)
    }

    private func end(_ run: PipelineRun, _ step: Redirect.RequestStep, _ request: Request) {
        account?.close()
        run.outputs?.sharedLoad = sharedLoad
        // A function on the loop holds up timers too.
        if lifecycle.deadline < .infinity, run.response.isSuccess, timeLeft <= 0 {
            return end(.failure(failure(.transport(.overdue(after: totalSeconds)), step)), request)
        }
        request.complete(ResponseInfo(run.response, stageOutputs: run.outputs))
    }

    /// Stops waiting. A message in flight ends with this result.
    private func stop(_ result: TransportResult) {
        switch awaited {
        case .nothing: break
        case .transfer(let transfer, let underWay):
            transfer.cancel()
            underWay?.notify(result, delivery?.takeCopy())
        case .timer(let timer): timer.cancel()
        case .pipeline(let run, let timer):
            run.cancel()
            timer?.cancel()
        case .otherHost(let load, let timer):
            timer?.cancel()
            load.abandon()
        }
        awaited = .nothing
    }

    func cancel(isRunning: Bool) {
        _ = next { $0.stopped() }
        stop(.failure(.cancelled))
        permits?.leave()
        delivery?.file?.discard()
        account?.close()
    }
}
