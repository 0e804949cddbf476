internal import Synchronization

/// What of a service its resources need: it lives as long as the service, or as one of them.
///
/// A service keeps its resources until a flush (rule 2.7), and they keep this, not the service: so the
/// service goes with whoever made it, and then nothing keeps its resources any more but those who use them.
@EngineActor
final class ServiceCore {
    nonisolated let engine: Engine
    nonisolated let name: String
    nonisolated let baseURL: BaseURL?
    /// The engine's, unless the service has one of its own (1.6).
    private(set) var transport: any Transport
    var refusal: (@EngineActor (URLText) -> RequestError.Cause?)?
    /// Nil: cookies are neither kept nor sent.
    var cookies: CookieJar?
    nonisolated let table: ResourceTable
    nonisolated let accounting: ContentAccounting
    private(set) var configuration = ConfigurationTable()
    /// Moves on with each new definition; see ``Service/Definition``.
    private(set) var generation = 0
    var lastGeneration = 0
    /// Blocks are being added one after the other, and nobody looks.
    var isBeingRedefined = false
    /// Live resources, beyond which those that nobody uses go.
    var countLimit = Service.standardResourceCountLimit {
        didSet {
            nextCollection = 0
            if table.count > countLimit { makeRoom(for: 0) }
        }
    }
    /// Before resources go because there are too many: whoever keeps some only until they are collected,
    /// collects.
    var onResourceLimit: (@EngineActor () -> Void)?
    /// So many must be live before that is done again: all that were in use the last time would be so still.
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
        self.baseURL = baseURL
        self.transport = transport ?? engine.transport
        accounting = ContentAccounting(parent: engine.contentBudget.accounting)
        table = ResourceTable(engine.scheduler)
        engine.contentBudget.add(self)
    }

    /// The one that there is; another when it has gone and somebody asks one of its resources for it.
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

    /// Whether there is a service to keep resources.
    private var isOwned: Bool { face.withLock { $0.service != nil } }

    // MARK: Resources

    /// For whoever has the service, so that it is there.
    func resource(at url: URLText?) -> Resource {
        // The invalid resource has the place that is no URL; kept elsewhere it would hold the core forever.
        let key = url?.string ?? ":"
        if let known = table.known(key) { return known }
        // The one place that every path comes through, whoever wrote it (D31).
        if let url, url.isHTTP, url.hasDotSegment { return invalid(key) }
        if isFull {
            makeRoom(for: 1)
            // Observers that were told of their end may have asked for the same resource.
            if let known = table.known(key) { return known }
        }
        let resource = Resource(core: self, url: url)
        table.add(resource, for: key)
        return resource
    }

    /// For whoever has one of its resources.
    func neighbour(at url: URLText?) -> Resource {
        let resource = resource(at: url)
        releaseIfUnowned(resource)
        return resource
    }

    func invalid(_ text: String) -> Resource {
        engine.log.write(.network, "not a URL that can be asked for: \(text)")
        return Resource(core: self, url: nil, invalidSource: text)
    }

    /// Somebody observes the resource: it stays (2.8).
    func keep(_ resource: Resource) { table.keep(resource, for: resource.urlString) }

    /// Without a service, a resource that nobody observes goes with those who use it.
    func releaseIfUnowned(_ resource: Resource) {
        if !isOwned { table.release(resource, for: resource.urlString) }
    }

    /// Bytes: the service's own limit, or the engine's where that is lower.
    var contentLimit: Int { min(cachedResourceBytesLimit ?? .max, engine.contentBudget.limit) }

    /// The service has gone. Runs nobody's code: a deinit does this, wherever that is.
    func disown() {
        configuration.forgetOwn()
        guard table.releaseUnobserved() else { return }
        // Observers that are no more have to be asked for.
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

    /// How long an answer is fresh is configured, so published answers go with the configuration.
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
