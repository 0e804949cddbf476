/// The work of a request over the network: build, send, follow redirects, pass the response through the
/// pipeline.
@EngineActor
final class NetworkWork: RequestWork {
    let resource: Resource
    var plan: RequestPlan
    /// Nil where there is none to send, for the failure beside it, and once it has started.
    private var firstStep: Redirect.RequestStep?
    /// The method after mutation; it decides on pipeline and decorators (14.20).
    let finalMethod: String
    private var failedDraft: Response?
    private(set) var transfer: (any Transfer)?
    /// Of the body, until the pipeline has made something of it.
    private(set) var account: BodyAccount?
    /// Nil where the body becomes content.
    var delivery: BodyDelivery?
    /// The pipeline waits for transformers that run elsewhere.
    private var offloadedRun: OffloadedRun?
    /// Ends that wait.
    private var overdue: EngineTimer?
    /// Nil where nothing is configured that it would do.
    private(set) var driver: AttemptDriver?
    /// Nil until it starts.
    var tracker: ProgressTracker?
    /// The service's definition when it started; see ``Service/Definition``.
    private var generation = 0
    /// When it started; of the call that it is part of, the deadline.
    private(set) var began = 0.0
    private(set) var deadline = Double.infinity
    private(set) var configurationAtStart: ResolvedConfiguration?
    /// The last that was found, and its version; a failure may be that of a block which is still running.
    private var known: (configuration: ResolvedConfiguration, version: Int)?
    /// Of the body's files, when they were sent first.
    private(set) var files: [FileStamp?]?
    /// Nil where nothing is traced.
    private(set) var trace: RequestTrace?
    /// Nil where nobody listens.
    private var underWay: MessageUnderWay?

    /// Builds the request now; it goes out when it is started.
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

    /// For ``finalMethod``.
    var finalConfiguration: ResolvedConfiguration {
        let version = resource.core.configuration.version
        if let known, known.version == version { return known.configuration }
        let found = resource.resolvedConfiguration(for: finalMethod, own: plan.configuration)
        known = found.failure == nil ? (found, version) : nil
        return found
    }

    func start(_ request: Request) {
        if let failedDraft { request.complete(ResponseInfo(failedDraft)) }
        guard let step = firstStep else { return }
        firstStep = nil
        let resolved = finalConfiguration
        generation = resource.core.generation
        configurationAtStart = resolved
        // What the transformers are now: by the end they may have become others.
        if resource.engine.remembersPipelines { _ = resolved.pipelineFingerprint }
        if let failure = resolved.failure { return end(.failure(failure), request) }
        trace = makeTrace(isTold: resolved.configuration.isTraced, step.headers)
        if let rules = resolved.configuration.attemptRules?.rules, !rules.isIdle {
            driver = AttemptDriver(rules, resource.core) { [weak self] in self?.limitsNow }
        }
        began = resource.engine.scheduler.now
        deadline = request.deadline
        send(RequestLeg(step: step, resolved: resolved, began: began, number: request.attempt), request)
    }

    func send(_ leg: RequestLeg, _ request: Request) {
        let url = leg.step.url == resource.urlString ? resource.url : URLText(leg.step.url)
        guard let url, url.isHTTP else {
            return finish(.failure(failure(.invalidURL(source: leg.step.url), leg.step)), leg.step, request)
        }
        if let refusal = resource.core.refusal?(url) {
            let cause = leg.redirect.map { refusal.ofRedirect($0.status, from: $0.url) } ?? refusal
            return finish(.failure(failure(cause, leg.step)), leg.step, request)
        }
        if resource.engine.isOffline {
            return finish(.failure(failure(.transport(.offline), leg.step)), leg.step, request)
        }
        // Of the first message nothing is gone, unless it is part of a longer call.
        if leg.isOneOfMany || deadline < .infinity, timeLeft <= 0 {
            return fail(leg, .overdue(after: totalSeconds), request)
        }
        guard let driver else { return transmit(leg, request) }
        admit(leg, to: url, by: driver, request)
    }

    func transmit(_ leg: RequestLeg, _ request: Request) {
        let engine = resource.engine
        if leg.step.payload.isSpent { return failSpent(leg, request) }
        if files == nil { files = leg.step.payload.fileStamps }
        let authentication = MessageAuthentication(of: leg, in: self)
        measure(leg.step)
        account?.close()
        account = BodyAccount(engine.contentBudget)
        let tellsSpan = trace?.isTold ?? false
        let target = resource.core.cookies == nil && !tellsSpan ? nil : URLText(leg.step.url)
        let span = trace?.span()
        let message = message(of: leg, to: target, authentication?.proof, tellsSpan ? span : nil)
        // Of the first message the time is known, unless it had to wait for something.
        let isAtOnce = !leg.isOneOfMany && driver == nil && authentication == nil
        let sent = isAtOnce ? leg.began : engine.scheduler.now
        if engine.listeners != nil {
            underWay = MessageUnderWay(request, leg, message.headers, span, sent)
        }
        delivery?.file?.onFault = { [weak self, weak request] cause in
            if let request { self?.interrupt(leg, sent: sent, cause, request) }
        }
        transfer = resource.core.transport.send(message) { [self] result in
            transfer = nil
            guard !request.willIgnoreOutcome() else { return }
            let isStale = result.error?.isStaleConnection ?? false
            // It says nothing of the server, unless it is the end.
            if !isStale { driver?.ended(result) }
            underWay?.tell(result, delivery?.takeCopy())
            underWay = nil
            if let target, case .success(let response) = result {
                resource.core.cookies?.take(
                    response.headers, from: target, at: engine.scheduler.now, engine.log)
            }
            switch result {
            case .failure(let error):
                engine.note(error.code.rawValue, leg.step, since: sent)
                request.note(leg, sent: sent, error)
                if let next = resent(leg, error) ?? delivery?.rest(after: leg, error) {
                    return send(next, request)
                }
                if delivery?.canBeginAgain ?? true, let driver, tryAgain(leg, result, by: driver, request) {
                    return
                }
                if isStale { driver?.ended(result) }
                fail(leg, error, request)
            case .success(let response):
                engine.note("\(response.status)", leg.step, since: sent)
                take(response, of: leg, sent: sent, authentication, request)
            }
        }
    }

    /// The answer to a leg, which may call for another one.
    private func take(
        _ response: TransportResponse, of leg: RequestLeg, sent: Double,
        _ authentication: MessageAuthentication?, _ request: Request
    ) {
        let step = leg.step
        request.exchange = Exchange(
            url: step.url, status: response.status, httpVersion: response.httpVersion,
            headers: response.headers, timings: response.timings, redirects: leg.followed,
            body: plan.keepsBody ? response.body : nil, method: step.method, began: sent,
            remoteAddress: response.remoteAddress)
        if authentication?.isRenewed(by: response, after: leg) ?? false, obstacle(inBodyOf: step) == nil {
            request.note(leg, remembering: true)
            return send(leg.answeringChallenge, request)
        }
        if response.status < 300, let error = delivery?.file?.shortfall {
            request.note(leg, remembering: true)
            return complete(leg, after: error, request)
        }
        guard response.status >= 300 else {
            request.note(leg, remembering: leg.isOneOfMany || driver != nil)
            return receive(response, step, request)
        }
        let policy = leg.resolved.configuration.redirects
        let decision = Redirect.decide(
            step: step, status: response.status, location: response.headers["Location"], policy: policy,
            followed: leg.followed)
        if case .follow(let next) = decision {
            do {
                if let why = obstacle(inBodyOf: next) {
                    return failSpent(why, redirectedBy: response, leg, request)
                }
                if try policy.allows(next, after: step, status: response.status) {
                    request.note(leg, remembering: true)
                    return send(leg.following(next, response.status), request)
                }
            } catch {
                request.note(leg, remembering: leg.isOneOfMany)
                return finish(.failure(failure(thrown: error, step)), step, request)
            }
        }
        request.note(leg, remembering: leg.isOneOfMany || driver != nil)
        switch decision {
        case .tooMany:
            finish(.failure(failure(.tooManyRedirects(limit: policy.max), step)), step, request)
        case .refuse(let why):
            let error = TransportError(.tlsFailed, phase: .tls, message: why)
            finish(.failure(failure(.transport(error), step)), step, request)
        case .broken(let why):
            finish(.failure(misled(why, response, step)), step, request)
        case .follow, .none:
            if let whole = delivery?.whole(after: leg, .success(response)) { return send(whole, request) }
            if let driver, response.status >= 400, tryAgain(leg, .success(response), by: driver, request) {
                return
            }
            if let error = response.bodyError, response.status < 400 { return fail(leg, error, request) }
            receive(response, step, request)
        }
    }

    /// 304 confirms the data that is there when it arrives; without data it is a failure (19.9). Statuses
    /// from 400 are failures, everything else a success (5.18).
    func receive(_ response: TransportResponse, _ step: Redirect.RequestStep, _ request: Request) {
        let now = resource.engine.scheduler.now
        driver?.leave()
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

    func finish(
        _ response: Response, _ step: Redirect.RequestStep, _ request: Request, status: Int? = nil
    ) {
        driver?.leave()
        delivery?.file?.discard()
        guard plan.usesPipeline else { return end(response, request) }
        let engine = resource.engine
        let resolved = configurationAtEnd
        if let failure = resolved.failure { return end(.failure(failure), request) }
        let context = PipelineContext(
            url: step.url, method: step.method, now: engine.scheduler.now, status: status,
            maxBodyBytes: resolved.configuration.maxBodyBytes, log: engine.log)
        // Any GET may become a load (D17).
        let outputs =
            plan.method == "GET"
            ? StageOutputs(of: resource, mark: resource.mark(of: resolved, generation)) : nil
        var run = PipelineRun(
            response, resolved.configuration.pipeline, context, of: engine, keeping: outputs,
            publication: outputs == nil ? nil : resource.publication)
        guard let next = run.next() else { return end(run, request) }
        offloadedRun = OffloadedRun(run, next, engine) { [self] run in
            stopTransforming()
            end(run, request)
        }
        let left = timeLeft
        guard left < .infinity else { return }
        overdue = engine.scheduler.after(left) { [weak self, weak request] in
            guard let self, let request else { return }
            stopTransforming()
            guard case .success = response else { return end(response, request) }
            end(.failure(failure(.transport(.overdue(after: totalSeconds)), step)), request)
        }
    }

    /// Nobody waits for transformers that run elsewhere.
    private func stopTransforming() {
        offloadedRun?.cancel()
        offloadedRun = nil
        overdue?.cancel()
        overdue = nil
    }

    /// Without the pipeline.
    func end(_ response: Response, _ request: Request) {
        account?.close()
        request.complete(ResponseInfo(response))
    }

    private func end(_ run: PipelineRun, _ request: Request) {
        account?.close()
        request.complete(ResponseInfo(run.response, stageOutputs: run.outputs))
    }

    /// A script that was loaded again meanwhile has no part in what began before (ARCHITECTURE.md, Four
    /// walks).
    private var configurationAtEnd: ResolvedConfiguration {
        if let configurationAtStart, generation != resource.core.generation { return configurationAtStart }
        return finalConfiguration
    }

    /// Ends what is under way before its answer does.
    func endTransfer(_ result: TransportResult) {
        transfer?.cancel()
        transfer = nil
        underWay?.tell(result, delivery?.takeCopy())
        underWay = nil
    }

    func cancel(isRunning: Bool) {
        endTransfer(.failure(.cancelled))
        driver?.cancel()
        delivery?.file?.discard()
        stopTransforming()
        account?.close()
    }
}
