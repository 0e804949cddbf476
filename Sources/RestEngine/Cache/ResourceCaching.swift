/// The additional state of a resource with caches: its look-up, and the operations on its caches.
@EngineActor
final class ResourceCaching {
    private(set) var lookup: CacheLookup?
    /// The caches were searched once; a wipe allows another look-up.
    private(set) var hasLookedUp = false
    private var lines: [CacheLine] = []
    /// When the last look-up began, on the uptime, if it found nothing.
    private var missedAt: Double?

    /// No cache operation is pending, and no cache is in doubt.
    var isAtRest: Bool { lines.isEmpty }

    func startLookup(of resource: Resource) {
        hasLookedUp = true
        let new = CacheLookup(resource, self)
        lookup = new
        new.start()
    }

    /// - Parameter missedAt: When it began, if it found nothing.
    func lookupEnded(_ ended: CacheLookup, missedAt: Double?) {
        guard lookup === ended else { return }
        lookup = nil
        self.missedAt = missedAt
    }

    /// When the last look-up began, if it found nothing, and no load has asked for it.
    func takeMiss() -> Double? {
        defer { missedAt = nil }
        return missedAt
    }

    func allowLookup() {
        lookup?.abandon()
        lookup = nil
        hasLookedUp = false
    }

    /// False when the cache does not serve the resource, or must not get operations.
    @discardableResult
    func ask(_ operation: CacheOperation, _ stage: CachedStage, of resource: Resource) -> Bool {
        // It would show the data of one partition to others.
        guard resource.partition == nil || stage.cache.separatesPartitions else { return false }
        let key: CacheKey?
        do { key = try stage.cache.key(for: resource, stage: stage.name) } catch {
            resource.engine.report(error, of: stage.cache, "key", resource)
            return false
        }
        guard let key else { return false }
        if case .read = operation,
            lines.contains(where: { $0.isDoubtful(stage.cache) && $0.stage == stage.name })
        {
            return false
        }
        if case .read = operation, stage.cache.isShared,
            resource.engine.coordination?.awaitsChange(of: resource) ?? false
        {
            return false
        }
        line(for: stage, of: resource).ask(operation, stage.cache, key, of: resource)
        return true
    }

    private func line(for stage: CachedStage, of resource: Resource) -> CacheLine {
        if let known = lines.first(where: { $0.stage == stage.name && $0.accepts(stage.cache) }) {
            return known
        }
        resource.engine.note(stage.cache)
        let new = CacheLine(stage: stage.name) { [weak self] line in self?.lines.remove(identical: line) }
        lines.append(new)
        return new
    }
}

extension Resource {
    /// The stages of the GET pipeline that have caches. A configuration that failed has none.
    var cachedStages: [CachedStage] { resolvedConfiguration(for: "GET").cachedStages }

    /// Starts a cache look-up, once in the life of the resource and again after a wipe (rule 22.8). Call it
    /// where code reads the data or begins to observe. It has no effect if there are no caches, or if there
    /// is data.
    func startCacheLookup() {
        // A block may read the resource that it configures; the next read starts the look-up.
        guard state.data == nil, caching?.hasLookedUp != true, !isResolving, !cachedStages.isEmpty else {
            return
        }
        cachingForWork().startLookup(of: self)
    }

    /// A load that waits for the look-up; nil when no look-up is in progress.
    ///
    /// - Parameter load: Starts the load that may be needed after it.
    func loadAfterLookup(joins: Bool, loading load: @escaping () -> Request) -> Request? {
        guard state.data == nil, let lookup = caching?.lookup else { return nil }
        let request = Request(
            engine: engine, work: CacheLookupWork(self, lookup, joins: joins, loading: load))
        loadRequests.append(request)
        request.onCompletion { [unowned request] _ in
            // If the request is still in the list, it was cancelled while it waited.
            guard self.loadRequests.contains(identical: request) else { return }
            self.loadRequests.remove(identical: request)
            self.notify(.requestCancelled)
        }
        return request.start()
    }

    /// Updates the caches after a load that counted. Writes go out in the order of the stages. If the request
    /// had ended before it became a load, the caches are made consistent with it: stages without an output
    /// are removed (D17).
    func updateCaches(after event: ResourceEvent, _ info: ResponseInfo, hadEnded: Bool) {
        switch event {
        case .newData(.network), .error:
            guard let outputs = info.stageOutputs, outputs.resource === self else { return }
            write(outputs, removingOthers: hadEnded && event != .error)
        case .notModified:
            guard let time = state.data?.timestamp else { return }
            for stage in cachedStages { cachingForWork().ask(.updateTimestamp(time), stage, of: self) }
        default: break
        }
    }

    func write(_ outputs: StageOutputs, timestamp: Double? = nil, removingOthers: Bool = false) {
        for stage in cachedStages {
            if var entity = outputs.entity(at: stage.name) {
                entity.timestamp = timestamp ?? entity.timestamp
                guard outputs.right != .none || !stage.cache.isShared else { continue }
                cachingForWork().ask(.write(entity, outputs.right.grant), stage, of: self)
            } else if removingOthers {
                cachingForWork().ask(.remove, stage, of: self)
            }
        }
    }

    /// After a local override and a wipe (22.13, D15).
    ///
    /// - Parameter includingShared: False for a change of another host, which has removed the entries that
    ///   hosts share. A later removal could meet a newer entry.
    func removeFromCaches(includingShared: Bool = true) {
        for stage in cachedStages where includingShared || !stage.cache.isShared {
            cachingForWork().ask(.remove, stage, of: self)
        }
    }

    /// See ``ResourceCaching/ask(_:_:of:)``.
    @discardableResult
    func askCaches(_ operation: CacheOperation, _ stage: CachedStage) -> Bool {
        cachingForWork().ask(operation, stage, of: self)
    }

    private func cachingForWork() -> ResourceCaching {
        if let caching { return caching }
        let new = ResourceCaching()
        caching = new
        return new
    }
}

/// Marks a response as that of a GET of a resource, with the outputs of the stages that have caches. It
/// travels with the response to the load that uses it, because the load writes it to the caches (rules 22.6,
/// D17).
@EngineActor
final class StageOutputs {
    let resource: Resource
    /// The version of the pipeline with these stages.
    let pipelineVersion: PipelineVersion
    private var values: [(stage: String, entity: Entity)] = []
    /// The published form of the outcome, if it was made together with it.
    var form: PublishedForm?
    /// Its load, if hosts share it.
    var sharedLoad: SharedLoad?
    /// The right to write to caches that hosts share.
    var right: SharedWriteRight {
        if let sharedLoad { return sharedLoad.grant.map { .granted($0) } ?? .none }
        return isHit && resource.engine.coordination != nil ? .none : .own
    }
    /// Whether they were made from an entry of a cache.
    var isHit = false

    init(of resource: Resource, pipelineVersion: PipelineVersion = PipelineVersion()) {
        self.resource = resource
        self.pipelineVersion = pipelineVersion
    }

    var entities: [Entity] { values.map(\.entity) }

    func add(_ entity: Entity, at stage: String) { values.append((stage, entity)) }

    /// A copy that also contains the hit that these outputs were made from, at its stage. All entities get
    /// the timestamp of the hit (D16, D36).
    func with(_ hit: Entity, at stage: String) -> StageOutputs {
        let all = StageOutputs(of: resource, pipelineVersion: pipelineVersion)
        all.values = [(stage, hit)] + values
        all.isHit = true
        for index in all.values.indices { all.values[index].entity.timestamp = hit.timestamp }
        return all
    }

    func entity(at stage: String) -> Entity? { values.first { $0.stage == stage }?.entity }
}

/// A stage with a cache, in a pipeline in use.
struct CachedStage: Sendable {
    let name: String
    let cache: any EntityCache
}

extension Pipeline {
    /// The stages that run and have a cache, in order. A stage that is not in the order does not take part in
    /// caching either (16.5).
    var cachedStages: [CachedStage] {
        order.compactMap { name in self[name].cache.map { CachedStage(name: name.rawValue, cache: $0) } }
    }
}
