import LuaRuntime
import Testing

@Suite struct WaitingTests {
    final class Waiters {
        var all: [LuaWaiter] = []
    }

    let fixture = Fixture(memoryLimit: 64 << 20)
    let waiters = Waiters()

    init() {
        let waiters = waiters
        fixture.define("wait") { _ in .suspend { waiters.all.append($0) } }
        fixture.define("now") { _ in
            .suspend { waiter in
                waiter.resume {
                    $0.push("at once")
                    return 1
                }
            }
        }
    }

    private func answerAll(_ text: String) {
        while !waiters.all.isEmpty {
            waiters.all.removeFirst().resume {
                $0.push(text)
                return 1
            }
        }
    }

    @Test(arguments: [
        "return wait()",
        "return select(2, pcall(wait))",
        "return select(2, xpcall(function() return wait() end, print))",
        "return select(2, coroutine.resume(coroutine.create(wait)))",
        "return coroutine.wrap(function() return coroutine.wrap(wait)() end)()",
        "return coroutine.wrap(function() coroutine.yield(wait()) end)()",
        "return setmetatable({}, { __index = function() return wait() end }).x",
        "local r for x in coroutine.wrap(function() coroutine.yield(wait()) end) do r = x end return r",
        "wait() return wait()",
    ])
    func `an answer reaches the script wherever it waits`(source: String) throws {
        var result: Result<String, LuaError>?
        try fixture.spawn(source) { result = $0 }
        #expect(result == nil)
        answerAll("answer")
        #expect(try result?.get() == "answer")
        #expect(fixture.state.close().isClean)
    }

    @Test func `an answer may come at once`() throws {
        var result: Result<String, LuaError>?
        try fixture.spawn("return now()") { result = $0 }
        #expect(try result?.get() == "at once")
    }

    @Test func `a failure is raised where the script waits`() throws {
        var result: Result<String, LuaError>?
        try fixture.spawn(
            "local ok, e = pcall(function() local x = wait() end) return tostring(ok) .. ' ' .. e"
        ) {
            result = $0
        }
        waiters.all.removeFirst().fail(LuaUsageError("too late"))
        #expect(try result?.get() == "false test.lua:1: too late")
    }

    @Test func `a generator that waits inside gives each value`() throws {
        var result: Result<String, LuaError>?
        try fixture.spawn(
            """
            local items = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i .. wait()) end end)
            local all = ""
            for item in items do all = all .. item end
            return all
            """
        ) { result = $0 }
        answerAll("!")
        #expect(try result?.get() == "1!2!3!")
    }

    @Test func `a thousand wait at once`() throws {
        var sum = 0
        for _ in 1...1000 {
            try fixture.spawn("return #wait() + #wait()") { sum += Int((try? $0.get()) ?? "") ?? 0 }
        }
        #expect(waiters.all.count == 1000)
        answerAll("ab")
        #expect(sum == 4000)
        #expect(fixture.state.close().isClean)
    }

    @Test(arguments: [
        "table.sort({ 2, 1 }, function() return wait() end)",
        "string.gsub('a', 'a', wait)",
        "table.sort({ 2, 1 }, function() return coroutine.wrap(wait)() end)",
    ])
    func `a wait below a C function is refused with advice`(source: String) throws {
        var result: Result<String, LuaError>?
        try fixture.spawn(source) { result = $0 }
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.kind == .wait)
        #expect(
            error.message
                == "cannot wait here: a function such as table.sort, string.gsub or require is running"
                + " in between; wait before or after it")
        #expect(waiters.all.isEmpty)
    }

    @Test func `a wait in a phase that forbids it is refused with its advice`() throws {
        let phase = RunPhase(
            name: "block", mayWait: false,
            waitAdvice: "a block runs while a request is built; wait in a job instead", budgetSeconds: 1)
        let error = try #require(fixture.failure(of: "wait()", phase: phase))
        #expect(
            error.description
                == "test.lua:1: cannot wait here: a block runs while a request is built;"
                + " wait in a job instead"
        )
        #expect(error.kind == .wait)
    }

    @Test func `values that are equal before and after a wait are put around the continuation`() throws {
        var journal: [String] = []
        try fixture.spawn("wait() return wait()") { journal.append((try? $0.get()) ?? "failed") }
        waiters.all[0].around = { body in
            journal.append("before")
            body()
            journal.append("after")
        }
        answerAll("answer")
        #expect(journal == ["before", "after", "answer"])
    }

    @Test func `a waiter answers once`() throws {
        var count = 0
        try fixture.spawn("return wait()") { _ in count += 1 }
        let waiter = waiters.all[0]
        #expect(waiter.isAlive)
        waiter.resume { _ in 0 }
        #expect(!waiter.isAlive)
        waiter.resume { _ in 0 }
        waiter.fail(LuaUsageError("x"))
        #expect(count == 1)
    }
}
