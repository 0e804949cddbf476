/// An API: a base URL, the blocks that configure requests to it, and its resources (rules 1).
@EngineActor
public final class Service {
    /// Gives time, transport and log.
    public nonisolated let engine: Engine
    /// For `explain`, logs and the gateway's paths.
    public nonisolated let name: String
    /// With a slash at the end of its path (1.2); nil when there is none, and then only absolute URLs work
    /// (1.3).
    public nonisolated let baseURL: BaseURL?
    /// The engine's, unless the service has one of its own (1.6).
    private(set) var transport: any Transport
    /// Asked before anything is sent to a URL, redirects too; the cause of the request's failure when it may
    /// not be.
    public var refusal: (@EngineActor (URLText) -> RequestError.Cause?)?

    private let table = ResourceTable()
    nonisolated let ledger: ContentLedger
    private(set) var configuration = ConfigurationTable()
    /// Moves on with each new definition; see ``Definition``.
    private(set) var generation = 0
    var lastGeneration = 0
    /// Blocks are being added one after the other, and nobody looks.
    var isBeingRedefined = false

    /// The standard transformers come as the first blocks, one each (1.5).
    public init(
        engine: Engine, name: String, baseURL: BaseURL?,
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases,
        transport: (any Transport)? = nil
    ) {
        self.engine = engine
        self.name = name
        self.baseURL = baseURL
        self.transport = transport ?? engine.transport
        ledger = ContentLedger(parent: engine.contentBudget.ledger)
        for standard in standardTransformers { configuration.add(standard.entry) }
    }

    /// A service whose base URL is given as text.
    ///
    /// - Throws: ``BaseURLError`` for text that is no URL of http or https.
    public convenience init(
        engine: Engine, name: String, baseURL: String,
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases,
        transport: (any Transport)? = nil
    ) throws(BaseURLError) {
        self.init(
            engine: engine, name: name, baseURL: try BaseURL(baseURL),
            standardTransformers: standardTransformers, transport: transport)
    }

    // MARK: Resources

    /// The resource at base URL and path; the path is text, never read as a URL (3.1, 3.2).
    public func resource(_ path: String) -> Resource {
        resource(at: baseURL?.resource(path))
    }

    /// The same with a base of the caller's own (1.8).
    public func resource(baseURL: String, path: String) -> Resource {
        guard let base = URLText(baseURL) else { return invalid(baseURL) }
        return resource(at: base.appendingPath(path))
    }

    /// The resource at a URL; text that is none, or nil, gives an invalid resource (1.9, 2.4, 2.5).
    public func resource(absoluteURL text: String?) -> Resource {
        guard let text else { return resource(at: nil) }
        guard let url = URLText(text) else { return invalid(text) }
        return resource(at: url)
    }

    func resource(at url: URLText?) -> Resource {
        // The invalid resource has the place that is no URL; kept elsewhere it would hold the service
        // forever.
        table.resource(for: url?.string ?? ":") { Resource(service: self, url: url) }
    }

    /// Somebody observes the resource: it stays (2.8).
    func keep(_ resource: Resource) { table.keep(resource, for: resource.urlString) }

    func invalid(_ text: String) -> Resource {
        engine.log.write(.network, "not a URL: \(text)")
        return Resource(service: self, url: nil, invalidSource: text)
    }

    /// The ``cachedResourceCountLimit`` of a service that sets none (23.3).
    public nonisolated static let standardResourceCountLimit = 2048

    /// When so many resources are live, adding another drops those that nobody holds (23.3).
    public var cachedResourceCountLimit: Int {
        get { table.limit }
        set { table.limit = newValue }
    }

    /// Bytes of content that the service's resources may hold; nil, and at most, as many as those of all
    /// services. See ``ContentBudget`` for what goes when there are more.
    public var cachedResourceBytesLimit: Int? {
        didSet { _ = engine.contentBudget.makeRoom(for: 0, in: self, sparing: nil) }
    }

    /// Bytes: the service's own limit, or the engine's where that is lower.
    public var contentLimit: Int { min(cachedResourceBytesLimit ?? .max, engine.contentBudget.limit) }

    /// Bytes of content that its resources hold.
    public var heldBytes: Int { ledger.bytes }

    /// Called before resources are dropped because there are too many. A script collects its garbage then,
    /// which may be all that holds them.
    public var onResourceLimit: (@EngineActor () -> Void)? {
        get { table.onLimit }
        set { table.onLimit = newValue }
    }

    /// Those that were asked for and not dropped since, the oldest first.
    public var liveResources: [Resource] { table.live }

    /// Drops the resources that nobody holds and nobody observes (1.13, 23.6), and what definitions
    /// configured.
    public func flushUnusedResources() {
        configuration.forgetOwn()
        table.flush()
    }

    /// The same if there are more than ``cachedResourceCountLimit`` says, as there may be while all are held;
    /// whether there were. For whoever has just let go of many.
    @discardableResult
    public func flushUnusedResourcesAboveLimit() -> Bool { table.flushAboveLimit() }

    /// Wipes all live resources; unused ones are dropped first (1.11).
    public func wipeResources() { wipeResources { _ in true } }

    /// Wipes the live resources that match. Of the unused ones, which are dropped, the caches keep nothing
    /// either (D15).
    ///
    /// - Parameter dropsUnused: False leaves the others alone.
    /// - Returns: How many matched.
    @discardableResult
    public func wipeResources(
        dropsUnused: Bool = true, where matches: (Resource) throws -> Bool
    ) rethrows -> Int {
        var all = try table.live.filter(matches)
        let count = all.count
        guard dropsUnused else {
            for resource in all { resource.wipe() }
            return count
        }
        for resource in all { resource.removeFromCaches() }
        let matching = Set(all.map(ObjectIdentifier.init))
        all = []
        table.flush()
        // One at the address of another that was dropped is new, and has nothing.
        for resource in table.live where matching.contains(ObjectIdentifier(resource)) { resource.wipe() }
        return count
    }

    // MARK: Configuration

    /// Moves on whenever a resolved configuration may be out of date (14.5).
    public var configurationVersion: Int { configuration.version }

    /// The blocks in the order of adding, the standard transformers first (D9).
    package var configurationEntries: [ConfigurationEntry] { configuration.entries }

    /// Adds a block behind all others (14.3); see also ``configure(_:methods:description:fileID:line:_:)``.
    package func configure(_ entry: ConfigurationEntry) {
        configuration.add(entry)
        if !isBeingRedefined { republish() }
    }

    /// A pattern that asks a function of the URL (14.13).
    package func predicatePattern(_ matches: @escaping @EngineActor (URLText) throws -> Bool) -> URLPattern {
        configuration.predicatePattern(matches)
    }

    /// Blocks run again when they are next needed (14.5).
    public func invalidateConfiguration() {
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

    /// Runs one block by itself, for a check of scripts; the error that it raised.
    public func tryEntry(_ number: Int, url: URLText, method: String) -> RequestError? {
        configuration.tryEntry(number, url: url, method: method, now: engine.scheduler.now)
    }

    func traceConfiguration(url: URLText, method: String, without skipped: Int? = nil) -> ConfigurationTrace {
        configuration.trace(url: url, method: method, now: engine.scheduler.now, without: skipped)
    }

    /// How long an answer is fresh is configured, so published answers go with the configuration.
    func republish() {
        for resource in table.live { resource.withdraw() }
    }

    var definition: Definition {
        Definition(
            configuration: configuration, transport: transport, refusal: refusal,
            onResourceLimit: onResourceLimit, generation: generation)
    }

    func set(_ definition: Definition) {
        configuration = definition.configuration
        transport = definition.transport
        refusal = definition.refusal
        onResourceLimit = definition.onResourceLimit
        generation = definition.generation
    }
}

/// For logs and `print`: the name, and the base URL if there is one.
extension Service: CustomStringConvertible {
    public nonisolated var description: String { baseURL.map { "\(name) (\($0))" } ?? name }
}
