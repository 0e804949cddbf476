import Synchronization

/// The roof over what resources and caches in memory hold and what is on its way to them, in bytes, for all
/// services of an engine (rules 23.4, D38, D42).
///
/// When something new finds no room, resources go that nobody holds: those without data first, then what is
/// in caches in memory, then what was not used for longest. One that somebody holds stays, as one that was
/// never loaded: its data goes, the published form, and the error with its body; caches are asked again at
/// its next use. What somebody observes, or what has a request under way, keeps its data and gives up the
/// published form alone, which the next reader has made anew. If that is not enough, the new thing is
/// refused: a load, or a local change, fails with `too_large`, and the data that was there stays.
@EngineActor
public final class ContentBudget {
    /// A quarter of the memory that this process may have: of its control group, else of the machine.
    public nonisolated static let standardLimit = MachineMemory.current.bytes / 4

    /// Bytes; ``standardLimit`` until it is set. Less than is held drops what is too much at once.
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
    /// No standard limit is lower. Below it the system isn't asked for one: a short command gets by without.
    private nonisolated static let least = 1 << 20

    private nonisolated func allows(_ bytes: Int) -> Bool {
        let limit = sharedLimit.load(ordering: .relaxed)
        return limit < 0 ? bytes <= Self.least || bytes <= Self.standardLimit : bytes <= limit
    }

    /// Bytes that resources hold, themselves included, and caches in memory.
    public var heldBytes: Int { accounting.bytes }

    /// Bytes of bodies on their way.
    public var bodyBytes: Int { bodies.bytes }

    /// Contents that were dropped to make room, since the start.
    public private(set) var droppedContents = 0

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
    /// Until then nothing can be dropped: a look found only what must stay.
    private var isFullUntil = 0.0
    private let clock = SystemClock()

    nonisolated init() {}

    /// Takes note of a cache; its end needs no telling.
    func share(of cache: MemoryCache) -> ContentShare {
        caches.removeAll { $0.cache == nil }
        caches.append(MemberCache(cache: cache))
        return ContentShare(self)
    }

    private nonisolated var usedBytes: Int { accounting.bytes + bodies.bytes }

    /// Takes note of a service; its end needs no telling.
    func add(_ core: ServiceCore) {
        if services.count >= nextCleaning {
            services.removeAll { $0.core == nil }
            nextCleaning = 2 * services.count + 16
        }
        services.append(Member(core: core))
    }

    /// Whether there is room for so many bytes more as it is. Any thread.
    nonisolated func hasRoom(for bytes: Int) -> Bool {
        allows(usedBytes + bytes)
    }

    /// Makes room for so many bytes more, and some on top, so that the next few have room too. False when
    /// there is none.
    @discardableResult
    func makeRoom(for bytes: Int, sparing spared: Resource? = nil) -> Bool {
        if hasRoom(for: bytes) { return true }
        let goal = limit - limit / 16 - bytes
        evict(sparing: spared, of: nil) { [self] in usedBytes <= goal }
        return hasRoom(for: bytes)
    }

    /// The same below the limit of one service.
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

    /// Those without data first, then the least recently used. Runs nobody's code: libcurl may be calling.
    private func evict(sparing spared: Resource?, of service: ServiceCore?, until isEnough: () -> Bool) {
        let now = clock.uptime
        guard now >= isFullUntil else { return }
        let all = service.map { [$0] } ?? services.compactMap(\.core)
        var inUse = 0
        /// The first of a queue goes, or to its end.
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
        // Each is met twice when it was used since.
        var left = 2 * all.reduce(0) { $0 + $1.table.withData.count }
        while left > 0, !isEnough(), let (core, end) = leastRecentlyUsed(of: all) {
            repeat {
                evictFirst(of: core, withData: true)
                left -= 1
            } while left > 0 && !isEnough() && core.table.firstUse.map { $0 <= end } ?? false
        }
        // Looking at many that must stay for each chunk of a body would take longer than the body.
        if !isEnough(), service == nil, inUse > 1000 { isFullUntil = now + 0.5 }
        for core in all { core.reportEvictions() }
    }

    /// Whose data was not used for longest, and until when that is so.
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
                + "and what is observed or on its way has to stay",
            limit: limit)
    }
}
