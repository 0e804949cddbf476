import RestEngine
import Synchronization
import TestSupport
import Testing

struct EngineLoopTests {
    @Test func `submitted calls run on the loop, in the order of sending`() async {
        let journal = await Journal()
        for number in 0..<1000 { EngineLoop.shared.submit { journal.note("\(number)") } }
        #expect(await EngineActor.run { EngineLoop.shared.isCurrent })
        #expect(!EngineLoop.shared.isCurrent)
        #expect(await journal.lines == (0..<1000).map(String.init))
    }

    @Test func `a call submitted by a call runs in a later pass`() async {
        let journal = await Journal()
        let _: Bool? = await waiting(for: "two calls") { notified in
            EngineLoop.shared.submit {
                EngineLoop.shared.submit {
                    journal.note("inner")
                    notified(true)
                }
                journal.note("outer")
            }
        }
        #expect(await journal.lines == ["outer", "inner"])
    }

    @Test func `timers that are due together let others in between when they take long`() async {
        let journal = await Journal()
        let _: Bool? = await waiting(for: "five timers") { notified in
            EngineLoop.shared.submit {
                let scheduler = Scheduler()
                for number in 0..<5 {
                    scheduler.after(0) {
                        if number == 0 { EngineLoop.shared.submit { journal.note("other") } }
                        let end = ContinuousClock.now + .milliseconds(11)
                        while ContinuousClock.now < end {}
                        journal.note("\(number)")
                        guard number == 4 else { return }
                        // The scheduler has no other owner.
                        scheduler.clear()
                        notified(true)
                    }
                }
            }
        }
        #expect(await journal.lines == ["0", "other", "1", "2", "3", "4"])
    }

    @Test func `calls that take long let ticks and urgent questions in between, and keep their order`() async
    {
        let journal = await Journal()
        let _: Bool? = await waiting(for: "four calls") { notified in
            EngineLoop.shared.submit {
                let scheduler = Scheduler()
                for number in 0..<4 {
                    EngineLoop.shared.submit {
                        if number == 0 {
                            EngineLoop.shared.submitUrgent { journal.note("urgent") }
                            scheduler.nextTick { journal.note("turn") }
                        }
                        let end = ContinuousClock.now + .milliseconds(11)
                        while ContinuousClock.now < end {}
                        journal.note("\(number)")
                        if number == 3 { notified(true) }
                    }
                }
            }
        }
        #expect(await journal.lines == ["0", "turn", "urgent", "1", "2", "3"])
    }

    @Test func `calls of many threads all run, each thread's in order`() async {
        let journal = await Journal()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask {
                    for number in 0..<500 { EngineLoop.shared.submit { journal.note("\(sender) \(number)") } }
                }
            }
        }
        let lines = await journal.lines
        for sender in 0..<4 {
            #expect(lines.filter { $0.hasPrefix("\(sender) ") } == (0..<500).map { "\(sender) \($0)" })
        }
    }

    @Test func `run gives result and error back`() async throws {
        #expect(await EngineActor.run { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await EngineActor.run { throw CancellationError() }
        }
    }

    @Test @EngineActor func `assumeIsolated runs here and now on the loop`() {
        #expect(EngineActor.assumeIsolated { EngineLoop.shared.isCurrent })
        #expect(EngineLoop.shared.isIsolatingCurrentContext() == true)
    }

    @Test func `the wrong thread stops the process, naming both threads`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            EngineActor.assumeIsolated {}
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("resthost: wrong thread"))
        #expect(message.contains("what: engine state was used outside its thread"))
        #expect(message.contains("home: thread 'engine loop' ("))
        let here = try #require(message.split(separator: "\n").first { $0.contains("here: thread '") })
        #expect(!here.contains("engine loop"))
    }

    @Test func `the loop runs timers of the system's clock`() async {
        let _: Bool? = await waiting(for: "a timer") { notified in
            EngineLoop.shared.submit {
                let scheduler = Scheduler()
                scheduler.after(0) {
                    withExtendedLifetime(scheduler) { notified(true) }
                }
            }
        }
    }

    @Test func `sending wakes the loop while it waits, and not while it handles events`() async {
        await #expect(processExitsWith: .success) {
            let poller = WatchedPoller()
            await EngineActor.run { EngineLoop.shared.install(poller) }
            let _: Bool? = await waiting(for: "the loop to wait") { notified in
                poller.whenDone.withLock { $0 = notified }
            }
            #expect(poller.wakes(during: .handling) == 0)
            #expect(poller.wakes(during: .waiting) == 1)
        }
    }
}

/// Sends work from another thread, twice in each of its two calls, and counts how often it is woken.
private final class WatchedPoller: Poller {
    enum Phase: Hashable { case handling, waiting }

    let whenDone = Mutex<(@Sendable (Bool) -> Void)?>(nil)
    private let wakes = Mutex<[Phase: Int]>([:])
    private let phase = Mutex(Phase.handling)

    func wakes(during phase: Phase) -> Int { wakes.withLock { $0[phase, default: 0] } }

    func handle(polling: Bool) -> Bool {
        send(during: .handling)
        return false
    }

    func wait(milliseconds: Int32) {
        send(during: .waiting)
        whenDone.withLock { waiting in
            guard wakes(during: .waiting) > 0 else { return }
            waiting?(true)
            waiting = nil
        }
    }

    func wake() {
        let phase = phase.withLock { $0 }
        wakes.withLock { $0[phase, default: 0] += 1 }
    }

    /// Sends once for each.
    private func send(during phase: Phase) {
        self.phase.withLock { $0 = phase }
        guard wakes.withLock({ $0.updateValue($0[phase] ?? 0, forKey: phase) == nil }) else { return }
        let isSent = Gate()
        Task.detached {
            for _ in 0..<2 { EngineLoop.shared.submit {} }
            isSent.open()
        }
        isSent.wait(for: "another task to send")
    }
}
