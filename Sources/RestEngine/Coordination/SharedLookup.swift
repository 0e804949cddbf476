/// One look into the caches that hosts share, from the last stage to the first, for a load that other hosts
/// may have made. Unlike a ``CacheLookup`` it changes nothing: the load takes the hit as its outcome.
@EngineActor
final class SharedLookup {
    private let resource: Resource
    private var stages: ArraySlice<CachedStage>
    private var completion: (@EngineActor (Entity?) -> Void)?
    private var offloadedRun: OffloadedRun?

    init(_ resource: Resource, _ completion: @escaping @EngineActor (Entity?) -> Void) {
        self.resource = resource
        self.completion = completion
        stages = resource.sharedStages[...]
    }

    func start() {
        while let stage = stages.popLast() {
            let wasAsked = resource.askCaches(.read { [self] in receive($0, from: stage) }, stage)
            if wasAsked { return }
        }
        end(nil)
    }

    func cancel() {
        completion = nil
        offloadedRun?.cancel()
        offloadedRun = nil
    }

    private func receive(_ entity: Entity?, from stage: CachedStage) {
        guard completion != nil else { return }
        guard let entity else { return start() }
        guard var run = resource.run(on: entity, after: stage) else { return start() }
        guard let next = run.next() else { return take(run, entity.timestamp) }
        offloadedRun = OffloadedRun(run, next, resource.engine) { [self] run in
            offloadedRun = nil
            take(run, entity.timestamp)
        }
    }

    private func take(_ run: PipelineRun, _ timestamp: Double) {
        guard completion != nil else { return }
        guard case .success(var hit) = run.response else { return start() }
        hit.timestamp = timestamp
        end(hit)
    }

    private func end(_ entity: Entity?) {
        let completion = completion
        self.completion = nil
        completion?(entity)
    }
}
