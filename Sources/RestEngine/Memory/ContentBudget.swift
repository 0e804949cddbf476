import Synchronization

/// Limits the bytes of resources and memory caches, and of bodies in transfer to them, for all services of an
/// engine (rules 23.4, D38, D42).
///
/// When new content does not fit, existing content is dropped. First go resources without data that have no
/// owner, then the content of memory caches, then the least recently used content. A resource with an owner
/// stays in the state of one that was never loaded: its data, its published form, and its error with the body
/// are dropped, and its caches are read again at its next use. A resource with observers or requests in
/// flight keeps its data and loses only the published form, which is made again for the next reader. If that
/// is not enough, the new content is refused: a load or a local change fails with `too_large`, and the
/// existing data stays.
@EngineActor
public final class ContentBudget {
    /// A quarter of the memory that this process may use, according to its control group or the machine.
    package nonisolated static let standardLimit = MachineMemory.current.bytes / 4

    /// Bytes; a quarter of the memory of the machine until it is set. A value below the held bytes drops the
    /// excess at once.
    public var limit: Int {
        get {
            let limit = sharedLimit.load(ordering: .relaxed)
            return limit < 0 ? Self.standardLimit : limit
        }
        set {
            sharedLimit.store(max(0, newValue), ordering: .relaxed)
            makeRoom(for: 0)
        }
    }
    /// The same for other threads; negative until it is set.
    private nonisolated let sharedLimit = Atomic(-1)
    /// The lower bound of all standard limits. Below it the system isn't asked for its memory, which saves
    /// time in short commands.
    private nonisolated static let least = 1 << 20

    private nonisolated func allows(_ bytes: Int) -> Bool {
        let limit = sharedLimit.load(ordering: .relaxed)
        return limit < 0 ? bytes <= Self.least || bytes <= Self.standardLimit : bytes <= limit
    }

    /// Bytes of resources, including the objects themselves, and of memory caches.
    public var heldBytes: Int { accounting.bytes }

    /// Bytes of bodies in transfer.
    package var bodyBytes: Int { bodies.bytes }

    /// Contents that were dropped to make room, since the start.
    package private(set) var droppedContents = 0

    nonisolated let accounting = ContentAccounting()
    nonisolated let bodies = ContentAccounting()

    private struct Member {
        weak var core: ServiceCore?
    }
    private struct MemberCache {
        weak var cache: MemoryCache?
    }
    private var services: [Member] = []
    private var caches: [MemberCache] = []
    private var nextCleaning = 16
    /// Until this time no eviction is tried, because the last one found only content that must stay.
    private var isFullUntil = 0.0
    private let clock = SystemClock()

    nonisolated init() {}

    /// Registers a cache. It is held weakly, so it need not be removed.
    func share(of cache: MemoryCache) -> ContentShare {
        caches.removeAll { $0.cache == nil }
        caches.append(MemberCache(cache: cache))
        return ContentShare(self)
    }

    private nonisolated var usedBytes: Int { accounting.bytes + bodies.bytes }

    /// Registers a service. It is held weakly, so it need not be removed.
    func add(_ core: ServiceCore) {
        if services.count >= nextCleaning {
            services.removeAll { $0.core == nil }
            nextCleaning = 2 * services.count + 16
        }
        services.append(Member(core: core))
    }

    /// Whether there is room for that many more bytes now. Any thread.
    nonisolated func hasRoom(for bytes: Int) -> Bool {
        allows(usedBytes + bytes)
    }

    /// Makes room for that many more bytes, with a reserve for the next few. False if that is impossible.
    @discardableResult
    func makeRoom(for bytes: Int, sparing spared: Resource? = nil) -> Bool {
        if hasRoom(for: bytes) { return true }
        let goal = limit - limit / 16 - bytes
        evict(sparing: spared, of: nil) { [self] in usedBytes <= goal }
        return hasRoom(for: bytes)
    }

    /// The same, also below the limit of one service.
    func makeRoom(for bytes: Int, in service: ServiceCore, sparing spared: Resource?) -> Bool {
        let accounting = service.accounting
        let wanted = accounting.bytes + bytes
        if wanted > service.cachedResourceBytesLimit ?? .max || !allows(wanted) {
            let limit = service.contentLimit
            let goal = limit - limit / 16 - bytes
            evict(sparing: spared, of: service) { accounting.bytes <= goal }
            if accounting.bytes + bytes > limit { return false }
        }
        return makeRoom(for: bytes, sparing: spared)
    }

    /// Drops resources without data first, then the least recently used. It calls no foreign code, because
    /// libcurl may be the caller.
    private func evict(sparing spared: Resource?, of service: ServiceCore?, until isEnough: () -> Bool) {
        let now = clock.uptime
        guard now >= isFullUntil else { return }
        let all = service.map { [$0] } ?? services.compactMap(\.core)
        var inUse = 0
        /// Drops the first of a queue, or moves it to the end.
        func evictFirst(of core: ServiceCore, withData: Bool) {
            let before = core.accounting.bytes
            let fate = core.table.evictFirst(withData: withData, .bytes, emptying: true, sparing: spared)
            if core.accounting.bytes < before, withData { droppedContents += 1 }
            if fate == .inUse { inUse += 1 }
        }
        for core in all {
            var left = min(core.table.withoutData.count, ServiceCore.mostWithoutData)
            while left > 0, !isEnough() {
                evictFirst(of: core, withData: false)
                left -= 1
            }
        }
        if service == nil {
            for cache in caches.compactMap(\.cache) { while !isEnough(), cache.dropOldest() {} }
        }
        // Each resource that was used in between is visited twice.
        var left = 2 * all.reduce(0) { $0 + $1.table.withData.count }
        while left > 0, !isEnough(), let (core, end) = leastRecentlyUsed(of: all) {
            repeat {
                evictFirst(of: core, withData: true)
                left -= 1
            } while left > 0 && !isEnough() && core.table.firstUse.map { $0 <= end } ?? false
        }
        // Checking many resources that must stay for each chunk of a body would take longer than the body.
        if !isEnough(), service == nil, inUse > 1000 { isFullUntil = now + 0.5 }
        for core in all { core.reportEvictions() }
    }

    /// The service with the least recently used data, and the time up to which that remains so.
    private func leastRecentlyUsed(of all: [ServiceCore]) -> (ServiceCore, until: Double)? {
        var (first, end) = (nil as (core: ServiceCore, use: Double)?, Double.infinity)
        for core in all {
            guard let use = core.table.firstUse else { continue }
            if let known = first, known.use <= use {
                end = min(end, use)
            } else {
                end = first?.use ?? end
                first = (core, use)
            }
        }
        return first.map { ($0.core, end) }
    }

    func refusal(of what: String, in service: ServiceCore? = nil) -> TransportError {
        let whose = service.map { "the service '\($0.name)'" } ?? "the host"
        let limit = service?.contentLimit ?? limit
        return TransportError(
            .tooLarge, phase: .receive,
            message: "there is no room for \(what): \(whose) holds \(limit) bytes of content at most, "
                + "and content that is observed or in transfer must stay",
            limit: limit)
    }
}
