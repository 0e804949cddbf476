import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import LuaRuntime

@Suite struct LuaPoolTests {
    /// The job of a worker.
    private enum Job: Sendable {
        case say(String)
        /// Waits for the other worker.
        case meet(Checkpoint)
        case spoil
        /// Reports that it hangs, and waits until the test lets it go.
        case hang(Checkpoint)
    }

    private final class Worker: LuaPoolWorker {
        let number: Int
        let onHang: @Sendable (LuaHang) -> Void
        let board: Board
        private(set) var isSpoiled = false

        init(_ board: Board, _ onHang: @escaping @Sendable (LuaHang) -> Void) {
            self.board = board
            self.onHang = onHang
            number = board.events.withLock { events in
                events.made += 1
                return events.made
            }
        }

        func perform(_ job: Job) -> String {
            switch job {
            case .say(let text): return "\(number): \(text)"
            case .meet(let gate): gate.pass()
            case .spoil: isSpoiled = true
            case .hang(let gate):
                onHang(LuaHang(phase: "hook", seconds: 3, limit: 1, isOver: false))
                gate.pass()
            }
            return "\(number): done"
        }

        private var tidied = 0

        /// There are three parts of tidying after each job.
        func tidy() -> Bool {
            tidied += 1
            guard tidied % 3 == 0 else { return false }
            board.note("tidied \(tidied)")
            return true
        }

        func close() -> LeakReport {
            board.note("closed \(number)")
            return LeakReport(hostObjects: 0, references: 0, waitingCoroutines: 0, bytes: 0)
        }
    }

    /// The pool's reports in their order.
    private final class Board: Sendable {
        struct Events {
            var made = 0
            var lines: [String] = []
        }
        let events = Mutex(Events())
        private let changed = DispatchSemaphore(value: 0)

        func note(_ line: String) {
            events.withLock { $0.lines.append(line) }
            changed.signal()
        }

        /// Waits for this number of lines, and returns them.
        func lines(_ count: Int, at location: SourceLocation = #_sourceLocation) -> [String] {
            while events.withLock({ $0.lines.count < count }) {
                if changed.wait(timeout: .now() + .seconds(TestTimeout.limit)) == .success { continue }
                TestTimeout.end("\(count) lines", at: location)
                break
            }
            return events.withLock { $0.lines }
        }
    }

    private let board = Board()

    private func pool(
        threads: Int = 1, limit: Int = 10, lost: LostThreads = LostThreads(limit: 4), idleAfter: Double = 60
    ) -> LuaPool<Worker> {
        let board = board
        return LuaPool(name: "pool", threads: threads, limit: limit, lost: lost, idleAfter: idleAfter) {
            Worker(board, $0)
        } listener: { id, result in
            switch result {
            case .success(let text): board.note("\(id) \(text)")
            case .failure(let hang): board.note("\(id) given up after \(hang.seconds)")
            }
        }
    }

    private func end(_ pool: LuaPool<Worker>) async {
        pool.close()
        let _: Bool? = await waiting(for: "the pool to end") { notified in pool.whenEnded { notified(true) } }
    }

    @Test func `one thread takes jobs in their order`() async {
        let pool = pool()
        for text in ["a", "b", "c"] { #expect(pool.submit(.say(text)) != nil) }
        #expect(board.lines(3) == ["1 1: a", "2 1: b", "3 1: c"])
        await end(pool)
        #expect(board.lines(4).last == "closed 1")
    }

    @Test func `a worker tidies up to the end, after each job that no other follows`() async {
        let pool = pool(idleAfter: 0)
        for number in 1...2 {
            _ = pool.submit(.say("x"))
            #expect(board.lines(2 * number).suffix(2) == ["\(number) 1: x", "tidied \(3 * number)"])
        }
        await end(pool)
    }

    @Test func `two threads do two jobs at once`() async {
        let pool = pool(threads: 2)
        let gates = [Checkpoint(), Checkpoint()]
        for gate in gates { #expect(pool.submit(.meet(gate)) != nil) }
        // Neither can end before both have begun.
        for gate in gates { gate.waitForArrival() }
        for gate in gates { gate.open() }
        #expect(Set(board.lines(2).map { $0.suffix(4) }) == ["done"])
        await end(pool)
        #expect(board.events.withLock { $0.made } == 2)
    }

    @Test func `a thread is made when there is work for it`() async {
        let pool = pool(threads: 8)
        for number in 1...20 {
            _ = pool.submit(.say("x"))
            _ = board.lines(number)
        }
        await end(pool)
        #expect(board.events.withLock { $0.made } <= 2)
    }

    @Test func `what waits can be cancelled, and the line has an end`() async {
        let pool = pool(limit: 2)
        let gate = Checkpoint()
        _ = pool.submit(.meet(gate))
        gate.waitForArrival()
        let second = pool.submit(.say("b"))
        #expect(pool.submit(.say("c")) != nil)
        #expect(pool.submit(.say("d")) == nil)
        #expect(pool.waitingCount == 2)
        #expect(second.map(pool.cancel) == true)
        #expect(second.map(pool.cancel) == false)
        #expect(!pool.cancel(1))
        #expect(pool.submit(.say("e")) != nil)
        gate.open()
        #expect(board.lines(3).map { $0.suffix(1) } == ["e", "c", "e"])
        await end(pool)
    }

    @Test func `a spoiled state is closed, and a fresh one does the next job`() async {
        let pool = pool()
        _ = pool.submit(.spoil)
        _ = pool.submit(.say("b"))
        #expect(board.lines(3) == ["1 1: done", "closed 1", "2 2: b"])
        await end(pool)
    }

    @Test func `a job that hangs is given up with its thread; others go on`() async {
        let pool = pool()
        let gate = Checkpoint()
        _ = pool.submit(.hang(gate))
        gate.waitForArrival()
        #expect(board.lines(1) == ["1 given up after 3.0"])
        _ = pool.submit(.say("b"))
        #expect(board.lines(2).last == "2 2: b")
        // When it returns, it reports no result.
        gate.open()
        #expect(board.lines(3).last == "closed 1")
        await end(pool)
        #expect(board.lines(4).last == "closed 2")
    }

    @Test func `so many threads are given up and no more; then one that hangs keeps its place`() async {
        let lost = LostThreads(limit: 2)
        let pool = pool(lost: lost)
        let gates = (0..<3).map { _ in Checkpoint() }
        for (number, gate) in gates.enumerated() {
            #expect(!pool.isStuck)
            _ = pool.submit(.hang(gate))
            gate.waitForArrival()
            #expect(board.lines(number + 1).last == "\(number + 1) given up after 3.0")
        }
        #expect(lost.count == 2 && lost.isFull && pool.isStuck)
        #expect(pool.submit(.say("late")) != nil)
        #expect(board.events.withLock { $0.made } == 3, "nothing new was started for it")
        // A worker that has returned takes the next job, with a fresh state.
        gates[2].open()
        #expect(board.lines(5).suffix(2) == ["closed 3", "4 4: late"])
        #expect(!pool.isStuck)
        for gate in gates.dropLast() { gate.open() }
        await end(pool)
        _ = board.lines(8)
        await yielding(until: "none is left") { lost.count == 0 }
    }

    @Test func `a pool whose threads all hang can be closed`() async {
        let pool = pool(lost: LostThreads(limit: 0))
        let gate = Checkpoint()
        _ = pool.submit(.hang(gate))
        gate.waitForArrival()
        #expect(board.lines(1) == ["1 given up after 3.0"])
        await end(pool)
        gate.open()
        #expect(board.lines(2).last == "closed 1")
    }

    @Test func `closing forgets what waits, and answers what is at work`() async {
        let pool = pool()
        let gate = Checkpoint()
        _ = pool.submit(.meet(gate))
        gate.waitForArrival()
        _ = pool.submit(.say("b"))
        pool.close()
        #expect(pool.submit(.say("c")) == nil)
        gate.open()
        await end(pool)
        #expect(board.lines(2) == ["1 1: done", "closed 1"])
    }

    @Test func `a pool that was never used has nothing to end`() async {
        await end(pool())
        #expect(board.events.withLock { $0.lines.isEmpty })
    }
}
