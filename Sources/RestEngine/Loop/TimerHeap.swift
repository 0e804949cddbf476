/// The timers of a scheduler by deadline; those with the same deadline in the order in which they were set.
/// Each timer knows its index in this binary heap, so a cancelled timer is removed at once.
@EngineActor
struct TimerHeap {
    private struct Entry {
        let deadline: Double
        let order: UInt64
        let timer: EngineTimer

        func isBefore(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : order < other.order
        }
    }

    private var entries: [Entry] = []
    /// The order of the timer that was set last.
    private(set) var lastOrder: UInt64 = 0

    nonisolated init() {}

    var count: Int { entries.count }
    var firstDeadline: Double? { entries.first?.deadline }

    mutating func insert(_ timer: EngineTimer, at deadline: Double) {
        lastOrder += 1
        let entry = Entry(deadline: deadline, order: lastOrder, timer: timer)
        entries.append(entry)
        rise(entry, from: entries.count - 1)
    }

    /// Takes the first timer, if it is due then and was not set after the timer with that order.
    mutating func popFirst(dueAt uptime: Double, setUpTo order: UInt64) -> EngineTimer? {
        guard let first = entries.first, first.deadline <= uptime, first.order <= order else { return nil }
        remove(first.timer)
        return first.timer
    }

    /// No effect on a timer that isn't in the heap.
    mutating func remove(_ timer: EngineTimer) {
        guard let place = timer.place, let last = entries.popLast() else { return }
        timer.place = nil
        guard place < entries.count else { return }
        // The last entry fills the gap and moves from there to its own place.
        if place > 0, last.isBefore(entries[(place - 1) / 2]) {
            rise(last, from: place)
        } else {
            sink(last, from: place)
        }
    }

    /// Takes all timers, in any order.
    mutating func removeAll() -> [EngineTimer] {
        let timers = entries.map(\.timer)
        for timer in timers { timer.place = nil }
        entries = []
        return timers
    }

    private mutating func rise(_ entry: Entry, from free: Int) {
        var place = free
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func sink(_ entry: Entry, from free: Int) {
        var place = free
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entry) else { break }
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        entry.timer.place = place
    }
}
