internal import Synchronization

/// The part of a service that its resources need: it lives as long as the service, or any of them.
///
/// A service keeps its resources until a flush (rule 2.7), and they keep the core, not the service. So the
/// service can be released by its owner, and then its resources are kept only by their users.
@EngineActor
final class ServiceCore {
    nonisolated let engine: Engine
    nonisolated let name: String
    /// As given.
    nonisolated let givenBaseURL: BaseURL?
    /// For paths of a service without a base URL; nil for one with it.
    private nonisolated let ownBaseURL: BaseURL?
    private nonisolated let hasOwnPaths = Atomic(false)
    /// The engine's transport, unless the service has one of its own (1.6).
    private(set) var transport: any Transport
    var refusal: (@EngineActor (URLText) -> RequestError.Cause?)?
    /// Nil: cookies are neither stored nor sent.
    var cookies: CookieJar?
    var partitionCookies = PartitionCookies()
    nonisolated let table: ResourceTable
    nonisolated let accounting: ContentAccounting
    /// The resources that computed resources were made of.
    private(set) lazy var sources = SourceTable(self)
    private(set) var configuration = ConfigurationTable()
    /// Increases with each new definition; see ``Service/Definition``.
    private(set) var generation = 0
    var lastGeneration = 0
    /// Entries of before this time, in caches of this host alone, are stale: changes of other hosts may have
    /// been missed.
    var trustedSince = -Double.infinity
    /// True while blocks are added one after the other, before any is used.
    var isBeingRedefined = false
    /// The limit for live resources; beyond it unused ones are evicted.
    var countLimit = Service.standardResourceCountLimit {
        didSet {
            nextCollection = 0
            if table.count > countLimit { makeRoom(for: 0) }
        }
    }
    /// Called before resources are evicted because there are too many: owners that wait for a garbage
    /// collection should collect.
    var onResourceLimit: (@EngineActor () -> Void)?
    /// The number of live resources for the next such call: resources that were in use at the last one still
    /// would be.
    var nextCollection = 0
    var cachedResourceBytesLimit: Int? {
        didSet { _ = engine.contentBudget.makeRoom(for: 0, in: self, sparing: nil) }
    }

    private struct Face: Sendable {
        weak var service: Service?
    }
    private nonisolated let face = Mutex(Face())

    init(engine: Engine, name: String, baseURL: BaseURL?, transport: (any Transport)?) {
        self.engine = engine
        self.name = name
        givenBaseURL = baseURL
        ownBaseURL = baseURL == nil ? BaseURL(ofServiceNamed: name) : nil
        self.transport = transport ?? engine.transport
        accounting = ContentAccounting(parent: engine.contentBudget.accounting)
        table = ResourceTable(engine.scheduler)
        engine.contentBudget.add(self)
    }

    /// The existing service; a new one if it is gone and one of its resources is asked for it.
    nonisolated var service: Service {
        face.withLock { face in
            if let service = face.service { return service }
            let made = Service(self)
            face.service = made
            return made
        }
    }

    nonisolated func adopt(_ service: Service) {
        face.withLock { $0.service = service }
    }

    /// Whether there is a service that keeps the resources.
    private var isOwned: Bool { face.withLock { $0.service != nil } }

    /// The base of its paths.
    nonisolated var baseURL: BaseURL? {
        givenBaseURL ?? (hasOwnPaths.load(ordering: .acquiring) ? ownBaseURL : nil)
    }

    /// Resources without an API have paths even if the service has no base URL.
    func usesOwnPaths() {
        if givenBaseURL == nil { hasOwnPaths.store(true, ordering: .releasing) }
    }

    // MARK: Resources

    /// A resource without a partition that the function of a computed resource asks for belongs to the
    /// partition of that resource (77.6).
    func partitionInScope(_ partition: String?) -> String? {
        partition ?? WorkScope.current.computation?.resource.clientPartition
    }

    /// Call this only while the service exists.
    ///
    /// - Parameter additions: Those of a call, which then name the partition.
    func resource(
        at url: URLText?, _ partition: String? = nil, adding additions: ResourceAdditions? = nil
    ) -> Resource {
        let partition = additions?.partition ?? partition
        // The invalid resource has a key that is no URL; if it was stored elsewhere, it would hold the core
        // forever.
        let key = ResourceKey(partition, url?.string ?? ":")
        if let known = table.known(key) { return known }
        // All paths come through here, regardless of their source (D31).
        if let url, url.isHTTP || url.isOfService, url.hasDotSegment { return invalid(key.url) }
        if isFull {
            makeRoom(for: 1)
            // Observers that were notified of their end may have requested the same resource.
            if let known = table.known(key) { return known }
        }
        let resource = Resource(core: self, url: url, partition: partition, additions: additions)
        table.add(resource, for: key)
        return resource
    }

    /// The same for callers that have one of its resources.
    func neighbour(
        at url: URLText?, _ partition: String?, adding additions: ResourceAdditions? = nil
    ) -> Resource {
        let resource = resource(at: url, partition, adding: additions)
        releaseIfUnowned(resource)
        return resource
    }

    /// The same in the partition of a resource. The headers of a call may be credentials, so no other origin
    /// gets them (79.3).
    func neighbour(at url: URLText?, of resource: Resource) -> Resource {
        guard let additions = resource.additions else {
            return neighbour(at: url, partitionInScope(resource.partition))
        }
        let isOfOrigin = url?.origin != nil && url?.origin == resource.url?.origin
        return neighbour(at: url, nil, adding: isOfOrigin ? additions : nil)
    }

    func invalid(_ text: String) -> Resource {
        engine.log.write(.network, "not a URL that can be requested: \(text)")
        return Resource(core: self, url: nil, invalidSource: text)
    }

    /// Keeps the resource while it has observers (2.8).
    func keep(_ resource: Resource) { table.keep(resource, for: resource.key) }

    /// If there is no service, a resource without observers is kept only by its users.
    func releaseIfUnowned(_ resource: Resource) {
        if !isOwned { table.release(resource, for: resource.key) }
    }

    /// There may be as many calls with headers of their own as requests, so a resource that only sends is
    /// kept by its request.
    func releaseIfWithoutData(_ resource: Resource) {
        guard resource.additions != nil, resource.state.data == nil else { return }
        table.release(resource, for: resource.key)
    }

    /// Bytes: the service's own limit, or the engine's where that is lower.
    var contentLimit: Int { min(cachedResourceBytesLimit ?? .max, engine.contentBudget.limit) }

    /// Called when the service is gone, from a deinit on any thread's stack. It calls no foreign code.
    func disown() {
        configuration.forgetOwn()
        guard table.releaseUnobserved() else { return }
        // Observers whose owners are gone have to be found.
        EngineLoop.shared.submit { self.flush() }
    }

    func flush() {
        configuration.forgetOwn()
        table.flush()
    }

    // MARK: Configuration

    func configure(_ entry: ConfigurationEntry) {
        configuration.add(entry)
        if !isBeingRedefined { republish() }
    }

    func invalidateConfiguration() {
        configuration.invalidate()
        republish()
    }

    func resolveConfiguration(url: URLText, method: String) -> ResolvedConfiguration {
        let resolved = configuration.resolve(url: url, method: method, now: engine.scheduler.now)
        engine.log.write(
            .configuration,
            "\(method) \(url.string): "
                + resolved.summary(names: resolved.entries.map { configuration.entries[$0].description }))
        return resolved
    }

    func resolveConfiguration(
        _ functions: [ConfigurationFunction], after base: ResolvedConfiguration, url: URLText, method: String
    ) -> ResolvedConfiguration {
        configuration.resolve(
            functions, after: base, url: url, method: method, now: engine.scheduler.now)
    }

    /// Withdraws published answers, because their freshness depends on the configuration.
    func republish() {
        table.forEach { $0.withdraw() }
        engine.attemptControl.configurationChanged()
    }

    var definition: Service.Definition {
        Service.Definition(
            configuration: configuration, transport: transport, refusal: refusal,
            cookies: cookies, onResourceLimit: onResourceLimit, generation: generation)
    }

    func set(_ definition: Service.Definition) {
        configuration = definition.configuration
        transport = definition.transport
        refusal = definition.refusal
        cookies = definition.cookies
        onResourceLimit = definition.onResourceLimit
        generation = definition.generation
    }
}
