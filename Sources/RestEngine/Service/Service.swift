internal import Coordination

/// An API: a base URL, the blocks that configure requests to it, and its resources (rules 1).
@EngineActor
public final class Service {
    /// The core, which is shared with the resources.
    nonisolated let core: ServiceCore

    /// Provides time, transport and log.
    public nonisolated var engine: Engine { core.engine }
    /// The name in `explain`, logs and the gateway's paths.
    public nonisolated var name: String { core.name }
    /// The path ends with a slash (1.2). Nil if there is none; then only absolute URLs work (1.3). A
    /// service without one that has computed resources uses `resthost://NAME/`.
    public nonisolated var baseURL: BaseURL? { core.baseURL }
    /// The base URL that it was made with: ``baseURL`` without the one that computed resources bring.
    package nonisolated var givenBaseURL: BaseURL? { core.givenBaseURL }
    /// Called before each message is sent to a URL, also for redirects. Returns the cause of the failure if
    /// the URL is not allowed.
    package var refusal: (@EngineActor (URLText) -> RequestError.Cause?)? {
        get { core.refusal }
        set { core.refusal = newValue }
    }

    /// The cookies that servers set for its requests; nil, the default: cookies are neither stored nor sent
    /// (rules 58).
    public var cookies: CookieJar? {
        get { core.cookies }
        set { core.cookies = newValue }
    }

    /// The standard transformers are the first blocks, one block each (1.5).
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
    /// - Throws: ``BaseURLError`` for text that is no http or https URL.
    public convenience init(
        engine: Engine, name: String, baseURL: String,
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases,
        transport: (any Transport)? = nil
    ) throws(BaseURLError) {
        self.init(
            engine: engine, name: name, baseURL: try BaseURL(baseURL),
            standardTransformers: standardTransformers, transport: transport)
    }

    /// Makes a new service for resources whose service is gone.
    nonisolated init(_ core: ServiceCore) { self.core = core }

    /// Resources are from now on kept only by their users.
    deinit {
        let core = core
        if EngineLoop.shared.isIsolatingCurrentContext() == true {
            // Done at once, so that code on the loop that ends, such as a script, leaves no resources behind.
            EngineActor.assumeIsolated { core.disown() }
        } else {
            EngineLoop.shared.submit { core.disown() }
        }
    }

    // MARK: Resources

    /// The resource at base URL plus path; the path is text, never parsed as a URL (3.1, 3.2).
    ///
    /// - Parameters:
    ///   - partition: The part of the resources that it belongs to (rules 77); nil: that of
    ///     everybody, and in the function of a computed resource the partition of that resource.
    ///   - path: Text behind the base URL.
    public func resource(_ path: String, partition: String? = nil) -> Resource {
        core.resource(at: baseURL?.resource(path), core.partitionInScope(partition))
    }

    /// The same with a base URL of the caller (1.8).
    public func resource(baseURL: String, path: String, partition: String? = nil) -> Resource {
        guard let base = URLText(baseURL) else { return core.invalid(baseURL) }
        return core.resource(at: base.appendingPath(path), core.partitionInScope(partition))
    }

    /// The resource at a URL; text that is no URL, or nil, gives an invalid resource (1.9, 2.4, 2.5).
    public func resource(absoluteURL text: String?, partition: String? = nil) -> Resource {
        guard let text else { return core.resource(at: nil) }
        guard let url = URLText(text) else { return core.invalid(text) }
        return core.resource(at: url, core.partitionInScope(partition))
    }

    /// The ``cachedResourceCountLimit`` of a service that sets none (23.3).
    package nonisolated static let standardResourceCountLimit = 1 << 20

    /// The limit for live resources. Beyond it an unused one is dropped for each new one: resources without
    /// data first, then the least recently used (23.3, D42).
    public var cachedResourceCountLimit: Int {
        get { core.countLimit }
        set { core.countLimit = newValue }
    }

    /// Bytes that the service's resources may hold, including the objects themselves; nil: only the limit of
    /// all services applies, which is also the maximum. See ``ContentBudget`` for the order of eviction.
    public var cachedResourceBytesLimit: Int? {
        get { core.cachedResourceBytesLimit }
        set { core.cachedResourceBytesLimit = newValue }
    }

    /// Bytes: the service's own limit, or the engine's where that is lower.
    package var contentLimit: Int { core.contentLimit }

    /// Bytes that its resources hold, including the objects themselves.
    public var heldBytes: Int { core.accounting.bytes }

    /// Called before resources are dropped because there are too many. A script then collects its garbage,
    /// which may hold the last references to them.
    package var onResourceLimit: (@EngineActor () -> Void)? {
        get { core.onResourceLimit }
        set { core.onResourceLimit = newValue }
    }

    /// The number of live resources.
    public nonisolated var liveResourceCount: Int { core.table.count }

    /// The number of partitions that have resources in memory (rules 77).
    package var partitionCount: Int { core.table.partitionCount }

    /// The number of resources that were evicted since the start, by reason.
    package var evictions: [(reason: String, count: Int)] {
        Evictions.Reason.allCases.map { ($0.name, core.table.evictions.counts[$0.rawValue]) }
    }

    /// The resources that were requested and not dropped since, the oldest first.
    package var liveResources: [Resource] { core.table.live }

    /// The same in any order, to be read in parts.
    package var liveResourcesUnordered: ListedResources { core.table.snapshot }

    /// Drops resources without owners and observers (1.13, 23.6), and the results of definitions' functions.
    public func flushUnusedResources() {
        core.flush()
    }

    /// The same if there are more resources than ``cachedResourceCountLimit``, which is possible while all
    /// have owners. Returns whether there were. Call it after releasing many resources.
    @discardableResult
    package func flushUnusedResourcesAboveLimit() -> Bool { core.flushAboveLimit() }

    // MARK: Configuration

    /// Increases whenever a resolved configuration may be out of date (14.5).
    package var configurationVersion: Int { core.configuration.version }

    /// The blocks in the order of adding, the standard transformers first (D9).
    package var configurationEntries: [ConfigurationEntry] { core.configuration.entries }

    /// Adds a block after all others (14.3); see also ``configure(_:methods:description:fileID:line:_:)``.
    package func configure(_ entry: ConfigurationEntry) {
        core.configure(entry)
    }

    /// A pattern that calls a function with the URL (14.13).
    package func predicatePattern(_ matches: @escaping @EngineActor (URLText) throws -> Bool) -> URLPattern {
        core.configuration.predicatePattern(matches)
    }

    /// See ``ConfigurationTable/limit``.
    package func limitsMatching(_ limit: @escaping @EngineActor (URLText, () throws -> Void) throws -> Void) {
        core.configuration.limit = limit
    }

    /// Makes the blocks run again when they are next needed (14.5).
    public func invalidateConfiguration() {
        core.invalidateConfiguration()
        tellOthers(.blocks)
    }

    /// Runs one block on its own, for a check of scripts. Returns the error that it threw.
    package func tryEntry(_ number: Int, url: URLText, method: String) -> RequestError? {
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
