import LuaRuntime
import Testing

@Suite final class GuardTests {
    let fixture = Fixture()
    var waiters: [LuaWaiter] = []

    init() {
        let lua = fixture.state.main
        lua.pushGlobals()
        lua.push(
            guardNotifying: { call in
                var parts: [String] = []
                for index in 1...call.count { parts.append((try? call.lua.tostring(index)) ?? "?") }
                call.lua.push(parts.joined(separator: " "))
                call.lua.push(Int(call.count))
                return .results(2)
            }, name: "guard")
        lua.rawSet(-2, "guard")
        lua.pop()
        fixture.define("wait") { [unowned self] _ in .suspend { self.waiters.append($0) } }
    }

    @Test(arguments: [
        ("guard(function() return 1, 2 end)", "true 1"),
        ("guard(function() end, 'a', nil, 'b')", "true nil a nil b"),
        ("guard(function() error('boom') end)", "false test.lua:1: boom"),
        ("guard(function() error('boom', 0) end, 'a')", "false boom a"),
        ("guard(function() error() end)", "false nil"),
        ("guard(function() guard(function() error('x', 0) end) error('y', 0) end)", "false y"),
    ])
    func `the outcome is reported, with the other arguments`(call: String, notified: String) throws {
        #expect(try fixture.run("return \(call)") == notified)
        #expect(fixture.state.close().isClean)
    }

    @Test(arguments: [
        ("wait() return 1", "true 1"), ("wait() error('boom', 0)", "false boom"),
        ("coroutine.wrap(function() wait() error('deep', 0) end)()", "false test.lua:1: deep"),
    ])
    func `what is called may wait`(body: String, notified: String) throws {
        var result: Result<String, LuaError>?
        try fixture.spawn("return guard(function() \(body) end)") { result = $0 }
        #expect(result == nil)
        waiters.removeFirst().resume { _ in 0 }
        #expect(try result?.get() == notified)
        #expect(fixture.state.close().isClean)
    }

    @Test func `it takes nothing but functions`() throws {
        let error = try #require(fixture.failure(of: "\nguard(5)"))
        #expect(error.message == "bad argument #1 to 'guard' (function expected, got number)")
        #expect(error.line == 2)
    }

    @Test func `a budget can't be caught`() throws {
        let short = RunPhase(name: "short", mayWait: false, budgetSeconds: 0.03)
        let error = try #require(
            fixture.failure(of: "while true do guard(function() while true do end end) end", phase: short))
        #expect(error.kind == .budget)
    }

    @Test func `one that waits can be cancelled`() throws {
        var error: LuaError?
        let coroutine = try fixture.spawn("guard(wait)") { result in
            if case .failure(let failure) = result { error = failure }
        }
        coroutine.cancel()
        #expect(error?.kind == .cancelled)
        waiters = []
        #expect(fixture.state.close().isClean)
    }
}
