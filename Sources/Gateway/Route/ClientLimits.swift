import HeapModule
import Synchronization

/// The rate at which one client may send requests.
public struct GatewayRate: Sendable, Equatable {
    public var requests: Double
    /// Seconds.
    public var per: Double
    /// The number of requests that may come at once.
    public var burst: Double

    public init(requests: Double, per: Double = 1, burst: Double? = nil) {
        self.requests = requests
        self.per = per
        self.burst = max(1, burst ?? requests)
    }
}

enum ClientNetwork {
    /// The name by which limits know a client by its address: the whole address for IPv4; the first 64 bits
    /// for IPv6, because a client has all addresses that begin with them (RFC 6177 2).
    static func name(ofAddress address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let groups = address.prefix { $0 != "%" }.split(separator: ":", omittingEmptySubsequences: false)
        if let last = groups.last, last.contains(".") { return String(last) }
        // Two colons stand for the missing zeros.
        let gap = groups.firstIndex(of: "") ?? groups.count
        let (head, tail) = (groups[..<gap], groups[gap...].filter { !$0.isEmpty })
        let zeros = repeatElement(Substring("0"), count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":") + "::/64"
    }
}

/// A token bucket for each client, by token or address.
final class ClientRates: Sendable {
    private struct Bucket {
        var level: Double
        var time: Double
    }

    /// The time at which a bucket is full, as of the last check. The real time may be later by now, but not
    /// sooner.
    private struct Refill: Comparable {
        let full: Double
        let client: String

        static func < (a: Refill, b: Refill) -> Bool { a.full < b.full }
    }

    private struct Table {
        var buckets: [String: Bucket] = [:]
        /// One entry for each bucket.
        var refills = Heap<Refill>()
    }

    /// At this limit a new client replaces the one whose bucket is full first; of equal ones, the oldest. So
    /// many addresses together can't give a client its used requests back.
    private static let limit = 10_000
    private let rate: GatewayRate
    private let table = Mutex(Table())

    init(_ rate: GatewayRate) { self.rate = rate }

    private var speed: Double { rate.requests / rate.per }

    /// Seconds until the client may send a request. Nil: it may send it now, and the request is counted.
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

    /// A request doesn't move its client in the heap. A client that has sent requests since it was placed
    /// gets a new place here, once for all of them.
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

/// The requests that each client has under way, by token or address.
final class ClientSlots: Sendable {
    private let most: Int
    private let taken = Mutex<[String: Int]>([:])

    init(_ most: Int) { self.most = most }

    /// Nil if the client has as many as it may.
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

/// One slot. It is free again when its last reference goes.
final class ClientSlot: Sendable {
    private let slots: ClientSlots
    private let client: String

    fileprivate init(_ slots: ClientSlots, _ client: String) {
        self.slots = slots
        self.client = client
    }

    deinit { slots.giveBack(client) }
}
