import RestEngine
import Testing

@testable import CurlTransport

struct LoopLoadTests {
    /// A loop whose processors' time is given window by window.
    private struct Machine {
        var load: LoopLoad
        var reading = LoopLoad.Reading(
            time: 64, loop: 0, performing: 0, transfers: 0, process: 0)

        init(processors: Int) {
            load = LoopLoad(processors: processors)
            pass()
        }

        mutating func pass() {
            let reading = reading
            load.note(at: reading.time) { _ in reading }
        }

        /// Somewhat more than a window, in which these parts of it were taken; `rest` is of other threads of
        /// the process, `performing` the part of the loop that is for transfers.
        mutating func window(
            loop: Double, performing: Double = 0.25, transfers: Double = 0, rest: Double = 0,
            seconds: Double = 1.0 / 32
        ) {
            reading.time += seconds
            reading.loop += loop * seconds
            reading.performing += loop * performing * seconds
            reading.transfers += transfers * seconds
            reading.process += (loop + transfers + rest) * seconds
            pass()
        }

        /// As many windows as it takes to be full.
        mutating func fill() {
            for _ in 0..<LoopLoad.fullWindows { window(loop: 1) }
        }
    }

    @Test func `a loop is full when it takes a processor, and another one is left`() {
        for (processors, loop, rest, isFull) in [
            (2, 1.0, 0.0, true), (2, 0.9, 0.0, true), (2, 0.9, 0.1, false), (2, 1.0, 0.1, false),
            (2, 0.8, 0.0, false),
            (2, 1.0, 0.3, false),
            (4, 1.0, 1.5, true), (4, 1.0, 2.5, false), (1, 1.0, 0.0, false),
        ] {
            var machine = Machine(processors: processors)
            for _ in 0..<3 {
                #expect(!machine.load.isFull)
                machine.window(loop: loop, rest: rest)
            }
            #expect(machine.load.isFull == isFull, "\(loop) and \(rest) of \(processors)")
        }
    }

    @Test func `transfers that are most of what fills a loop stay on it`() {
        for (performing, isFull) in [(0.0, true), (0.4375, true), (0.5625, false), (1.0, false)] {
            var machine = Machine(processors: 2)
            for _ in 0..<10 { machine.window(loop: 1, performing: performing) }
            #expect(machine.load.isFull == isFull, "\(performing)")
        }
    }

    @Test func `a window with less to do, or with others who do something, begins the count anew`() {
        for (loop, rest) in [(0.5, 0.0), (1.0, 0.2)] {
            var machine = Machine(processors: 2)
            for _ in 0..<4 {
                machine.window(loop: 1)
                machine.window(loop: 1)
                machine.window(loop: loop, rest: rest)
                #expect(!machine.load.isFull)
            }
        }
    }

    @Test func `the first look says nothing, and none is taken within a window`() {
        var load = LoopLoad(processors: 2)
        var looks = 0
        for (time, expected) in [(1.0, 1), (1.0078125, 1), (1.015625, 1), (1.03125, 2), (1.0390625, 2)] {
            load.note(at: time) { time in
                looks += 1
                return LoopLoad.Reading(time: time, loop: time, performing: 0, transfers: 0, process: time)
            }
            #expect(looks == expected)
        }
    }

    @Test func `a full loop stays so while it has more to do than the transfers`() {
        var machine = Machine(processors: 2)
        machine.fill()
        for _ in 0..<100 { machine.window(loop: 0.7, transfers: 0.5, rest: 0.8) }
        #expect(machine.load.isFull)
    }

    @Test(arguments: [(0.5, 1.0), (0.0, 0.0)])
    func `transfers that are most of the work come back, and stay for a while`(
        loop: Double, transfers: Double
    ) {
        var machine = Machine(processors: 2)
        machine.fill()
        machine.window(loop: loop, transfers: transfers)
        #expect(!machine.load.isFull)
        for _ in 0..<33 { machine.window(loop: 1) }
        #expect(!machine.load.isFull)
        machine.window(loop: 1)
        #expect(machine.load.isFull)
    }

    @Test func `a long rest is no full window`() {
        var machine = Machine(processors: 2)
        machine.fill()
        machine.window(loop: 0.001, seconds: 60)
        #expect(!machine.load.isFull)
    }
}
