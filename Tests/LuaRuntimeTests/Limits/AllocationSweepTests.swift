import Testing

@testable import LuaRuntime

/// Refuses the first, second, third … allocation of a script, until a round has fewer.
@Suite struct AllocationSweepTests {
    private static let source = """
        local thing = make()
        local all = {}
        for i = 1, 5 do all[i] = "item " .. i .. tostring(all) end
        local co = coroutine.wrap(function(a) local b = coroutine.yield({ a }) return wait() .. b end)
        all.first, all.second = co("a"), co("b")
        local ok, message = pcall(function() error({ text = ("x"):rep(100) }) end)
        local ok, message = pcall(fail)
        local x <close> = setmetatable({}, { __close = function() all.closed = {} end })
        nested(function() return { pcall(error, "deep") } end)
        return thing:grow(2).size .. all.second
        """

    @Test func `every allocation may fail`() throws {
        let fixture = Fixture()
        let census = Thing.Census()
        let luaClass = Thing.makeClass()
        define(fixture, census, luaClass)
        var refusals = 0
        var steps = 1
        while true {
            var result: Result<String, LuaError>?
            fixture.state.refuseAllocation(steps)
            do {
                try fixture.spawn(Self.source) { result = $0 }
                while let waiter = fixture.later.popLast() {
                    waiter.resume {
                        $0.push("answer")
                        return 1
                    }
                }
            } catch {
                result = .failure(try #require(error as? LuaError))
            }
            let isDone = !fixture.state.hasRefusedAllocation
            fixture.state.refuseAllocation(0)
            #expect(fixture.state.main.top == 0)
            if case .failure(let error) = result {
                #expect(error.kind == .memory, "\(error) \(error.traceback)")
                refusals += 1
            } else {
                #expect(try result?.get() == "5answerb")
            }
            fixture.state.collectGarbage()
            fixture.state.collectGarbage()
            #expect(census.alive == 0)
            if isDone { break }
            steps += 1
            try #require(steps < 5000)
        }
        #expect(refusals > 30)
        #expect(fixture.state.close().isClean)
    }

    @Test func `a coroutine that can't even begin says where it was called`() throws {
        let fixture = Fixture()
        let lua = fixture.state.main
        let function = try fixture.state.compile(
            "local f = coroutine.wrap(function(...) local t = {} return #t end)\nreturn f(1, 2, 3)",
            chunk: "test.lua")
        var refusals = 0
        for nth in 0..<100 {
            fixture.state.refuseAllocation(nth)
            lua.push(function)
            do throws(LuaError) { try lua.call(arguments: 0, results: 0, phase: Fixture.phase) } catch {
                refusals += 1
                #expect(error.kind == .memory && error.line != nil, "\(nth): \(error)")
            }
            let isDone = nth > 0 && !fixture.state.hasRefusedAllocation
            fixture.state.refuseAllocation(0)
            if isDone { break }
        }
        #expect(refusals > 3)
        #expect(fixture.state.main.top == 0)
    }

    private func define(_ fixture: Fixture, _ census: Thing.Census, _ luaClass: LuaClass) {
        fixture.define("make") { arguments in
            arguments.lua.push(object: Thing(census), class: luaClass)
            return .results(1)
        }
        fixture.define("fail") { _ in
            let thing = Thing(census)
            defer { thing.size = 0 }
            throw LuaUsageError("failed")
        }
        fixture.define("wait") { [unowned fixture] _ in .suspend { fixture.later.append($0) } }
        fixture.define("nested") { arguments in
            let thing = Thing(census)
            defer { thing.size = 0 }
            arguments.lua.pushValue(at: 1)
            try arguments.lua.call(arguments: 0, results: 0, phase: Fixture.phase)
            return .results(0)
        }
    }
}
