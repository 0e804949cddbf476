import Synchronization
import TestSupport
import Testing

@testable import LuaRuntime

@Suite struct WatchdogTests {
    private final class Reports: Sendable {
        let list = Mutex<[LuaHang]>([])

        var all: [LuaHang] { list.withLock { $0 } }
    }

    private let reports = Reports()

    private func state(_ watchdog: LuaWatchdog) -> LuaState {
        var options = LuaOptions()
        options.watchdog = watchdog
        options.onHang = { [reports] hang in reports.list.withLock { $0.append(hang) } }
        return LuaState(options)
    }

    /// Runs a chunk in which `look(t)` makes the watchdog look at that time.
    private func run(_ source: String, _ state: LuaState, _ watchdog: LuaWatchdog, limit: Double) throws {
        let lua = state.main
        lua.pushGlobals()
        lua.push(
            function: { call in
                watchdog.look(at: try call.number(1, "time"))
                return .results(0)
            }, name: "look")
        lua.rawSet(-2, "look")
        lua.pop()
        lua.push(try state.compile(source, chunk: "a.lua"))
        try lua.call(
            arguments: 0, results: 0, phase: RunPhase(name: "hook", mayWait: false, budgetSeconds: limit))
    }

    @Test func `a run that doesn't come back is reported once, and again when it does`() throws {
        let watchdog = LuaWatchdog(lookingEvery: nil)
        let state = state(watchdog)
        try run("look(100) look(101.9) look(102) look(103) look(150)", state, watchdog, limit: 0.5)
        #expect(reports.all == [LuaHang(phase: "hook", seconds: 2, limit: 0.5, isOver: false)])
        #expect(watchdog.hangs == 1)
        watchdog.look(at: 160)
        #expect(reports.all.last == LuaHang(phase: "hook", seconds: 60, limit: 0.5, isOver: true))
        watchdog.look(at: 170)
        #expect(reports.all.count == 2)
        state.close()
    }

    @Test func `no run is hung within a second, or within its time`() throws {
        let watchdog = LuaWatchdog(lookingEvery: nil)
        let state = state(watchdog)
        try run("look(100) look(100.9)", state, watchdog, limit: 0.1)
        try run("look(200) look(219)", state, watchdog, limit: 5)
        try run("look(300) look(400)", state, watchdog, limit: .infinity)
        watchdog.look(at: 1000)
        watchdog.look(at: 2000)
        #expect(reports.all.isEmpty)
        state.close()
    }

    @Test func `runs that follow each other are several`() throws {
        let watchdog = LuaWatchdog(lookingEvery: nil)
        let state = state(watchdog)
        for time in 0..<10 { try run("look(\(100 + time))", state, watchdog, limit: 0.5) }
        #expect(reports.all.isEmpty)
        state.close()
        watchdog.look(at: 1000)
        #expect(reports.all.isEmpty)
    }

    @Test(arguments: ["waits", "computes", "waits before anybody looks"])
    func `the thread finds a host function that hangs`(how: String) throws {
        let watchdog = LuaWatchdog(interval: 0.005, leastSeconds: 0.02)
        let isLate = how == "waits before anybody looks"
        if isLate { watchdog.holdBack() }
        let gate = Gate()
        var options = LuaOptions()
        options.watchdog = watchdog
        options.onHang = { [reports] hang in
            reports.list.withLock { $0.append(hang) }
            gate.open()
        }
        let state = LuaState(options)
        let lua = state.main
        lua.push(
            function: { [reports] _ in
                if isLate { watchdog.begin() }
                if how == "computes" { spinning(until: "it is told") { !reports.all.isEmpty } }
                gate.wait()
                return .results(0)
            }, name: "hang")
        // When it returns, the computing function exceeds its budget.
        do {
            try lua.call(
                arguments: 0, results: 0,
                phase: RunPhase(name: "transformer", mayWait: false, budgetSeconds: 0.05))
        } catch { #expect(how == "computes") }
        let hang = try #require(reports.all.first)
        #expect(hang.phase == "transformer" && hang.seconds >= 0.02 && !hang.isOver)
        #expect(watchdog.hangs == 1)
        state.close()
    }

    #if os(Linux)
        @Test func `a thread that computes wants a processor, one that waits does not`() throws {
            let watch = RunWatch { _ in }
            let before = try #require(watch.usage())
            try spinning(until: "it has computed for a while") {
                let now = try #require(watch.usage())
                #expect(now.wantsProcessor)
                return now.seconds - before.seconds >= 0.05
            }

            let (made, gate) = (Gate(), Gate())
            let other = Mutex<RunWatch?>(nil)
            PeerThread.start {
                other.withLock { $0 = RunWatch { _ in } }
                made.open()
                gate.wait()
            }
            made.wait()
            let waiting = try #require(other.withLock { $0 })
            try spinning(until: "it wants no processor") { try !#require(waiting.usage()).wantsProcessor }
            gate.open()
        }
    #endif
}
