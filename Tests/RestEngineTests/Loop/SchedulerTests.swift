import RestEngine
import Testing

@EngineActor
struct SchedulerTests {
    @Test func `work queued in a turn runs in the next`() {
        let scheduler = Scheduler(clock: ManualClock())
        var log: [String] = []
        scheduler.nextTurn {
            log.append("a")
            scheduler.nextTurn { log.append("b") }
        }
        scheduler.runTurn()
        #expect(log == ["a"])
        scheduler.runTurn()
        #expect(log == ["a", "b"])
        #expect(!scheduler.hasWork)
    }

    @Test func `timers run by deadline, then in the order they were set`() {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        var log: [Int] = []
        scheduler.after(2) { log.append(3) }
        scheduler.after(1) { log.append(1) }
        scheduler.after(1) { log.append(2) }
        scheduler.after(1) { log.append(9) }.cancel()
        #expect(!scheduler.runTurn())
        clock.advance(by: 2)
        #expect(scheduler.runTurn())
        #expect(log == [1, 2, 3])
    }
}
