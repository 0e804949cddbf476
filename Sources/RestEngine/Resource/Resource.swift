/// Something at a URL: what was last loaded from it, what is on its way, and how to ask for more
/// (rules 2, 4). One object for each URL of a core.
@EngineActor
public final class Resource {
    nonisolated let core: ServiceCore
    /// Nil for an invalid resource, whose requests all fail (2.6).
    public nonisolated let url: URLText?
    nonisolated let invalidSource: String?

    var state = ResourceStateMachine()
    /// Of the pipeline that made the data.
    var pipelineVersion = PipelineVersion()
    /// Requests whose outcome becomes this resource's state, in the order of starting (4.8).
    public internal(set) var loadRequests: [Request] = []
    /// Requests of this resource in flight, in the order of starting.
    public internal(set) var allRequests: [Request] = []
    private var configurations = ConfigurationMemory()
    /// Nil as long as nobody observes.
    var observers: ObserverList?
    /// Where faces on other threads find the answer; nil until one asked.
    var answerSnapshot: AnswerSnapshot?
    var isWithdrawn = false
    /// Its configuration is being made.
    private(set) var isResolving = false
    /// The blocks that ran last have changed the configuration of the service.
    private var changesItself = false
    /// The latest data in the form in which it leaves the process; nil until somebody needs it.
    var encoded: EncodedContent?
    /// That form of the latest data is being made.
    var encoding: ContentEncoding?
    /// Nil until caches have something to do with it.
    var caching: ResourceCaching?
    /// Keeps it up to date while somebody wants that; nil unless it is configured.
    var feed: EventFeed?
    /// Its own bytes and those of its content, as they were counted last.
    var heldBytes: Int
    /// The last load that ended brought a content for which there was no room.
    var hasRefused = false
    /// When somebody last asked for the data on the engine loop, on the scheduler's uptime; see ``lastUse``.
    var lastUsed = -Double.infinity
    /// Where it is in the order of use; nil for an invalid one that never held anything.
    var place: ResourcePlace?

    init(core: ServiceCore, url: URLText?, invalidSource: String? = nil) {
        self.core = core
        self.url = url
        self.invalidSource = invalidSource
        heldBytes = Self.ownBytes(of: url)
        core.accounting.add(heldBytes)
        if isListed { core.table.count(1) }
    }

    deinit {
        answerSnapshot?.retire()
        core.accounting.add(-heldBytes)
        if isListed { core.table.count(-1) }
    }

    /// It has a place in the table; invalid ones have none, but for that of no URL.
    private nonisolated var isListed: Bool { invalidSource == nil }

    /// The service that it belongs to. One that has gone meanwhile, since a resource doesn't keep it, is made
    /// again, with all that was configured (D39).
    public nonisolated var service: Service { core.service }

    /// The engine of its core.
    public nonisolated var engine: Engine { core.engine }

    /// The URL's text; a lone colon for an invalid resource (2.6).
    public nonisolated var urlString: String { url?.string ?? ":" }

    // MARK: State

    /// The last good data, transformed; survives later errors. The first look starts the look-up in the
    /// caches (4.3, 22.8).
    public var latestData: Entity? {
        startCacheLookup()
        lastUsed = engine.scheduler.uptime
        return state.data
    }

    /// The error of the last finished load; nil after any success, override or wipe (4.4).
    public var latestError: RequestError? { state.error }

    /// The later of the times of data and error, Unix seconds; 0 with neither (4.5).
    public var timestamp: Double {
        startCacheLookup()
        return state.timestamp
    }

    /// Seconds since the data was received or confirmed, whatever was done to the time of day meanwhile
    /// (D43); nil without data.
    public var dataAge: Double? { dataTime.map { engine.scheduler.uptime - $0 } }

    /// When it was, on the clock that never jumps (D43); nil without data.
    package var dataTime: Double? { state.data == nil ? nil : state.dataTime }

    /// A request is in flight whose outcome becomes this resource's state (4.6).
    public var isLoading: Bool { !loadRequests.isEmpty }

    /// Any request of this resource is in flight (4.7).
    public var isRequesting: Bool { !allRequests.isEmpty }

    /// ``loadIfNeeded()`` would do nothing (4.9, D4).
    public var isUpToDate: Bool {
        startCacheLookup()
        return isStateUpToDate
    }

    /// ``isUpToDate``, without a look into the caches.
    var isStateUpToDate: Bool {
        compareVersion()
        let resolved = resolvedConfiguration(for: "GET")
        return state.isUpToDate(
            at: engine.scheduler.uptime, expirationTime: expirationSeconds(by: resolved),
            retryTime: resolved.configuration.retrySeconds)
    }

    /// Somebody observes it or waits for it.
    var isBusy: Bool { observers != nil || isRequesting || isLoading }

    /// It has fresh data, as far as is known without running a block.
    var isKnownFresh: Bool {
        configurations.value(for: "GET", version: core.configuration.version).map { known in
            freshData(by: known, at: engine.scheduler.uptime) != nil
        } ?? false
    }

    /// The latest data, if it may be used without asking the server.
    var freshData: Entity? {
        compareVersion()
        lastUsed = engine.scheduler.uptime
        return freshData(by: resolvedConfiguration(for: "GET"), at: lastUsed)
    }

    private func freshData(by resolved: ResolvedConfiguration, at uptime: Double) -> Entity? {
        state.freshData(at: uptime, expirationTime: expirationSeconds(by: resolved))
    }

    /// The data is that of a pipeline which a reload has changed.
    var isOutdated: Bool {
        compareVersion()
        return pipelineVersion.isOutdated
    }

    /// The mark of data that the pipeline of a configuration makes.
    func pipelineVersion(of resolved: ResolvedConfiguration, _ generation: Int? = nil) -> PipelineVersion {
        guard engine.remembersPipelines else { return PipelineVersion() }
        return PipelineVersion(
            fingerprint: resolved.pipelineFingerprint, generation: generation ?? core.generation)
    }

    /// Invalidates data that another pipeline made than the one that a reload left. A server that says that
    /// it didn't change would be right, and the data still wrong.
    private func compareVersion() {
        guard pipelineVersion.generation != core.generation, pipelineVersion.fingerprint != 0, !isResolving else { return }
        pipelineVersion.generation = core.generation
        guard let data = state.data else { return }
        let pipeline = resolvedConfiguration(for: "GET").pipelineFingerprint
        guard pipeline != pipelineVersion.fingerprint || !data.content.isClassless else { return }
        pipelineVersion.isOutdated = true
        state.invalidate()
    }

    // MARK: Configuration

    /// The frozen configuration for a method; blocks run when it is first needed after a change (14.3–14.5).
    public func configuration(for method: Method) -> Configuration {
        configuration(for: method.rawValue)
    }

    /// The same by the method's normal name.
    package func configuration(for method: String) -> Configuration {
        resolvedConfiguration(for: method).configuration
    }

    /// The same with the blocks that made it.
    package func resolvedConfiguration(for method: String) -> ResolvedConfiguration {
        guard let url else { return .fallback }
        let version = core.configuration.version
        if let known = configurations.value(for: method, version: version) { return known }
        guard !isResolving else { return .unfinished(url, method, now: engine.scheduler.now) }
        isResolving = true
        defer { isResolving = false }
        let made = core.resolveConfiguration(url: url, method: method)
        // Blocks that add blocks, or invalidate what there is, run once more for what they did. If they do it
        // again, or took too long, that is it: each further look at the configuration would have them run.
        let after = core.configuration.version
        let isFinal = made.failure != nil || changesItself
        changesItself = after != version
        // Not changed in place, so that no reading has to be checked for a change inside it; see EngineLog.
        configurations = configurations.with(made, for: method, version: isFinal ? after : version)
        return made
    }

    /// The same with a definition's own functions behind the blocks.
    func resolvedConfiguration(for method: String, own: [ConfigurationFunction]) -> ResolvedConfiguration {
        let blocks = resolvedConfiguration(for: method)
        guard !own.isEmpty, let url else { return blocks }
        return core.resolveConfiguration(own, after: blocks, url: url, method: method)
    }
}

/// For logs and `print`: the URL.
extension Resource: CustomStringConvertible {
    public nonisolated var description: String { urlString }
}

/// The configurations of one resource by method. Most resources have one, so a list does.
private struct ConfigurationMemory {
    private let version: Int
    private var values: [(method: String, value: ResolvedConfiguration)] = []

    init(version: Int = 0) { self.version = version }

    func value(for method: String, version: Int) -> ResolvedConfiguration? {
        guard self.version == version else { return nil }
        for entry in values where entry.method == method { return entry.value }
        return nil
    }

    func with(
        _ value: ResolvedConfiguration, for method: String, version: Int
    ) -> ConfigurationMemory {
        var memory = self.version == version ? self : ConfigurationMemory(version: version)
        memory.values.append((method, value))
        return memory
    }
}
