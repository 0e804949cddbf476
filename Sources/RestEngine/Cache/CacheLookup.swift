/// One look-up in the caches of a resource, from the last stage to the first. The first hit that the later
/// stages accept becomes the data (rules 22.8–22.11).
@EngineActor
final class CacheLookup {
    private let resource: Resource
    private let caching: ResourceCaching
    private var stages: ArraySlice<CachedStage> = []
    private var waiting: [CacheLookupWork] = []
    private var timer: EngineTimer?
    /// Set while transformers of a hit run on another thread.
    private var offloadedRun: OffloadedRun?
    private var isOver = false
    private var began = 0.0

    init(_ resource: Resource, _ caching: ResourceCaching) {
        self.resource = resource
        self.caching = caching
    }

    /// Starts in the next tick: the caller sees the resource empty first, and no function of a script runs
    /// inside a read of a property.
    func start() {
        resource.engine.scheduler.nextTick { [self] in
            guard !isOver else { return }
            began = resource.engine.scheduler.uptime
            stages = resource.cachedStages[...]
            tryNext()
            guard !isOver else { return }
            timer = resource.engine.scheduler.after(CacheLimits.answerSeconds) { [self] in
                log("no answer in time")
                end()
            }
        }
    }

    /// Ends the look-up without notifying anyone.
    func abandon() {
        stop()
        waiting = []
    }

    // MARK: Loads that wait for the look-up

    func add(_ work: CacheLookupWork) { waiting.append(work) }

    func remove(_ work: CacheLookupWork) { waiting.remove(identical: work) }

    // MARK: Steps through the stages

    private func tryNext() {
        while let stage = stages.popLast() {
            let wasAsked = caching.ask(.read { [self] in receive($0, from: stage) }, stage, of: resource)
            if wasAsked { return }
        }
        end()
    }

    private func receive(_ entity: Entity?, from stage: CachedStage) {
        // A look-up that timed out, or that a wipe ended, ignores hits.
        guard !isOver else { return }
        guard let entity else { return tryNext() }
        guard isInTime(stage) else { return }
        finish(stage.cache.isShared ? entity.dated(by: resource.engine.scheduler) : entity, from: stage)
    }

    /// Returns whether the resource still has no data. If data has arrived meanwhile, ends the look-up.
    private func isInTime(_ stage: CachedStage) -> Bool {
        guard resource.state.data != nil else { return true }
        log("hit at \(stage.name) came too late")
        end()
        return false
    }

    /// Runs the stages after the cached one on the entity.
    private func finish(_ entity: Entity, from stage: CachedStage) {
        guard var run = resource.run(on: entity, after: stage) else { return tryNext() }
        guard let next = run.next() else { return take(run, entity, from: stage) }
        offloadedRun = OffloadedRun(run, next, resource.engine) { [self] run in
            offloadedRun = nil
            if isInTime(stage) { take(run, entity, from: stage) }
        }
    }

    /// An entity that the later stages reject is no hit (22.10); an accepted one keeps its own timestamp
    /// (D16).
    private func take(_ run: PipelineRun, _ entity: Entity, from stage: CachedStage) {
        switch run.response {
        case .failure(let error):
            log("hit at \(stage.name) was rejected: \(error)")
            tryNext()
        case .success(var hit):
            log("hit at \(stage.name)")
            hit.timestamp = entity.timestamp
            if !stage.cache.isShared, hit.timestamp < resource.core.trustedSince {
                resource.state.invalidate()
            }
            end(hit, run.outputs, run.outputs?.with(entity, at: stage.name))
        }
    }

    /// - Parameter whole: `outputs` plus the hit itself.
    private func end(_ hit: Entity? = nil, _ outputs: StageOutputs? = nil, _ whole: StageOutputs? = nil) {
        guard !isOver else { return }
        stop()
        caching.lookupEnded(self, missedAt: hit == nil ? began : nil)
        if let hit, let event = resource.state.adopt(hit, at: resource.engine.scheduler.time) {
            resource.pipelineVersion = outputs?.pipelineVersion ?? PipelineVersion()
            // Its sources are unknown, so their changes would be missed.
            if resource.configuration(for: "GET").computation?.follows ?? false { resource.state.expire() }
            if let outputs {
                outputs.isHit = true
                resource.write(outputs, timestamp: hit.timestamp)
            }
            resource.notify(event)
        }
        // An observer may have cancelled some of them.
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

extension Resource {
    /// The stages behind a cached one, for its entity; nil if the stage is gone with another configuration.
    func run(on entity: Entity, after stage: CachedStage) -> PipelineRun? {
        let resolved = resolvedConfiguration(for: "GET")
        let pipeline = resolved.configuration.pipeline
        guard pipeline.order.contains(StageName(stage.name)) else { return nil }
        let context = PipelineContext(
            url: urlString, method: "GET", now: engine.scheduler.now,
            maxBodyBytes: resolved.configuration.maxBodyBytes)
        return PipelineRun(
            .success(entity), pipeline, context, of: engine, after: stage.name,
            keeping: StageOutputs(of: self, pipelineVersion: pipelineVersion(of: resolved)))
    }
}
