import RestEngine
import Testing

@testable import CurlTransport

struct LoopLoadTests {
    /// A loop whose CPU time is given window by window.
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

        /// Adds slightly more than one window, with these parts of it used: `rest` by other threads of the
        /// process, `performing` by the loop's work for transfers.
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

        /// Adds windows until the loop counts as full.
        mutating func fill() {
            for _ in 0..<LoopLoad.windows { window(loop: 1) }
        }
    }

    @Test func `a full loop's transfers leave it as far as processors are left`() {
        for (processors, loop, rest, share) in [
            (2, 1.0, 0.0, LoopLoad.Share.all), (2, 0.9, 0.0, .all), (2, 0.9, 0.1, .part),
            (2, 1.0, 0.45, .part), (2, 1.0, 0.55, .nothing), (2, 0.8, 0.0, .nothing),
            (4, 1.0, 1.5, .all), (4, 1.0, 2.25, .part), (4, 1.0, 2.75, .nothing), (1, 1.0, 0.0, .nothing),
        ] {
            var machine = Machine(processors: processors)
            for _ in 0..<3 {
                #expect(machine.load.share == .nothing)
                machine.window(loop: loop, rest: rest)
            }
            #expect(machine.load.share == share, "\(loop) and \(rest) of \(processors)")
        }
    }

    @Test func `a part is three of eight`() {
        var machine = Machine(processors: 2)
        #expect(!(0..<16).contains { _ in machine.load.nextLeaves() })
        for _ in 0..<LoopLoad.windows { machine.window(loop: 1, rest: 0.2) }
        #expect((0..<80).count { _ in machine.load.nextLeaves() } == 30)
        for _ in 0..<LoopLoad.windows { machine.window(loop: 1) }
        #expect((0..<80).count { _ in machine.load.nextLeaves() } == 80)
    }

    @Test func `other threads' CPU time changes the share, and a little changes nothing`() {
        var machine = Machine(processors: 2)
        machine.fill()
        for (rest, share) in [
            (0.125, LoopLoad.Share.all), (0.25, .part), (0.0625, .part), (0.03125, .all), (0.25, .part),
            (0.5625, .part), (0.75, .nothing),
        ] {
            for _ in 0..<LoopLoad.windows { machine.window(loop: 0.7, transfers: 0.25, rest: rest) }
            #expect(machine.load.share == share, "\(rest)")
        }
    }

    @Test func `transfers that are most of what fills a loop stay on it`() {
        for (performing, leaves) in [(0.0, true), (0.4375, true), (0.5625, false), (1.0, false)] {
            var machine = Machine(processors: 2)
            for _ in 0..<10 { machine.window(loop: 1, performing: performing) }
            #expect((machine.load.share == .all) == leaves, "\(performing)")
        }
    }

    @Test func `a window with less to do, or with others who do something, begins the count anew`() {
        for (loop, rest) in [(0.5, 0.0), (1.0, 0.7)] {
            var machine = Machine(processors: 2)
            for _ in 0..<4 {
                machine.window(loop: 1)
                machine.window(loop: 1)
                machine.window(loop: loop, rest: rest)
                #expect(machine.load.share == .nothing)
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
        for _ in 0..<100 { machine.window(loop: 0.7, transfers: 0.5) }
        #expect(machine.load.share == .all)
    }

    @Test(arguments: [(0.5, 1.0), (0.0, 0.0)])
    func `transfers that are most of the work come back, and stay for a while`(
        loop: Double, transfers: Double
    ) {
        var machine = Machine(processors: 2)
        machine.fill()
        machine.window(loop: loop, transfers: transfers)
        #expect(machine.load.share == .nothing)
        for _ in 0..<33 { machine.window(loop: 1) }
        #expect(machine.load.share == .nothing)
        machine.window(loop: 1)
        #expect(machine.load.share == .all)
    }

    @Test func `a long rest is no full window`() {
        var machine = Machine(processors: 2)
        machine.fill()
        machine.window(loop: 0.001, seconds: 60)
        #expect(machine.load.share == .nothing)
    }
}
