import HeapModule
import Synchronization

/// How often one client may ask.
public struct GatewayRate: Sendable, Equatable {
    public var requests: Double
    /// Seconds.
    public var per: Double
    /// How many may come at once.
    public var burst: Double

    public init(requests: Double, per: Double = 1, burst: Double? = nil) {
        self.requests = requests
        self.per = per
        self.burst = max(1, burst ?? requests)
    }
}

enum ClientNetwork {
    /// By what limits know the client of an address: an address of IPv4; of IPv6 the first 64 bits, for a
    /// client has all that begin so (RFC 6177 2).
    static func name(ofAddress address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let groups = address.prefix { $0 != "%" }.split(separator: ":", omittingEmptySubsequences: false)
        if let last = groups.last, last.contains(".") { return String(last) }
        // Two colons stand for as many zeros as are missing.
        let gap = groups.firstIndex(of: "") ?? groups.count
        let (head, tail) = (groups[..<gap], groups[gap...].filter { !$0.isEmpty })
        let zeros = repeatElement(Substring("0"), count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":") + "::/64"
    }
}

/// A bucket for each client, by token or address.
final class ClientRates: Sendable {
    private struct Bucket {
        var level: Double
        var time: Double
    }

    /// When a bucket is full again, as of the last look: by now that may be later, but not sooner.
    private struct Refill: Comparable {
        let full: Double
        let client: String

        static func < (a: Refill, b: Refill) -> Bool { a.full < b.full }
    }

    private struct Table {
        var buckets: [String: Bucket] = [:]
        /// One for each bucket.
        var refills = Heap<Refill>()
    }

    /// For one more, the client is forgotten whose bucket is full again first: of those that ask alike the
    /// oldest. So no crowd of addresses gives a client back what it has used.
    private static let limit = 10_000
    private let rate: GatewayRate
    private let table = Mutex(Table())

    init(_ rate: GatewayRate) { self.rate = rate }

    private var speed: Double { rate.requests / rate.per }

    /// Seconds until the client may ask; nil: now, and that counts.
    func wait(_ client: String, now: Double) -> Double? {
        table.withLock { table in
            if let index = table.buckets.index(forKey: client) {
                return take(from: &table.buckets.values[index], at: now)
            }
            if table.buckets.count >= Self.limit { forgetFirst(of: &table) }
            var bucket = Bucket(level: rate.burst, time: now)
            let wait = take(from: &bucket, at: now)
            table.buckets[client] = bucket
            table.refills.insert(Refill(full: fullTime(of: bucket), client: client))
            return wait
        }
    }

    private func take(from bucket: inout Bucket, at now: Double) -> Double? {
        bucket.level = min(rate.burst, bucket.level + max(0, now - bucket.time) * speed)
        bucket.time = now
        guard bucket.level < 1 else {
            bucket.level -= 1
            return nil
        }
        return (1 - bucket.level) / speed
    }

    private func fullTime(of bucket: Bucket) -> Double { bucket.time + (rate.burst - bucket.level) / speed }

    /// A request moves nobody in the heap. Who has asked since its place was found gets another one here,
    /// once for all its requests.
    private func forgetFirst(of table: inout Table) {
        while let first = table.refills.min, let bucket = table.buckets[first.client] {
            let full = fullTime(of: bucket)
            guard full > first.full else {
                table.buckets[first.client] = nil
                table.refills.removeMin()
                return
            }
            table.refills.replaceMin(with: Refill(full: full, client: first.client))
        }
    }
}

/// What each client has under way, by token or address.
final class ClientSlots: Sendable {
    private let most: Int
    private let taken = Mutex<[String: Int]>([:])

    init(_ most: Int) { self.most = most }

    /// Nil when the client has as many as it may.
    func take(for client: String) -> ClientSlot? {
        let isFree = taken.withLock { taken in
            let count = taken[client] ?? 0
            guard count < most else { return false }
            taken[client] = count + 1
            return true
        }
        return isFree ? ClientSlot(self, client) : nil
    }

    fileprivate func giveBack(_ client: String) {
        taken.withLock { taken in
            let count = taken[client] ?? 0
            taken[client] = count > 1 ? count - 1 : nil
        }
    }
}

/// One of them: given back when nobody holds it any more.
final class ClientSlot {
    private let slots: ClientSlots
    private let client: String

    fileprivate init(_ slots: ClientSlots, _ client: String) {
        self.slots = slots
        self.client = client
    }

    deinit { slots.giveBack(client) }
}
