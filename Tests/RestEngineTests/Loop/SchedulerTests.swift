import TestSupport
import Testing

@testable import RestEngine

@EngineActor
struct SchedulerTests {
    @Test func `work queued in a tick runs in the next`() {
        let scheduler = Scheduler(clock: ManualClock())
        var log: [String] = []
        scheduler.nextTick {
            log.append("a")
            scheduler.nextTick { log.append("b") }
        }
        scheduler.runTick()
        #expect(log == ["a"])
        scheduler.runTick()
        #expect(log == ["a", "b"])
        #expect(!scheduler.hasWork)
    }

    @Test func `work in parts lets others have their turn`() {
        let scheduler = Scheduler(clock: HastyClock())
        var log: [String] = []
        var left = 12
        scheduler.inParts {
            left -= 1
            log.append("\(left)")
            if left == 11 { scheduler.nextTick { log.append("other") } }
            return left > 0
        }
        #expect(log.count < 10)
        while scheduler.runTick() {}
        let place = log.firstIndex(of: "other")
        #expect(place.map { (2..<12).contains($0) } == true, "\(log)")
        #expect(log.filter { $0 != "other" } == (0..<12).reversed().map(String.init))
    }

    @Test func `timers run by deadline, then in the order they were set`() {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        var log: [Int] = []
        scheduler.after(2) { log.append(3) }
        scheduler.after(1) { log.append(1) }
        scheduler.after(1) { log.append(2) }
        scheduler.after(1) { log.append(9) }.cancel()
        #expect(!scheduler.runTick())
        clock.advance(by: 2)
        #expect(scheduler.runTick())
        #expect(log == [1, 2, 3])
    }

    @Test func `what a timer queues or sets runs in a later tick`() {
        let scheduler = Scheduler(clock: ManualClock())
        var log: [String] = []
        scheduler.after(0) {
            log.append("timer")
            scheduler.nextTick { log.append("queued") }
            scheduler.after(0) { log.append("timer of timer") }
        }
        #expect(scheduler.runTick())
        #expect(log == ["timer"])
        #expect(scheduler.timeUntilWork == 0)
        #expect(scheduler.runTick())
        #expect(log == ["timer", "timer of timer", "queued"])
        #expect(!scheduler.runTick())
    }

    @Test func `a timer may cancel another that is due with it`() {
        let scheduler = Scheduler(clock: ManualClock())
        var second: EngineTimer?
        var log: [String] = []
        scheduler.after(0) { second?.cancel() }
        second = scheduler.after(0) { log.append("second") }
        scheduler.runTick()
        #expect(log.isEmpty)
    }

    @Test func `the time until work, without cancelled timers`() {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        #expect(scheduler.timeUntilWork == nil && !scheduler.hasWork)
        let timer = scheduler.after(1) {}
        scheduler.after(3) {}
        clock.advance(by: 0.5)
        #expect(scheduler.timeUntilWork == 0.5)
        timer.cancel()
        #expect(scheduler.timeUntilWork == 2.5)
        scheduler.nextTick {}
        #expect(scheduler.timeUntilWork == 0)
    }

    @Test func `cancelled timers leave at once`() {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        var runs = 0
        scheduler.after(.seconds(1)) { runs += 1 }
        scheduler.after(.seconds(90_000)) { runs += 1 }
        for _ in 0..<10_000 {
            scheduler.after(.seconds(86_400)) { runs += 100 }.cancel()
            #expect(scheduler.armedTimers == 2)
        }
        let live = (0..<500).map { number in scheduler.after(.seconds(10 + number)) { runs += 1 } }
        for timer in live.prefix(250) { timer.cancel() }
        #expect(scheduler.armedTimers == 252)
        clock.advance(by: 100_000)
        scheduler.runTick()
        #expect(runs == 252 && scheduler.armedTimers == 0)
        // Timers that have run or been cancelled don't affect others.
        for _ in 0..<1000 { scheduler.after(.seconds(5)) { runs += 1 } }
        for timer in live { timer.cancel() }
        #expect(scheduler.armedTimers == 1000)
    }

    @Test func `a cancelled timer holds nothing, due or not`() {
        final class Thing {}
        let scheduler = Scheduler(clock: ManualClock())
        weak var held: Thing?
        func makeTimer(_ delay: Double) -> EngineTimer {
            let thing = Thing()
            held = thing
            return scheduler.after(delay) { _ = thing }
        }
        for delay in [0, 1.0] {
            let timer = makeTimer(delay)
            #expect(held != nil)
            timer.cancel()
            #expect(held == nil && !scheduler.hasWork)
        }
    }

    @Test func `a timer outlives its scheduler, and what was cleared, without harm`() {
        var scheduler: Scheduler? = Scheduler(clock: ManualClock())
        weak let gone = scheduler
        let cleared = [scheduler?.after(1) {}, scheduler?.after(2) {}]
        scheduler?.clear()
        let kept = scheduler?.after(3) {}
        for timer in cleared { timer?.cancel() }
        #expect(scheduler?.armedTimers == 1)
        scheduler = nil
        #expect(gone == nil)
        kept?.cancel()
    }

    @Test func `a clock set back holds no timer up`() {
        let clock = ManualClock(now: 100)
        let scheduler = Scheduler(clock: clock)
        var count = 0
        scheduler.after(5) { count += 1 }
        clock.set(10)
        clock.advance(by: 5)
        scheduler.runTick()
        #expect(count == 1 && scheduler.now == 15)
    }

    @Test func `armed timers are counted and the next is known`() {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        #expect(scheduler.armedTimers == 0 && scheduler.nextDeadline == nil)
        let timer = scheduler.after(1) {}
        scheduler.after(3) {}
        #expect(scheduler.armedTimers == 2 && scheduler.nextDeadline == 1)
        timer.cancel()
        #expect(scheduler.armedTimers == 1 && scheduler.nextDeadline == 3)
        clock.move(toUptime: 3, now: 1_000_003)
        scheduler.runTick()
        #expect(scheduler.armedTimers == 0 && scheduler.nextDeadline == nil)
    }

    @Test func `what is cleared never runs and holds nothing`() {
        final class Thing {}
        let scheduler = Scheduler(clock: ManualClock())
        weak var held: Thing?
        do {
            let thing = Thing()
            held = thing
            scheduler.nextTick { _ = thing }
            scheduler.after(0) { _ = thing }
        }
        #expect(held != nil)
        scheduler.clear()
        #expect(held == nil && !scheduler.runTick() && !scheduler.hasWork)
    }

    @Test func `a clock is moved to a point, never back`() {
        let clock = ManualClock()
        clock.move(toUptime: 0.1, now: 1_000_000.1)
        #expect(clock.uptime == 0.1 && clock.now == 1_000_000.1)
        clock.move(toUptime: 0, now: 5)
        #expect(clock.uptime == 0.1 && clock.now == 5)
    }
}
