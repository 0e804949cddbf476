package import Coordination

/// One load that other hosts may make in place of this one: the engine's side of a lease.
@EngineActor
package final class SharedLoad {
    package enum End {
        /// The load has brought data, and the caches that hosts share have it. The entity is nil if there is
        /// such a cache: it hands the data over.
        case loaded(Entity?)
        /// There is nothing to hand over.
        case failed
    }

    package let resource: Resource
    /// Whether a stage has a cache that hosts share, so that ``look(_:)`` finds what another host has loaded.
    package let hasCache: Bool
    /// When a look into these caches began that found nothing, on the uptime; nil if there was none since the
    /// last load.
    package let lookedAt: Double?
    /// Called once: when the load has ended after ``load(under:)``, or before that when nobody needs it any
    /// more.
    package var onEnd: (@EngineActor (End) -> Void)?
    /// Called when data that is on its way may be older than a change.
    package var onOutdated: (@EngineActor () -> Void)?
    /// Nil once it is decided.
    private var decided: (@EngineActor (Entity?) -> Void)?
    private(set) var grant: LeaseGrant?
    private var lookup: SharedLookup?
    private var isEnding = false
    private var isEnded = false

    init(
        _ resource: Resource, hasCache: Bool, lookedAt: Double?,
        decided: @escaping @EngineActor (Entity?) -> Void
    ) {
        (self.resource, self.hasCache) = (resource, hasCache)
        (self.lookedAt, self.decided) = (lookedAt, decided)
    }

    // MARK: For implementations

    /// Whether data of that time needs no load, as far as the time says.
    package func isFresh(_ entity: Entity) -> Bool {
        let scheduler = resource.engine.scheduler
        let age = scheduler.now - entity.dated(by: scheduler).timestamp
        guard age >= 0, age <= expirationSeconds else { return false }
        // Data that was invalidated here isn't fresh elsewhere either, unless it is newer.
        return entity.timestamp > resource.state.data?.timestamp ?? -.infinity
    }

    package var expirationSeconds: Double { resource.configuration(for: "GET").expirationSeconds }

    /// Reads the shared caches, from the last stage to the first. Gives nil without a hit that the later
    /// stages accept.
    package func look(_ completion: @escaping @EngineActor (Entity?) -> Void) {
        let lookup = SharedLookup(resource) { [weak self] entity in
            self?.lookup = nil
            completion(entity)
        }
        self.lookup = lookup
        lookup.start()
    }

    /// The engine sends the request. Without a grant the shared memory gets nothing of it.
    package func load(under grant: LeaseGrant?) {
        guard decided != nil else { return }
        self.grant = grant
        decide(nil)
    }

    /// Another host has loaded it.
    package func use(_ entity: Entity) {
        isEnded = true
        onEnd = nil
        onOutdated = nil
        decide(entity.dated(by: resource.engine.scheduler))
    }

    /// The request was cancelled, the time for the decision is over, or there is nothing to use.
    package func abandon() {
        decided = nil
        lookup?.cancel()
        lookup = nil
        end(.failed)
    }

    private func decide(_ entity: Entity?) {
        lookup?.cancel()
        lookup = nil
        let decided = decided
        self.decided = nil
        decided?(entity)
    }

    // MARK: For the engine

    /// Its data is not handed over.
    func release() {
        if !isEnding { end(.failed) }
    }

    /// The load has ended, and its writes to caches are on their way.
    func ended(_ info: ResponseInfo, isOutdated: Bool) {
        guard !isEnded, !isEnding else { return }
        isEnding = true
        guard case .success = info.response, !isOutdated, let data = resource.state.data else {
            return end(.failed)
        }
        guard hasCache else { return end(.loaded(data)) }
        resource.afterSharedWrites { [self] in end(.loaded(nil)) }
    }

    private func end(_ outcome: End) {
        guard !isEnded else { return }
        isEnded = true
        let onEnd = onEnd
        self.onEnd = nil
        onOutdated = nil
        onEnd?(outcome)
    }
}

extension Resource {
    /// The stages whose caches other hosts use too.
    var sharedStages: [CachedStage] { cachedStages.filter { $0.cache.isShared } }

    /// Calls back when the operations on shared caches that were asked for have ended.
    func afterSharedWrites(_ completion: @escaping @EngineActor () -> Void) {
        var left = 1
        let done: @EngineActor () -> Void = {
            left -= 1
            if left == 0 { completion() }
        }
        for stage in sharedStages {
            left += 1
            if !askCaches(.pass(done), stage) { done() }
        }
        done()
    }

    /// Other hosts would take entries of before a local change for fresh.
    func removeFromSharedCaches() {
        for stage in sharedStages { askCaches(.remove, stage) }
    }

    /// Nil if hosts don't share this resource.
    func sharedLoad(
        by resolved: ResolvedConfiguration, decided: @escaping @EngineActor (Entity?) -> Void
    ) -> SharedLoad? {
        guard let hasCache = sharing(by: resolved) else { return nil }
        return SharedLoad(
            self, hasCache: hasCache, lookedAt: hasCache ? caching?.takeMiss() : nil, decided: decided)
    }

    /// Whether a stage has a cache that hosts share; nil if hosts don't share loads of this resource.
    func sharing(by resolved: ResolvedConfiguration) -> Bool? {
        let configuration = resolved.configuration
        guard configuration.isCollapsing, configuration.stream == nil, !isOfProcess, !engine.isOffline,
            resolved.failure == nil
        else { return nil }
        let hasCache = !sharedStages.isEmpty
        return hasCache || configuration.sharesLoads ? hasCache : nil
    }
}
