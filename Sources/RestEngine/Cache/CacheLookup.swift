/// One look into the caches of a resource: from the last stage back, and the first hit that the later stages
/// accept becomes the data (rules 22.8–22.11).
@EngineActor
final class CacheLookup {
    private let resource: Resource
    private let caching: ResourceCaching
    private var stages: ArraySlice<CachedStage> = []
    private var waiting: [CacheLookupWork] = []
    private var timer: EngineTimer?
    /// A hit is with transformers that run elsewhere.
    private var offloadedRun: OffloadedRun?
    private var isOver = false

    init(_ resource: Resource, _ caching: ResourceCaching) {
        self.resource = resource
        self.caching = caching
    }

    /// Looks in the next turn: whoever asks sees the resource empty first, and no function of a script runs
    /// inside of a look at a field.
    func start() {
        resource.engine.scheduler.nextTick { [self] in
            guard !isOver else { return }
            stages = resource.cachedStages[...]
            tryNext()
            guard !isOver else { return }
            timer = resource.engine.scheduler.after(CacheLimits.answerSeconds) { [self] in
                log("no answer in time")
                end()
            }
        }
    }

    /// Forgets what it was looking for; nobody is told.
    func abandon() {
        stop()
        waiting = []
    }

    // MARK: Loads that wait for it

    func add(_ work: CacheLookupWork) { waiting.append(work) }

    func remove(_ work: CacheLookupWork) { waiting.remove(identical: work) }

    // MARK: The walk

    private func tryNext() {
        while let stage = stages.popLast() {
            let wasAsked = caching.ask(.read { [self] in receive($0, from: stage) }, stage, of: resource)
            if wasAsked { return }
        }
        end()
    }

    private func receive(_ entity: Entity?, from stage: CachedStage) {
        // A look-up that gave up, or that a wipe ended, takes no hit any more.
        guard !isOver else { return }
        guard let entity else { return tryNext() }
        guard isInTime(stage) else { return }
        finish(entity, from: stage)
    }

    /// Ends the look-up, for data has come meanwhile, if it is not.
    private func isInTime(_ stage: CachedStage) -> Bool {
        guard resource.state.data != nil else { return true }
        log("hit at \(stage.name) came too late")
        end()
        return false
    }

    /// Has the stages after its own make their part of the entity.
    private func finish(_ entity: Entity, from stage: CachedStage) {
        let engine = resource.engine
        let resolved = resource.resolvedConfiguration(for: "GET")
        let pipeline = resolved.configuration.pipeline
        // The blocks may have run again since.
        guard pipeline.order.contains(StageName(stage.name)) else { return tryNext() }
        let context = PipelineContext(
            url: resource.urlString, method: "GET", now: engine.scheduler.now,
            maxBodyBytes: resolved.configuration.maxBodyBytes)
        var run = PipelineRun(
            .success(entity), pipeline, context, of: engine, after: stage.name,
            keeping: StageOutputs(of: resource, pipelineVersion: resource.pipelineVersion(of: resolved)))
        guard let next = run.next() else { return take(run, entity, from: stage) }
        offloadedRun = OffloadedRun(run, next, engine) { [self] run in
            offloadedRun = nil
            if isInTime(stage) { take(run, entity, from: stage) }
        }
    }

    /// An entity that the later stages don't accept is no hit (22.10); one that they do keeps its own time
    /// (D16).
    private func take(_ run: PipelineRun, _ entity: Entity, from stage: CachedStage) {
        switch run.response {
        case .failure(let error):
            log("hit at \(stage.name) is no use: \(error)")
            tryNext()
        case .success(var hit):
            log("hit at \(stage.name)")
            hit.timestamp = entity.timestamp
            end(hit, run.outputs, run.outputs?.with(entity, at: stage.name))
        }
    }

    /// - Parameter whole: `outputs`, and the hit itself.
    private func end(_ hit: Entity? = nil, _ outputs: StageOutputs? = nil, _ whole: StageOutputs? = nil) {
        guard !isOver else { return }
        stop()
        caching.lookupEnded(self)
        if let hit, let event = resource.state.adopt(hit, at: resource.engine.scheduler.time) {
            resource.pipelineVersion = outputs?.pipelineVersion ?? PipelineVersion()
            if let outputs { resource.write(outputs, timestamp: hit.timestamp) }
            resource.notify(event)
        }
        // An observer may have cancelled some.
        let waiting = waiting
        self.waiting = []
        for work in waiting { work.leaveLoads() }
        for work in waiting { work.lookupEnded(whole) }
    }

    private func stop() {
        isOver = true
        timer?.cancel()
        timer = nil
        offloadedRun?.cancel()
        offloadedRun = nil
    }

    private func log(_ text: String) { resource.engine.log.write(.cache, "\(resource.urlString): \(text)") }
}
