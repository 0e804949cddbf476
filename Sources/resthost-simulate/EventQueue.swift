/// The virtual time, and what happens at which time. Events of one time happen in the order in which they
/// were planned, so that a seed always gives the same run.
final class EventQueue {
    private struct Event {
        let time: Double
        let order: Int
        let run: () -> Void

        func isBefore(_ other: Event) -> Bool { (time, order) < (other.time, other.order) }
    }

    private(set) var now = 0.0
    private(set) var count = 0
    private var heap: [Event] = []
    private var planned = 0

    func after(_ seconds: Double, _ run: @escaping () -> Void) { at(now + max(0, seconds), run) }

    func at(_ time: Double, _ run: @escaping () -> Void) {
        planned += 1
        heap.append(Event(time: max(time, now), order: planned, run: run))
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    func run(until end: Double) {
        while let first = heap.first, first.time <= end {
            removeFirst()
            now = first.time
            count += 1
            first.run()
        }
        now = end
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}

/// Random numbers that a seed determines (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    mutating func seconds(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
