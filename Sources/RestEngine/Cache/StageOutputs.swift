/// Says that a response is that of a GET of a resource, and what the stages with caches made of it. It goes with the
/// response to whatever makes it a load, for a load writes it (rules 22.6, D17).
@EngineActor
final class StageOutputs {
    let resource: Resource
    /// Of the pipeline whose stages they are.
    let mark: PipelineMark
    private var values: [(stage: String, entity: Entity)] = []

    init(of resource: Resource, mark: PipelineMark = PipelineMark()) {
        self.resource = resource
        self.mark = mark
    }

    func add(_ entity: Entity, at stage: String) { values.append((stage, entity)) }

    /// With what a cache had, which these were made of, at its own stage; all of it has the hit's time (D16, D36).
    func with(_ hit: Entity, at stage: String) -> StageOutputs {
        let all = StageOutputs(of: resource, mark: mark)
        all.values = [(stage, hit)] + values
        for index in all.values.indices { all.values[index].entity.timestamp = hit.timestamp }
        return all
    }

    func entity(at stage: String) -> Entity? { values.first { $0.stage == stage }?.entity }
}

/// A stage with a cache, of a pipeline in use.
struct CachedStage: Sendable {
    let name: String
    let cache: any EntityCache
}

extension Pipeline {
    /// The stages that run and have a cache, in order. A stage that is left out of the order has no part in caching
    /// either (16.5).
    var cachedStages: [CachedStage] {
        order.compactMap { name in self[name].cache.map { CachedStage(name: name, cache: $0) } }
    }
}
