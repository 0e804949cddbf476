import TestSupport
import Testing

@testable import LuaRuntime

/// Lua allows about a million values on one stack. If it is nearly full, functions of the host must find
/// enough space or not begin: Swift can't fail there, and no Lua error may pass through it.
@Suite(.serialized) struct FullStackTests {
    private static let phase = RunPhase(name: "test", mayWait: true, budgetSeconds: 60)
    private static let counts = WholeRun.part(
        Array(stride(from: 991_500, through: 992_000, by: 25))
            + Array(stride(from: 999_900, through: 999_999, by: 4)), oneIn: 4)

    private let fixture = Fixture(memoryLimit: 256 << 20)
    private let census = Thing.Census()

    /// `values` pushes as many values as its argument says. The others need more than the 20 slots that Lua
    /// gives a C function. Their last argument fills the stack.
    private func define() {
        let luaClass = Thing.makeClass()
        for (name, usesMain) in [("greedy", false), ("greedy_elsewhere", true)] {
            fixture.define(name) { [census] arguments in
                let thing = Thing(census)
                defer { thing.size = 0 }
                let lua = usesMain ? arguments.lua.state.main : arguments.lua
                let top = lua.top
                for _ in 0..<4000 { lua.push(true) }
                lua.setTop(top)
                return .results(0)
            }
        }
        fixture.define("objects") { [census] arguments in
            for _ in 0..<30 { arguments.lua.push(object: Thing(census), class: luaClass) }
            return .results(1)
        }
        fixture.define("raise") { [census] arguments in
            let thing = Thing(census)
            for _ in 0..<20 { arguments.lua.pushNil() }
            defer { thing.size = 0 }
            throw Refusal()
        }
        fixture.define("keep") { arguments in
            var kept: [LuaReference] = []
            for _ in 0..<20 {
                arguments.lua.newTable()
                kept.append(arguments.lua.reference(-1))
                let weak = arguments.lua.weakReference(-1)
                _ = arguments.lua.push(weak)
            }
            return .results(0)
        }
    }

    private struct Refusal: Error {}

    private func isExpected(_ message: String) -> Bool {
        message.contains("stack overflow") || message.contains("Refusal")
            || message == "error in error handling"
            || message.contains("too many results to unpack")
    }

    @Test(arguments: ["greedy", "objects", "raise", "keep"])
    func `a call with nearly a million arguments is made or refused`(name: String) throws {
        define()
        var refusals = 0
        for count in Self.counts {
            let said = try fixture.run(
                """
                local t = {}
                local function try() return pcall(\(name), table.unpack(t, 1, \(count))) end
                local _, ok, message = pcall(try)
                return ok == true and "ok" or tostring(message or ok)
                """, phase: Self.phase)
            #expect(said == "ok" || isExpected(said), "\(count): \(said)")
            if said.contains("stack overflow") { refusals += 1 }
            #expect(fixture.state.main.top == 0)
        }
        #expect(refusals > 0 && refusals < Self.counts.count)
        fixture.state.collectGarbage()
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }

    /// Swift pushes on the main thread's stack, whichever Lua thread called it.
    @Test func `a call within a coroutine is refused where the main thread is nearly full`() throws {
        define()
        var refusals = 0
        for count in Self.counts {
            let said = try fixture.run(
                """
                local t = {}
                local call = coroutine.wrap(function()
                  local ok, message = pcall(greedy_elsewhere)
                  return ok and "ok" or message
                end)
                local function fill(...) return (call()) end
                local function try() return pcall(fill, table.unpack(t, 1, \(count))) end
                local _, ok, said = pcall(try)
                return tostring(said or ok)
                """, phase: Self.phase)
            #expect(said == "ok" || isExpected(said), "\(count): \(said)")
            if said.contains("no room for a function of the host") { refusals += 1 }
        }
        #expect(refusals > 0)
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }

    @Test func `a run that returns nearly a million values ends with an error or with all of them`() throws {
        var refusals = 0
        for count in [900_000] + Self.counts {
            var ended: Result<Int32, LuaError>?
            let function = try fixture.state.compile(
                "local t = {} return table.unpack(t, 1, \(count))", chunk: "test.lua")
            fixture.state.spawn(function, phase: Self.phase) { lua, result in
                ended = result
                for _ in 0..<4000 { lua.push(true) }
                lua.pop(4000)
            }
            switch try #require(ended) {
            case .success(let results): #expect(Int(results) == count)
            case .failure(let error):
                refusals += 1
                #expect(isExpected(error.message) || error.message.contains("too many results"), "\(error)")
            }
        }
        #expect(refusals > 0 && refusals < Self.counts.count)
        #expect(fixture.state.close().isClean)
    }

    /// The handler runs above the overflow, in the space that Lua keeps for it.
    @Test func `a handler of a stack overflow may call the host`() throws {
        define()
        let said = try fixture.run(
            """
            local function down() return 1 + down() end
            local ok, message = xpcall(down, function(message) greedy() return message end)
            return tostring(message)
            """, phase: Self.phase)
        #expect(isExpected(said), "\(said)")
        #expect(try fixture.run("greedy() return 1") == "1")
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }

    /// A finalizer that finds no space isn't called again by Lua.
    @Test func `objects that are collected where the stack is full are released`() throws {
        define()
        _ = try fixture.run(
            """
            local t, text = {}, ("x"):rep(100000)
            local function fill(...)
              for i = 1, 500 do local a = text .. i end
            end
            for n = 999971, 999977, 3 do
              for i = 1, 2 do objects() end
              pcall(function() return (fill(table.unpack(t, 1, n))) end)
            end
            return 1
            """, phase: Self.phase)
        fixture.state.collectGarbage()
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }
}
