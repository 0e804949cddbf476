import Coordination

/// The value of a resource, as a host loads it and the server keeps it.
struct Value: Equatable {
    /// Counts the changes of the API.
    var version: Int
    /// The virtual time at which the API read it.
    var read: Double
    /// The wall clock of the host that loaded it.
    var timestamp: Double
}

/// A small model of Redis: keys with times, a stream, messages, and the scripts of leases, limits and
/// invalidations, each of which is one step.
final class VirtualServer {
    private struct Key {
        var lease: (token: UInt64, until: Double)?
        /// The newest number, and when its value was written.
        var number: Int64?
        var written: Double?
        var entry: Value?
        var waiters: Set<Int> = []
    }

    private struct Reader {
        let ticket: Int
        let after: Int64
        let answer: ([InvalidationEntry]) -> Void
    }

    /// A promise that a test breaks, to show that the assertions find it.
    var broken: Set<Promise> = []
    var isDown = false
    private let queue: EventQueue
    private let mostEntries: Int
    private var keys: [Int: Key] = [:]
    private var generation: Int64 = 0
    private var log: [(id: Int64, entry: InvalidationEntry)] = []
    private(set) var epoch = ""
    private(set) var number: Int64 = 0
    private var lastID: Int64 = 0
    private var readers: [Int: Reader] = [:]
    private var tickets = 0
    private var epochs = 0
    private var clockOffset = 1_000.0
    private var limit = LimitCount()
    /// Numbers with which a value was written, by resource.
    private(set) var writes: [Int: Set<Int64>] = [:]
    private(set) var doubleWrites = 0
    private(set) var droppedWrites = 0
    /// Sends a host the message that the holder of a key has ended.
    var publish: (_ host: Int, _ resource: Int) -> Void = { _, _ in }

    /// Sends a host the message that there is a permit for it.
    var publishPermit: (_ host: Int) -> Void = { _ in }

    init(_ queue: EventQueue, mostEntries: Int) { (self.queue, self.mostEntries) = (queue, mostEntries) }

    /// Its clock in microseconds, as `TIME` gives it.
    private var microseconds: Int64 { Int64((queue.now + clockOffset) * 1_000_000) }

    func restartEmpty(clockStep: Double) {
        keys = [:]
        generation = 0
        limit = LimitCount()
        log = []
        (epoch, number, lastID) = ("", 0, 0)
        readers = [:]
        clockOffset += clockStep
    }

    // MARK: The scripts of leases

    func entry(_ resource: Int) -> Value? { keys[resource]?.entry }

    func acquire(_ resource: Int, _ token: UInt64, host: Int, seconds: Double) -> LeaseAnswer {
        var key = keys[resource] ?? Key()
        defer { keys[resource] = key }
        if let lease = key.lease, lease.until > queue.now, lease.token != token {
            key.waiters.insert(host)
            return .held(number: key.number ?? 0, seconds: lease.until - queue.now)
        }
        key.lease = (token, queue.now + seconds)
        if !broken.contains(.numbers) || key.number == nil { key.number = next(key.number) }
        return .granted(
            LeaseGrant(number: key.number ?? 0, generation: generation),
            sinceWrite: key.written.map { queue.now - $0 })
    }

    func renew(_ resource: Int, _ token: UInt64, seconds: Double) {
        guard let lease = keys[resource]?.lease, lease.until > queue.now, lease.token == token else { return }
        keys[resource]?.lease?.until = queue.now + seconds
    }

    /// A number that is larger than the last one, and than all of a life of the server before this one.
    private func next(_ number: Int64?) -> Int64 { max((number ?? 0) + 1, microseconds) }

    func finish(_ resource: Int, _ token: UInt64, _ grant: LeaseGrant?, _ value: Value?) {
        var key = keys[resource] ?? Key()
        var isOwn = false
        if let grant, let value {
            let isNewest = grant.number == key.number && grant.generation == generation
            if isNewest || broken.contains(.fencing) {
                key.entry = value
                key.written = queue.now
                isOwn = true
                if !writes[resource, default: []].insert(grant.number).inserted { doubleWrites += 1 }
            } else {
                droppedWrites += 1
            }
        }
        if key.lease?.token == token {
            key.lease = nil
            isOwn = true
        }
        let told = isOwn ? key.waiters : []
        if isOwn { key.waiters = [] }
        keys[resource] = key
        for host in told.sorted() { publish(host, resource) }
    }

    // MARK: The script of limits

    func count(_ question: LimitQuestion, of host: Int, _ limit: SharedLimit) -> LimitAnswer {
        if broken.contains(.counts) { self.limit = LimitCount() }
        let answer = self.limit.answer(question, from: "\(host)", limit, at: queue.now + clockOffset)
        for woken in self.limit.woken.compactMap({ Int($0) }) { publishPermit(woken) }
        return answer
    }

    /// Permits that it counts for hosts.
    var permits: Int { limit.permits(at: queue.now + clockOffset) }

    // MARK: The log

    /// Drops what the invalidation is about, and adds it to the log, in one step.
    func invalidate(
        _ invalidation: Invalidation, _ resources: [Int]?, host: String, serial: Int64
    ) {
        if let resources {
            for resource in resources { drop(resource) }
        } else {
            generation = next(generation)
            for resource in keys.keys.sorted() { drop(resource) }
        }
        if epoch.isEmpty {
            epochs += 1
            epoch = "epoch \(epochs)"
        }
        number += 1
        lastID = max(lastID + 1, microseconds)
        let entry = InvalidationEntry(
            id: "\(lastID)", epoch: epoch, number: number, host: host, serial: serial, invalidation)
        log.append((lastID, entry))
        // As MAXLEN ~ does, it trims in larger steps.
        if log.count > mostEntries + mostEntries / 4 { log.removeFirst(log.count - mostEntries) }
        for (host, reader) in readers.sorted(by: { $0.key < $1.key }) where lastID > reader.after {
            readers[host] = nil
            reader.answer([entry])
        }
    }

    /// The lease goes too: the load under way brings nothing that may be kept.
    private func drop(_ resource: Int) {
        guard var key = keys[resource] else { return }
        let told = key.waiters
        key.entry = nil
        key.written = nil
        if !broken.contains(.fencing) { key.number = next(key.number) }
        key.lease = nil
        key.waiters = []
        keys[resource] = key
        for host in told.sorted() { publish(host, resource) }
    }

    var end: InvalidationPlace? {
        number == 0 ? nil : InvalidationPlace(epoch: epoch, number: number, id: "\(lastID)")
    }

    private static let mostOfRead = 100

    /// Answers now, or when an entry comes, or with none after that time.
    func read(
        host: Int, after id: String, for seconds: Double, _ answer: @escaping ([InvalidationEntry]) -> Void
    ) {
        let after = Int64(id) ?? 0
        let start = log.lastIndex { $0.id <= after }.map { $0 + 1 } ?? 0
        let entries = log[start...].prefix(Self.mostOfRead).map(\.entry)
        guard entries.isEmpty else { return answer(entries) }
        tickets += 1
        let ticket = tickets
        readers[host] = Reader(ticket: ticket, after: after, answer: answer)
        queue.after(seconds) { [self] in
            guard readers[host]?.ticket == ticket else { return }
            readers[host] = nil
            answer([])
        }
    }
}

/// A promise that can be broken by intent.
enum Promise: String, CaseIterable {
    /// The server takes a value with any number.
    case fencing
    /// The server gives a number more than once.
    case numbers
    /// Hosts go on where entries of the log are missing.
    case gaps
    /// The server forgets the permits of all hosts at each message.
    case counts
}
