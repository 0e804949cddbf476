import TestSupport
import Testing

@testable import RestEngine

@EngineActor
struct TimerHeapTests {
    private let scheduler = Scheduler(clock: ManualClock())

    private func makeTimer() -> EngineTimer { EngineTimer(on: scheduler) {} }

    @Test func `timers come by deadline, then in the order they were set`() {
        var heap = TimerHeap()
        let timers = [3.0, 1, 2, 1, .infinity, 2, 1].map { deadline in
            let timer = makeTimer()
            heap.insert(timer, at: deadline)
            return timer
        }
        #expect(heap.count == 7 && heap.firstDeadline == 1)
        let order = [1, 3, 6, 2, 5, 0, 4]
        for index in order {
            #expect(heap.popFirst(dueAt: .infinity, setUpTo: heap.lastOrder) === timers[index])
        }
        #expect(heap.count == 0 && heap.firstDeadline == nil)
        #expect(heap.popFirst(dueAt: .infinity, setUpTo: heap.lastOrder) == nil)
    }

    @Test func `a timer that is not due or came later is not taken`() {
        var heap = TimerHeap()
        let (early, late) = (makeTimer(), makeTimer())
        heap.insert(early, at: 1)
        let order = heap.lastOrder
        heap.insert(late, at: 1)
        #expect(heap.popFirst(dueAt: 0.5, setUpTo: order) == nil)
        #expect(heap.popFirst(dueAt: 1, setUpTo: order) === early)
        #expect(heap.popFirst(dueAt: 1, setUpTo: order) == nil)
        #expect(heap.popFirst(dueAt: 1, setUpTo: heap.lastOrder) === late)
    }

    @Test func `a timer that has left has no effect`() {
        var heap = TimerHeap()
        let (first, second) = (makeTimer(), makeTimer())
        heap.insert(first, at: 1)
        heap.insert(second, at: 2)
        heap.remove(first)
        heap.remove(first)
        #expect(heap.count == 1 && heap.firstDeadline == 2)
        #expect(heap.removeAll().count == 1)
        heap.remove(second)
        #expect(heap.count == 0)
    }

    /// The heap must behave like a list that is sorted at each change.
    @Test func `random timers come and leave as those of a sorted list`() {
        struct Listed {
            let deadline: Double
            let timer: EngineTimer
        }
        var random = SeededRandom(seed: 40)
        var heap = TimerHeap()
        var list: [Listed] = []
        for _ in 0..<5000 {
            switch random.int(below: 5) {
            case 0, 1, 2:
                let new = Listed(deadline: Double(random.int(below: 50)), timer: makeTimer())
                heap.insert(new.timer, at: new.deadline)
                // Inserts it behind all timers with the same deadline.
                let place = list.firstIndex { $0.deadline > new.deadline } ?? list.count
                list.insert(new, at: place)
            case 3 where !list.isEmpty:
                heap.remove(list.remove(at: random.int(below: list.count)).timer)
            default:
                let uptime = Double(random.int(below: 50))
                let isDue = list.first.map { $0.deadline <= uptime } ?? false
                let expected = isDue ? list.removeFirst().timer : nil
                #expect(heap.popFirst(dueAt: uptime, setUpTo: heap.lastOrder) === expected)
            }
            #expect(heap.count == list.count && heap.firstDeadline == list.first?.deadline)
        }
        while let next = list.first {
            list.removeFirst()
            #expect(heap.popFirst(dueAt: 50, setUpTo: heap.lastOrder) === next.timer)
        }
    }
}
