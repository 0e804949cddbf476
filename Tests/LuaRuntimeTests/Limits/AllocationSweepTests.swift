import Testing

@testable import LuaRuntime

/// Refuses the first, second, third … allocation of a script until nothing is refused any more.
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
