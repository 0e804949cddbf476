import LuaRuntime
import Testing

@Suite struct BudgetTests {
    let fixture = Fixture()
    let phase = RunPhase(
        name: "block", mayWait: true, budgetSeconds: 0.03, limitAdvice: "look for a loop that doesn't end")

    @Test(arguments: [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "while true do coroutine.wrap(function() while true do end end)() end",
        "while true do pcall(coroutine.wrap(function() while true do end end)) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
        "local x <close> = setmetatable({}, { __close = function() while 1 do end end }) while true do end",
        """
        while true do
            local co = coroutine.create(function()
                local x <close> = setmetatable({}, { __close = function() while true do end end })
                while true do end
            end)
            coroutine.resume(co)
            coroutine.close(co)
        end
        """,
        "local function f() return f() end f()",
        """
        local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
        while true do pcall(function() return t[1] end) end
        """,
        "for i = 1, 1 / 0 do local s = tostring(i) .. 'x' end",
        "while true do nested(function() while true do end end) end",
        "while true do pcall(nested, function() while true do end end) end",
    ])
    func `an endless script ends`(source: String) throws {
        let phase = phase
        fixture.define("nested") { arguments in
            arguments.lua.pushValue(at: 1)
            try arguments.lua.call(arguments: 0, results: 0, phase: phase)
            return .results(0)
        }
        let error = try #require(fixture.failure(of: source, phase: phase))
        #expect(error.kind == .budget)
        #expect(error.message.hasPrefix("block used "))
        #expect(
            error.message.hasSuffix(
                " ms of CPU time in one go; its limit is 30 ms: look for a loop that doesn't end"))
        #expect(error.file == "test.lua" && error.line != nil)
        let exceeded = try #require(error.exceeded)
        #expect(exceeded.budget == .burst && exceeded.phase == "block" && exceeded.limit == 0.03)
        #expect(exceeded.used > 0.03 && exceeded.used < 1)
        #expect(try fixture.run("local n = 0 for i = 1, 1e6 do n = n + 1 end return n") == "1000000")

        var result: Result<String, LuaError>?
        try fixture.spawn(source, phase: phase) { result = $0 }
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.kind == .budget)
        for _ in 1...3 {
            var sum: Result<String, LuaError>?
            try fixture.spawn("local n = 0 for i = 1, 1e4 do n = n + 1 end return n") { sum = $0 }
            #expect(try sum?.get() == "10000")
        }
    }

    @Test func `what a script killed by its budget left behind is harmless later`() throws {
        let source = """
            co = coroutine.create(function()
                local x <close> = setmetatable({}, { __close = function() while true do end end })
                while true do end
            end)
            coroutine.resume(co)
            """
        #expect(fixture.failure(of: source, phase: phase)?.kind == .budget)
        #expect(try fixture.run("return coroutine.close(co)", phase: phase) == "false")
    }

    @Test func `an inner budget that is used up leaves the outer script its own`() throws {
        let inner = phase
        fixture.define("nested") { arguments in
            arguments.lua.pushValue(at: 1)
            try arguments.lua.call(arguments: 0, results: 0, phase: inner)
            return .results(0)
        }
        #expect(try fixture.run("return pcall(nested, function() while true do end end)") == "false")
    }

    @Test func `a budget holds through another state on the same thread`() throws {
        let other = Fixture()
        let inner = phase
        fixture.define("elsewhere") { _ in
            do { try other.run("while true do end", phase: inner) } catch {}
            return .results(0)
        }
        #expect(try fixture.run("elsewhere() return 'went on'") == "went on")
        #expect(fixture.failure(of: "while true do elsewhere() end", phase: phase)?.kind == .budget)
    }

    @Test func `waiting begins a new budget but the total goes on`() throws {
        let phase = RunPhase(name: "job", mayWait: true, budgetSeconds: 0.2, totalSeconds: 0.1)
        fixture.define("pause") { [unowned fixture] _ in .suspend { fixture.later.append($0) } }
        var result: Result<String, LuaError>?
        try fixture.spawn("while true do for i = 1, 1e6 do end pause() end", phase: phase) { result = $0 }
        while let waiter = fixture.later.popLast() { waiter.resume { _ in 0 } }
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.kind == .budget)
        #expect(error.message.hasPrefix("job used "))
        #expect(error.message.hasSuffix(" ms of CPU time in all; its limit is 100 ms"))
        #expect(error.exceeded?.budget == .total)
    }

    @Test func `a finalizer can't be made`() throws {
        let error = try #require(fixture.failure(of: "setmetatable({}, { __gc = function() end })"))
        #expect(error.message == "'__gc' is not available to scripts: use '__close' or an explicit call")
        let late = """
            local m = {} local t = setmetatable({}, m) m.__gc = function() print("no") end
            t = nil for i = 1, 1e5 do local x = {} end
            """
        try fixture.run(late)
        #expect(fixture.printed.isEmpty)
    }
}
