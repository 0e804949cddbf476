import DequeModule

/// Requests that wait for a limit, and their order (rules 42.2, 42.3): the highest priority first; within a
/// priority the services alternate; within a service the order of arrival. Every fourth slot goes to the
/// request that has waited longest, once that is half of the time it may wait, so that no request waits
/// forever.
struct WaitingList {
    typealias ID = UInt64

    struct Entry {
        let id: ID
        let priority: Int
        /// The name of the service.
        let queueKey: String
        /// The time at which it has waited half of its timeout.
        let ripe: Double
    }

    private struct KeyedQueue {
        let name: String
        var entries: Deque<ID> = []
    }

    private struct Level {
        let priority: Int
        /// The first one is next.
        var queues: Deque<KeyedQueue> = []
    }

    /// Highest first.
    private var levels: [Level] = []
    private var waiting: [ID: Entry] = [:]
    /// In the order of arrival; some have left.
    private var order: Deque<ID> = []
    private var round = 0
    private static let roundOfOldest = 4

    var count: Int { waiting.count }
    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ entry: Entry) {
        waiting[entry.id] = entry
        order.append(entry.id)
        let level = place(of: entry.priority)
        if let queueKey = levels[level].queues.firstIndex(where: { $0.name == entry.queueKey }) {
            levels[level].queues[queueKey].entries.append(entry.id)
        } else {
            levels[level].queues.append(KeyedQueue(name: entry.queueKey, entries: [entry.id]))
        }
    }

    private mutating func place(of priority: Int) -> Int {
        let place = levels.firstIndex { $0.priority <= priority } ?? levels.count
        if place == levels.count || levels[place].priority != priority {
            levels.insert(Level(priority: priority), at: place)
        }
        return place
    }

    /// A request stopped waiting; false when it wasn't in the list.
    mutating func remove(_ id: ID) -> Bool {
        guard waiting.removeValue(forKey: id) != nil else { return false }
        // Entries of requests that have left are removed from the queues when they outnumber the others.
        if order.count > 64, order.count > 2 * waiting.count { dropTraces() }
        return true
    }

    private mutating func dropTraces() {
        order.removeAll { waiting[$0] == nil }
        for level in levels.indices {
            for queueKey in levels[level].queues.indices {
                levels[level].queues[queueKey].entries.removeAll { waiting[$0] == nil }
            }
            levels[level].queues.removeAll { $0.entries.isEmpty }
        }
        levels.removeAll { $0.queues.isEmpty }
    }

    /// Takes the next request.
    mutating func next(at uptime: Double) -> ID? {
        guard !waiting.isEmpty else {
            self = WaitingList()
            return nil
        }
        round = (round + 1) % Self.roundOfOldest
        if round == 0, let oldest = oldest(at: uptime) { return take(oldest) }
        while var level = levels.first {
            while var queueKey = level.queues.popFirst() {
                while let id = queueKey.entries.popFirst() {
                    guard waiting[id] != nil else { continue }
                    if !queueKey.entries.isEmpty { level.queues.append(queueKey) }
                    levels[0] = level
                    return take(id)
                }
            }
            levels.removeFirst()
        }
        return nil
    }

    private mutating func oldest(at uptime: Double) -> ID? {
        while let id = order.first {
            guard let entry = waiting[id] else {
                order.removeFirst()
                continue
            }
            return entry.ripe <= uptime ? id : nil
        }
        return nil
    }

    /// Its entries in the queues are skipped later.
    private mutating func take(_ id: ID) -> ID {
        waiting[id] = nil
        while let first = order.first, waiting[first] == nil { order.removeFirst() }
        return id
    }
}
