/// One look into the caches of a resource: from the last stage back, and the first hit that the later stages accept
/// becomes the data (siesta-semantics 22.8–22.11).
@EngineActor
final class CacheLookup {
    private let resource: Resource
    private let caching: ResourceCaching
    private var stages: ArraySlice<CachedStage> = []
    private var waiting: [CacheLookupWork] = []
    private var timer: Timer?
    private var isOver = false

    init(_ resource: Resource, _ caching: ResourceCaching) {
        self.resource = resource
        self.caching = caching
    }

    /// Looks in the next turn: whoever asks sees the resource empty first, and no function of a script runs inside of
    /// a look at a field.
    func start() {
        resource.engine.scheduler.nextTurn { [self] in
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
        isOver = true
        timer?.cancel()
        timer = nil
        waiting = []
    }

    // MARK: Loads that wait for it

    func add(_ work: CacheLookupWork) { waiting.append(work) }

    func remove(_ work: CacheLookupWork) { waiting.removeFirst { $0 === work } }

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
        guard resource.state.data == nil else {
            log("hit at \(stage.name) came too late")
            return end()
        }
        guard let (hit, outputs) = finish(entity, from: stage) else { return tryNext() }
        end(hit, outputs)
    }

    /// The entity as the stages after its own make it; nil when they don't accept it (22.10). It keeps its own
    /// time (D16).
    private func finish(_ entity: Entity, from stage: CachedStage) -> (Entity, StageOutputs)? {
        let engine = resource.engine
        let resolved = resource.resolvedConfiguration(for: "GET")
        let pipeline = resolved.configuration.pipeline
        // The blocks may have run again since.
        guard pipeline.order.contains(stage.name) else { return nil }
        let context = PipelineContext(url: resource.urlString, method: "GET", now: engine.scheduler.now)
        let outputs = StageOutputs(of: resource, mark: resource.mark(of: resolved))
        let response = pipeline.process(
            .success(entity), context, log: engine.log, after: stage.name, keeping: outputs)
        switch response {
        case .failure(let error):
            log("hit at \(stage.name) is no use: \(error)")
            return nil
        case .success(var hit):
            log("hit at \(stage.name)")
            hit.timestamp = entity.timestamp
            return (hit, outputs)
        }
    }

    private func end(_ hit: Entity? = nil, _ outputs: StageOutputs? = nil) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        timer = nil
        caching.lookupEnded(self)
        if let hit, let event = resource.state.adopt(hit) {
            resource.mark = outputs?.mark ?? PipelineMark()
            if let outputs { resource.write(outputs, timestamp: hit.timestamp) }
            resource.notify(event)
        }
        // An observer may have cancelled some.
        let waiting = waiting
        self.waiting = []
        for work in waiting { work.leaveLoads() }
        for work in waiting { work.lookupEnded() }
    }

    private func log(_ text: String) { resource.engine.log.write(.cache, "\(resource.urlString): \(text)") }
}
