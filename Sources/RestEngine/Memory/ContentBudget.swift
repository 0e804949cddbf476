import HeapModule
import Synchronization

/// The roof over what resources hold and what is on its way to them, in bytes, for all services of an engine
/// (rules 23.4, D38).
///
/// When something new finds no room, content goes that was not used for longest: data, its published form,
/// and the error with its body. The resource stays, as one that was never loaded; caches are asked again at
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

    /// Bytes that resources hold.
    public var heldBytes: Int { ledger.bytes }

    /// Bytes of bodies on their way.
    public var bodyBytes: Int { bodies.bytes }

    /// Contents that were dropped to make room, since the start.
    public private(set) var droppedContents = 0

    nonisolated let ledger = ContentLedger()
    nonisolated let bodies = ContentLedger()

    /// A resource with content, by when it was used last as far as is known here; readers on other threads
    /// may have used it since.
    private struct Candidate: Comparable {
        let lastUse: Double
        let holder: BudgetedResource

        static func < (a: Candidate, b: Candidate) -> Bool { a.lastUse < b.lastUse }
        static func == (a: Candidate, b: Candidate) -> Bool { a.lastUse == b.lastUse }
    }
    private var candidates = Heap<Candidate>()
    /// How many of them were of live resources when that was counted last.
    private var liveCandidates = 0
    /// Until then nothing can be dropped: a look found only what must stay.
    private var isFullUntil = 0.0
    private let clock = SystemClock()

    nonisolated init() {}

    private nonisolated var usedBytes: Int { ledger.bytes + bodies.bytes }

    /// Takes note of a resource that holds something now.
    func add(_ resource: Resource) {
        let holder = BudgetedResource(resource)
        resource.budgeted = holder
        candidates.insert(Candidate(lastUse: resource.lastUse, holder: holder))
        if candidates.count > 2 * liveCandidates + 1024 {
            candidates = Heap(candidates.unordered.filter { $0.holder.resource != nil })
            liveCandidates = candidates.count
        }
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
        let ledger = service.ledger
        let wanted = ledger.bytes + bytes
        if wanted > service.cachedResourceBytesLimit ?? .max || !allows(wanted) {
            let limit = service.contentLimit
            let goal = limit - limit / 16 - bytes
            evict(sparing: spared, of: service) { ledger.bytes <= goal }
            if ledger.bytes + bytes > limit { return false }
        }
        return makeRoom(for: bytes, sparing: spared)
    }

    /// The least recently used first. Runs nobody's code: libcurl may be calling.
    private func evict(sparing spared: Resource?, of service: ServiceCore?, until isEnough: () -> Bool) {
        let now = clock.uptime
        guard now >= isFullUntil else { return }
        var staying: [Candidate] = []
        while !isEnough(), let candidate = candidates.popMin() {
            guard let resource = candidate.holder.resource else { continue }
            if resource.lastUse > candidate.lastUse {
                candidates.insert(Candidate(lastUse: resource.lastUse, holder: candidate.holder))
                continue
            }
            if resource !== spared, service == nil || resource.core === service {
                let isBusy = resource.observers != nil || resource.isRequesting || resource.isLoading
                if isBusy { resource.dropEncoding() } else { resource.dropContent() }
                droppedContents += 1
            }
            if resource.heldBytes > 0 { staying.append(candidate) } else { resource.budgeted = nil }
        }
        // Looking at many that must stay for each chunk of a body would take longer than the body.
        if !isEnough(), service == nil, staying.count > 1000 { isFullUntil = now + 0.5 }
        for candidate in staying { candidates.insert(candidate) }
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

/// A resource as the budget knows it: its end needs no telling.
final class BudgetedResource {
    private(set) weak var resource: Resource?

    init(_ resource: Resource) { self.resource = resource }
}
