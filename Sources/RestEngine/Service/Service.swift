/// An API: a base URL, the blocks that configure requests to it, and its resources (rules 1).
@EngineActor
public final class Service {
    /// What its resources keep, and it keeps.
    nonisolated let core: ServiceCore

    /// Gives time, transport and log.
    public nonisolated var engine: Engine { core.engine }
    /// For `explain`, logs and the gateway's paths.
    public nonisolated var name: String { core.name }
    /// With a slash at the end of its path (1.2); nil when there is none, and then only absolute URLs work
    /// (1.3).
    public nonisolated var baseURL: BaseURL? { core.baseURL }
    /// Asked before anything is sent to a URL, redirects too; the cause of the request's failure when it may
    /// not be.
    public var refusal: (@EngineActor (URLText) -> RequestError.Cause?)? {
        get { core.refusal }
        set { core.refusal = newValue }
    }

    /// What servers set for its requests, and get back; nil, as at first: cookies are neither kept nor sent
    /// (rules 58).
    public var cookies: CookieJar? {
        get { core.cookies }
        set { core.cookies = newValue }
    }

    /// The standard transformers come as the first blocks, one each (1.5).
    public init(
        engine: Engine, name: String, baseURL: BaseURL?,
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases,
        transport: (any Transport)? = nil
    ) {
        core = ServiceCore(engine: engine, name: name, baseURL: baseURL, transport: transport)
        core.adopt(self)
        for standard in standardTransformers { core.configure(standard.entry) }
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

    /// Another for resources whose service has gone.
    nonisolated init(_ core: ServiceCore) { self.core = core }

    /// Nothing keeps its resources from now on but those who use them.
    deinit {
        let core = core
        if EngineLoop.shared.isIsolatingCurrentContext() == true {
            // At once, so that whoever ends on the loop, as scripts do, leaves nothing behind.
            EngineActor.assumeIsolated { core.disown() }
        } else {
            EngineLoop.shared.submit { core.disown() }
        }
    }

    // MARK: Resources

    /// The resource at base URL and path; the path is text, never read as a URL (3.1, 3.2).
    public func resource(_ path: String) -> Resource {
        core.resource(at: baseURL?.resource(path))
    }

    /// The same with a base of the caller's own (1.8).
    public func resource(baseURL: String, path: String) -> Resource {
        guard let base = URLText(baseURL) else { return core.invalid(baseURL) }
        return core.resource(at: base.appendingPath(path))
    }

    /// The resource at a URL; text that is none, or nil, gives an invalid resource (1.9, 2.4, 2.5).
    public func resource(absoluteURL text: String?) -> Resource {
        guard let text else { return core.resource(at: nil) }
        guard let url = URLText(text) else { return core.invalid(text) }
        return core.resource(at: url)
    }

    /// The ``cachedResourceCountLimit`` of a service that sets none (23.3).
    public nonisolated static let standardResourceCountLimit = 1 << 20

    /// When so many resources are live, one that nobody uses goes for each other that comes: of those without
    /// data first, then the one that was not used for longest (23.3, D42).
    public var cachedResourceCountLimit: Int {
        get { core.countLimit }
        set { core.countLimit = newValue }
    }

    /// Bytes that the service's resources may hold, themselves included; nil, and at most, as many as those
    /// of all services. See ``ContentBudget`` for what goes when there are more.
    public var cachedResourceBytesLimit: Int? {
        get { core.cachedResourceBytesLimit }
        set { core.cachedResourceBytesLimit = newValue }
    }

    /// Bytes: the service's own limit, or the engine's where that is lower.
    public var contentLimit: Int { core.contentLimit }

    /// Bytes that its resources hold, themselves included.
    public var heldBytes: Int { core.accounting.bytes }

    /// Called before resources are dropped because there are too many. A script collects its garbage then,
    /// which may be all that holds them.
    public var onResourceLimit: (@EngineActor () -> Void)? {
        get { core.onResourceLimit }
        set { core.onResourceLimit = newValue }
    }

    /// How many there are.
    public nonisolated var liveResourceCount: Int { core.table.count }

    /// How many have gone since the start to make room, by reason.
    package var evictions: [(reason: String, count: Int)] {
        Evictions.Reason.allCases.map { ($0.name, core.table.evictions.counts[$0.rawValue]) }
    }

    /// Those that were asked for and not dropped since, the oldest first.
    public var liveResources: [Resource] { core.table.live }

    /// The same in no order, for whoever looks at them in parts.
    package var liveResourcesUnordered: ListedResources { core.table.snapshot }

    /// Drops the resources that nobody holds and nobody observes (1.13, 23.6), and what definitions
    /// configured.
    public func flushUnusedResources() {
        core.flush()
    }

    /// The same if there are more than ``cachedResourceCountLimit`` says, as there may be while all are held;
    /// whether there were. For whoever has just let go of many.
    @discardableResult
    public func flushUnusedResourcesAboveLimit() -> Bool { core.flushAboveLimit() }

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
        try wipeResources(dropsUnused: dropsUnused, where: matches, polling: {})
    }

    /// The same, with a call of `poll` before each step. When that throws, some are wiped and others aren't.
    @discardableResult
    package func wipeResources(
        dropsUnused: Bool = true, where matches: (Resource) throws -> Bool, polling poll: () throws -> Void
    ) rethrows -> Int {
        var all = try core.table.live.filter {
            try poll()
            return try matches($0)
        }
        let count = all.count
        guard dropsUnused else {
            for resource in all {
                try poll()
                resource.wipe()
            }
            return count
        }
        for resource in all {
            try poll()
            resource.removeFromCaches()
        }
        let matching = Set(all.map(ObjectIdentifier.init))
        all = []
        core.table.flush()
        // One at the address of another that was dropped is new, and has nothing.
        for resource in core.table.live where matching.contains(ObjectIdentifier(resource)) {
            try poll()
            resource.wipe()
        }
        return count
    }

    // MARK: Configuration

    /// Moves on whenever a resolved configuration may be out of date (14.5).
    public var configurationVersion: Int { core.configuration.version }

    /// The blocks in the order of adding, the standard transformers first (D9).
    package var configurationEntries: [ConfigurationEntry] { core.configuration.entries }

    /// Adds a block behind all others (14.3); see also ``configure(_:methods:description:fileID:line:_:)``.
    package func configure(_ entry: ConfigurationEntry) {
        core.configure(entry)
    }

    /// A pattern that asks a function of the URL (14.13).
    package func predicatePattern(_ matches: @escaping @EngineActor (URLText) throws -> Bool) -> URLPattern {
        core.configuration.predicatePattern(matches)
    }

    /// See ``ConfigurationTable/limit``.
    package func limitsMatching(_ limit: @escaping @EngineActor (URLText, () throws -> Void) throws -> Void) {
        core.configuration.limit = limit
    }

    /// Blocks run again when they are next needed (14.5).
    public func invalidateConfiguration() {
        core.invalidateConfiguration()
    }

    /// Runs one block by itself, for a check of scripts; the error that it raised.
    public func tryEntry(_ number: Int, url: URLText, method: String) -> RequestError? {
        core.configuration.tryEntry(number, url: url, method: method, now: engine.scheduler.now)
    }

    func traceConfiguration(url: URLText, method: String, without skipped: Int? = nil) -> ConfigurationTrace {
        core.configuration.trace(url: url, method: method, now: engine.scheduler.now, without: skipped)
    }
}

/// For logs and `print`: the name, and the base URL if there is one.
extension Service: CustomStringConvertible {
    public nonisolated var description: String { baseURL.map { "\(name) (\($0))" } ?? name }
}
