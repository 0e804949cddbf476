import LuaRuntime
import Testing

@Suite struct CancellingTests {
    let fixture = Fixture()
    let waiters = WaitingTests.Waiters()

    init() {
        let waiters = waiters
        fixture.define("wait") { _ in .suspend { waiters.all.append($0) } }
    }

    @Test func `cancelling closes variables from the innermost outwards`() throws {
        var result: Result<String, LuaError>?
        let coroutine = try fixture.spawn(
            """
            local function mark(name) return setmetatable({}, { __close = function() print(name) end }) end
            local outer <close> = mark("outer")
            coroutine.wrap(function() local inner <close> = mark("inner") wait() print("never") end)()
            """
        ) { result = $0 }
        var notified = false
        waiters.all[0].onCancel = { notified = true }
        coroutine.cancel()
        #expect(notified)
        #expect(fixture.printed == "inner\nouter\n")
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.kind == .cancelled)
        #expect(!waiters.all[0].isAlive)
        waiters.all[0].resume { _ in 0 }
        coroutine.cancel()
        #expect(fixture.state.close().isClean)
    }

    @Test func `closing variables run under the budget`() throws {
        let phase = RunPhase(name: "job", mayWait: true, budgetSeconds: 0.02)
        let coroutine = try fixture.spawn(
            "local x <close> = setmetatable({}, { __close = function() while true do end end }) wait()",
            phase: phase
        ) { _ in }
        coroutine.cancel()
        #expect(coroutine.isFinished)
        #expect(try fixture.run("return 1") == "1")
    }

    @Test func `scripts can neither resume nor close a coroutine that waits for the host`() throws {
        var result: Result<String, LuaError>?
        try fixture.spawn(
            "co = coroutine.create(function() return wait() end) return select(2, coroutine.resume(co))"
        ) { result = $0 }
        #expect(
            try fixture.run("return select(2, coroutine.resume(co, 1))")
                == "cannot resume a coroutine that waits for the host")
        #expect(
            fixture.failure(of: "coroutine.close(co)")?.message
                == "cannot close a coroutine that waits for the host")
        waiters.all[0].resume {
            $0.push("fine")
            return 1
        }
        #expect(try result?.get() == "fine")
        #expect(try fixture.run("return coroutine.status(co)") == "dead")
    }

    @Test func `scripts can neither resume nor close the main thread`() throws {
        try fixture.run("main = coroutine.running()")
        var result: Result<String, LuaError>?
        fixture.state.main.push("of the host")
        try fixture.spawn(
            "return table.concat({ select(2, coroutine.resume(main, 1)), select(2, pcall(coroutine.close, main)) }, '; ')"
        ) { result = $0 }
        #expect(
            try result?.get()
                == "cannot resume non-suspended coroutine; cannot close a normal coroutine")
        #expect(fixture.state.main.top == 1 && fixture.state.main.string(-1) == "of the host")
        fixture.state.main.pop()
    }

    @Test func `waits that end while the state is closed begin no others`() throws {
        var ended: [String] = []
        let state = fixture.state
        fixture.define("spawn") { arguments in
            let function = arguments.lua.reference(1)
            state.spawn(function, phase: Fixture.phase) { _, result in
                if case .failure(let error) = result { ended.append(error.message) }
            }
            return .results(0)
        }
        try fixture.spawn(
            "local x <close> = setmetatable({}, { __close = function() spawn(function() wait() end) end }) wait()"
        ) { if case .failure(let error) = $0 { ended.append(error.message) } }
        let report = fixture.state.close()
        #expect(report.isClean || report.waitingCoroutines == 1)
        #expect(ended == ["cannot wait here: the script is being closed", "cancelled while it waited"])
        for waiter in waiters.all { waiter.resume { _ in 0 } }
        #expect(waiters.all.count == 1)
    }

    @Test func `closing the state cancels what waits and reports it`() throws {
        var kinds: [LuaError.Kind] = []
        for _ in 1...3 {
            try fixture.spawn("wait()") { if case .failure(let error) = $0 { kinds.append(error.kind) } }
        }
        let report = fixture.state.close()
        #expect(report.waitingCoroutines == 3)
        #expect(report.hostObjects == 0 && report.bytes == 0)
        #expect(kinds == [.cancelled, .cancelled, .cancelled])
        waiters.all[0].resume { _ in 0 }
    }

    @Test func `a script can't yield out of its run`() throws {
        var result: Result<String, LuaError>?
        try fixture.spawn("coroutine.yield(1)") { result = $0 }
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.message == "attempt to yield from outside a coroutine")
    }

    @Test func `the script's own coroutines behave as ever`() throws {
        let source = """
            local co = coroutine.create(function(a, b)
                local c = coroutine.yield(a + b)
                local d, e = coroutine.yield(c * 2)
                return d .. e
            end)
            local log = {}
            local function note(...) log[#log + 1] = table.concat({ ... }, ",") end
            note(select(2, coroutine.resume(co, 1, 2)))
            note(select(2, coroutine.resume(co, 10)))
            note(coroutine.status(co))
            note(select(2, coroutine.resume(co, "x", "y")))
            note(coroutine.status(co), select(2, coroutine.resume(co)))
            local bad = coroutine.wrap(function() error("oops") end)
            note(select(2, pcall(bad)))
            note(tostring(coroutine.close(coroutine.create(print))), tostring(coroutine.isyieldable()))
            return table.concat(log, "|")
            """
        #expect(
            try fixture.run(source)
                == "3|20|suspended|xy|dead,cannot resume dead coroutine|test.lua:13: oops|true,false")
    }
}
