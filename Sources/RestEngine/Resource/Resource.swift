/// The state at a URL: the last loaded data, the requests in flight, and functions for further requests
/// (rules 2, 4). There is one object for each URL and partition of a core.
@EngineActor
public final class Resource {
    nonisolated let core: ServiceCore
    /// Nil for an invalid resource, whose requests all fail (2.6).
    public nonisolated let url: URLText?
    nonisolated let invalidSource: String?
    /// The part of the service's resources that it belongs to, such as those of one user (rules 77); nil: the
    /// part of everybody.
    public nonisolated let partition: String?
    /// The headers and functions of the call that it belongs to; nil for all other resources.
    nonisolated let additions: ResourceAdditions?

    var state = ResourceStateMachine()
    /// The version of the pipeline that made the data.
    var pipelineVersion = PipelineVersion()
    /// Requests whose outcome becomes this resource's state, in the order of starting (4.8).
    package internal(set) var loadRequests: [Request] = []
    /// Requests of this resource in flight, in the order of starting.
    package internal(set) var allRequests: [Request] = []
    private var configurations = ConfigurationMemory()
    /// The bytes of its configurations beyond the usual.
    private(set) var configurationBytes = 0
    /// Nil while there are no observers.
    var observers: ObserverList?
    /// The snapshot where the gateway's threads find the answer; nil until one is requested.
    var answerSnapshot: AnswerSnapshot?
    var isWithdrawn = false
    /// Whether its configuration is being resolved.
    private(set) var isResolving = false
    /// Whether the blocks that ran last have changed the configuration of the service.
    private var changesItself = false
    /// The latest data in its published form; nil until it is needed.
    var encoded: EncodedContent?
    /// Set while the published form of the latest data is being made.
    var encoding: ContentEncoding?
    /// Nil until caches are used.
    var caching: ResourceCaching?
    /// The stream that keeps it up to date while that is needed; nil unless it is configured.
    var feed: EventFeed?
    /// Nil until it is computed.
    var computed: ComputedState?
    /// Nil until a client's headers are needed.
    var clients: ResourceClients?
    /// The last count of its own bytes and those of its content.
    var heldBytes: Int
    /// Whether the content of the last load was refused because there was no room.
    var hasRefused = false
    /// The time of the last access to the data on the engine loop, on the scheduler's uptime clock; see
    /// ``lastUse``.
    var lastUsed = -Double.infinity
    /// Its entry in the order of use; nil for an invalid resource that never had content.
    var place: ResourcePlace?

    init(
        core: ServiceCore, url: URLText?, partition: String? = nil, additions: ResourceAdditions? = nil,
        invalidSource: String? = nil
    ) {
        self.core = core
        self.url = url
        self.partition = partition
        self.additions = additions
        self.invalidSource = invalidSource
        heldBytes = Self.ownBytes(of: url, partition)
        core.accounting.add(heldBytes)
        if isListed { core.table.count(1) }
    }

    deinit {
        answerSnapshot?.retire()
        core.accounting.add(-heldBytes)
        if isListed { core.table.count(-1) }
    }

    /// Whether it is listed in the table. Invalid resources are not, except the one without a URL.
    private nonisolated var isListed: Bool { invalidSource == nil }

    /// The service that it belongs to. A resource doesn't keep its service alive; if the service is gone, it
    /// is made again with the same configuration (D39).
    public nonisolated var service: Service { core.service }

    /// The engine of its core.
    public nonisolated var engine: Engine { core.engine }

    /// The URL's text; a lone colon for an invalid resource (2.6).
    public nonisolated var urlString: String { url?.string ?? ":" }

    /// Its identity in the service: partition and URL.
    nonisolated var key: ResourceKey { ResourceKey(partition, urlString) }

    // MARK: State

    /// The last good data, transformed; it survives later errors. The first read starts a cache look-up (4.3,
    /// 22.8).
    public var latestData: Entity? {
        let own = inScope
        guard own === self else { return own.latestData }
        startCacheLookup()
        recordLatestRead()
        lastUsed = engine.scheduler.uptime
        return state.data
    }

    /// The error of the last finished load; nil after any success, override or wipe (4.4).
    public var latestError: RequestError? { state.error }

    /// The later of the times of data and error, in Unix seconds; 0 with neither (4.5).
    public var timestamp: Double {
        startCacheLookup()
        return state.timestamp
    }

    /// The time since the data was received or confirmed, independent of changes to the time of day (D43);
    /// nil without data.
    public var dataAge: Duration? { dataAgeSeconds.map { Duration(inSeconds: $0) } }
    package var dataAgeSeconds: Double? { dataTime.map { engine.scheduler.uptime - $0 } }

    /// The time of the data on the clock that never jumps (D43); nil without data.
    package var dataTime: Double? { state.data == nil ? nil : state.dataTime }

    /// Whether a request is in flight whose outcome becomes this resource's state (4.6).
    public var isLoading: Bool { !loadRequests.isEmpty }

    /// Whether any request of this resource is in flight (4.7).
    public var isRequesting: Bool { !allRequests.isEmpty }

    /// Whether ``loadIfNeeded()`` would do nothing (4.9, D4).
    public var isUpToDate: Bool {
        startCacheLookup()
        return isStateUpToDate
    }

    /// The same as ``isUpToDate``, without a cache look-up.
    var isStateUpToDate: Bool {
        compareVersion()
        let resolved = resolvedConfiguration(for: "GET")
        return state.isUpToDate(
            at: engine.scheduler.uptime, expirationTime: expirationSeconds(by: resolved),
            retryTime: resolved.configuration.retrySeconds)
    }

    /// Whether its data must be replaced before its next use.
    var isStale: Bool { freshData == nil }

    /// Whether it has observers or waiting requests.
    var isBusy: Bool { observers != nil || isRequesting || isLoading }

    /// Whether it has fresh data, as far as is known without running a block.
    var isKnownFresh: Bool { (knownFreshSeconds ?? -1) >= 0 }

    /// Seconds for which its data stays fresh, less than 0 for stale data; nil if it has none, or if that is
    /// not known without running a block.
    var knownFreshSeconds: Double? {
        guard state.data != nil,
            let known = configurations.value(for: "GET", version: core.configuration.version)
        else { return nil }
        let uptime = engine.scheduler.uptime
        guard freshData(by: known, at: uptime) != nil else { return -1 }
        return max(0, state.expirationStart + expirationSeconds(by: known) - uptime)
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

    /// Whether the data was made by a pipeline that a reload has changed.
    var isOutdated: Bool {
        compareVersion()
        return pipelineVersion.isOutdated
    }

    /// The version for data from the pipeline of a configuration.
    func pipelineVersion(of resolved: ResolvedConfiguration, _ generation: Int? = nil) -> PipelineVersion {
        guard engine.remembersPipelines else { return PipelineVersion() }
        return PipelineVersion(
            fingerprint: resolved.pipelineFingerprint, generation: generation ?? core.generation)
    }

    /// Invalidates data of a pipeline that differs from the one after a reload. A 304 would be correct for
    /// such data, but the data is still wrong.
    private func compareVersion() {
        guard pipelineVersion.generation != core.generation, pipelineVersion.fingerprint != 0, !isResolving
        else { return }
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

    /// The same by the normal name of the method.
    package func configuration(for method: String) -> Configuration {
        resolvedConfiguration(for: method).configuration
    }

    /// The configuration with the blocks that made it.
    package func resolvedConfiguration(for method: String) -> ResolvedConfiguration {
        guard let url else { return .fallback }
        let version = core.configuration.version
        if let known = configurations.value(for: method, version: version) { return known }
        guard !isResolving else { return .unfinished(url, method, now: engine.scheduler.now) }
        isResolving = true
        defer { isResolving = false }
        var made = core.resolveConfiguration(url: url, method: method)
        if let own = additions?.functions, !own.isEmpty {
            made = core.resolveConfiguration(own, after: made, url: url, method: method)
        }
        // Blocks that add blocks or invalidate the configuration run once more with these changes. If they do
        // it again, or take too long, the result is final: otherwise each further read would run them again.
        let after = core.configuration.version
        let isFinal = made.failure != nil || changesItself
        changesItself = after != version
        // Copied, not changed in place, to save exclusivity checks; see EngineLog.
        configurations = configurations.with(made, for: method, version: isFinal ? after : version)
        if configurations.heldBytes != configurationBytes {
            configurationBytes = configurations.heldBytes
            recountConfigurations()
        }
        return made
    }

    func forgetConfigurations() {
        configurations = ConfigurationMemory()
        configurationBytes = 0
    }

    /// The same with a definition's functions, which run after the blocks. The functions of a call are those
    /// of its resource.
    func resolvedConfiguration(for method: String, own: [ConfigurationFunction]) -> ResolvedConfiguration {
        let blocks = resolvedConfiguration(for: method)
        guard !own.isEmpty, additions == nil, let url else { return blocks }
        return core.resolveConfiguration(own, after: blocks, url: url, method: method)
    }
}

/// For logs and `print`: the URL.
extension Resource: CustomStringConvertible {
    public nonisolated var description: String { urlString }
}

/// The configurations of one resource by method. A list, because most resources have only one.
private struct ConfigurationMemory {
    /// More methods than anyone uses, so that a script with ever new ones gains nothing.
    private static let mostMethods = 32
    /// A configuration takes as much in any case.
    private static let usualBytes = 1 << 10

    private let version: Int
    private var values: [(method: String, value: ResolvedConfiguration)] = []
    /// The bytes beyond the usual ones of each value.
    private(set) var heldBytes = 0

    init(version: Int = 0) { self.version = version }

    func value(for method: String, version: Int) -> ResolvedConfiguration? {
        guard self.version == version else { return nil }
        for entry in values where entry.method == method { return entry.value }
        return nil
    }

    func with(
        _ value: ResolvedConfiguration, for method: String, version: Int
    ) -> ConfigurationMemory {
        let isKept = self.version == version && values.count < Self.mostMethods
        var memory = isKept ? self : ConfigurationMemory(version: version)
        memory.values.append((method, value))
        memory.heldBytes += max(0, value.configuration.heldBytes - Self.usualBytes)
        return memory
    }
}
