/// The work of a request of a computed resource: it calls the function, and runs its content through the
/// pipeline.
@EngineActor
final class ComputedWork: RequestWork {
    private let resource: Resource
    let plan: RequestPlan
    private let declaration: ComputedDeclaration
    private var limit: Double
    /// The function's work; nil before it begins.
    private var call: Request?
    private var computation: Computation?
    private var trace: ComputationTrace?
    private var pipeline: (run: OffloadedRun, timer: EngineTimer?)?

    init(_ plan: RequestPlan, of resource: Resource, by declaration: ComputedDeclaration) {
        self.resource = resource
        self.plan = plan
        self.declaration = declaration
        limit = plan.timeout ?? resource.configuration(for: plan.method).timeouts.totalSeconds
    }

    func start(_ request: Request) {
        let resolved = resource.resolvedConfiguration(for: plan.method, own: plan.configuration)
        if let failure = resolved.failure { return end(.failure(failure), request) }
        if let refusal = refusal { return end(.failure(refusal), request) }
        guard let names = resource.valuesOfPath(in: declaration.path) else {
            return end(
                .failure(error(404, "\(declaration.path) does not match this path")), request)
        }
        let computation = Computation(of: resource, by: declaration)
        self.computation = computation
        let state = resource.computed ?? ComputedState(resource, declaration)
        resource.computed = state
        state.began(computation, by: declaration)
        let custom = declaration.work(names, resource)
        let call = Request(engine: resource.engine, custom: custom)
        call.deadline = request.deadline
        call.work.limitTime(to: totalSeconds)
        self.call = call
        call.onCompletion { [weak self] info in self?.computed(info.response, resolved, request) }
        let client = resource.clientForRequest
        let trace = ComputationTrace(request, of: resource, plan.method)
        self.trace = trace
        WorkScope(
            refreshes: request.neededBy, computation: computation, origin: trace.origin.with(client)
        ).run { _ = call.start() }
        if client != nil { resource.needsClient() }
    }

    /// The reason why it is not computed for this request.
    private var refusal: RequestError? {
        guard ["GET", "HEAD"].contains(plan.method) else {
            return error(405, "A computed resource can only be read", ["Allow": "GET, HEAD"])
        }
        guard plan.destination == nil else {
            return error(
                nil, "A computed resource has no body that could be streamed or saved: read its content")
        }
        return nil
    }

    private func error(_ status: Int?, _ message: String, _ headers: Headers = Headers()) -> RequestError {
        let now = resource.engine.scheduler.now
        return RequestError(
            userMessage: message, httpStatusCode: status,
            entity: Entity(
                content: .text(message), contentType: "text/plain", headers: headers, timestamp: now),
            timestamp: now, url: resource.urlString, method: plan.method)
    }

    private func computed(_ outcome: Response, _ resolved: ResolvedConfiguration, _ request: Request) {
        guard let computation, request.state != .completed else { return }
        let outcome = computation.failure.map(Response.failure) ?? outcome
        resource.computed?.ended(computation, isKept: !outcome.isCancellation)
        switch outcome {
        case .failure(let error):
            end(.failure(error.of(url: resource.urlString, method: plan.method)), request)
        case .success(var entity):
            entity.timestamp = computation.oldestTimestamp ?? entity.timestamp
            guard plan.usesPipeline else { return end(.success(entity), request) }
            run(resolved, on: entity, request)
        }
    }

    private func run(_ resolved: ResolvedConfiguration, on entity: Entity, _ request: Request) {
        let engine = resource.engine
        let context = PipelineContext(
            url: resource.urlString, method: plan.method, now: engine.scheduler.now, status: entity.status,
            maxBodyBytes: resolved.configuration.maxBodyBytes, log: engine.log)
        let outputs =
            plan.method == "GET"
            ? StageOutputs(of: resource, pipelineVersion: resource.pipelineVersion(of: resolved)) : nil
        var run = PipelineRun(
            .success(entity), resolved.configuration.pipeline, context, of: engine, keeping: outputs,
            answerSnapshot: outputs == nil ? nil : resource.answerSnapshot)
        guard let next = run.next() else { return end(run, request) }
        let offloaded = OffloadedRun(run, next, engine) { [self] run in end(run, request) }
        let left = request.timeLeft(of: totalSeconds)
        let timer =
            left < .infinity
            ? engine.scheduler.after(left) { [weak self, weak request] in
                guard let self, let request else { return }
                let error = RequestError(
                    cause: .transport(.overdue(after: totalSeconds)), timestamp: engine.scheduler.now,
                    url: resource.urlString, method: plan.method)
                stopPipeline()
                end(.failure(error), request)
            } : nil
        pipeline = (offloaded, timer)
    }

    private func end(_ run: PipelineRun, _ request: Request) {
        pipeline?.timer?.cancel()
        pipeline = nil
        end(run.response, request, outputs: run.outputs)
    }

    private func end(_ response: Response, _ request: Request, outputs: StageOutputs? = nil) {
        var response = response
        if plan.method == "HEAD", case .success(var entity) = response {
            entity.content = .bytes([])
            response = .success(entity)
        }
        trace?.end(response.error, resource.engine)
        request.complete(ResponseInfo(response, stageOutputs: outputs))
    }

    private func stopPipeline() {
        pipeline?.run.cancel()
        pipeline?.timer?.cancel()
        pipeline = nil
    }

    func cancel(isRunning: Bool) {
        stopPipeline()
        if let computation { resource.computed?.ended(computation, isKept: false) }
        call?.cancel()
        trace?.end(
            RequestError(cause: .requestCancelled, timestamp: resource.engine.scheduler.now), resource.engine)
    }

    func repeated() -> any RequestWork { ComputedWork(plan, of: resource, by: declaration) }

    func limitTime(to seconds: Double) { limit = plan.timeout ?? seconds }

    var totalSeconds: Double { limit }

    func need(by pass: RefreshPass) { call?.need(by: pass) }

    var lister: Resource? { resource }

    var target: (url: String, method: String)? { (resource.urlString, plan.method) }

    var fraction: Double { call?.progress ?? 0 }

    func heldBytes(beside known: Entity?) -> Int {
        256 + (call?.heldBytes(beside: known) ?? 0) + 128 * (computation?.sources.count ?? 0)
    }

    var description: String { "\(plan.method) \(resource.urlString), computed" }
}

extension Resource {
    /// The values of a path's names in this URL; nil if the path doesn't match.
    fileprivate func valuesOfPath(in path: PathPattern) -> [String: String]? {
        guard let url, let base = service.baseURL?.url, url.path.hasPrefix(base.path) else { return nil }
        return path.values(in: String(url.path.dropFirst(base.path.count)))
    }
}
