import LuaRuntime
import TestSupport
import Testing

/// The thread's own stack. Scripts find ways around Lua's count of C calls, and must not reach the stack's
/// end.
@Suite(.serialized) struct StackTests {
    private let phase = RunPhase(name: "test", mayWait: true, budgetSeconds: 60)

    @Test func `coroutines that close each other end with an error`() throws {
        let script = try #require(HostileScript.all.first { $0.name == "close_each_other" })
        let fixture = Fixture(memoryLimit: 256 << 20)
        let error = try #require(fixture.failure(of: script.source, phase: phase))
        #expect(error.message == "C stack overflow: coroutines close each other too deeply")
        #expect(try fixture.run("return 1") == "1")
        #expect(fixture.state.close().isClean)
    }

    /// No instruction runs between two lookups of `__call`, so only the growing stack can end this.
    @Test func `a table that stands for itself when it is called ends with its budget`() throws {
        let fixture = Fixture(memoryLimit: 256 << 20)
        let error = try #require(
            fixture.failure(
                of: "local t = setmetatable({}, {}) getmetatable(t).__call = t pcall(t) while true do end",
                phase: RunPhase(name: "test", mayWait: true, budgetSeconds: 0.1)))
        #expect(error.message.contains("its limit is 100 ms"), "\(error)")
        #expect(try fixture.run("return 1") == "1")
        #expect(fixture.state.close().isClean)
    }

    /// Each call of the host begins on the main thread. Its count of calls doesn't include the coroutine's.
    @Test func `calls from script to host and back end with an error`() throws {
        let fixture = Fixture(memoryLimit: 256 << 20)
        let phase = phase
        fixture.define("call") { arguments in
            let main = arguments.lua.state.main
            arguments.lua.pushValue(at: 1)
            let function = arguments.lua.reference(-1)
            arguments.lua.pop()
            main.push(function)
            try main.call(arguments: 0, results: 0, phase: phase)
            return .results(0)
        }
        let error = try #require(
            fixture.failure(
                of: """
                    local function nest(depth, f)
                      if depth == 0 then return f() end
                      local ok, message
                      ("a"):gsub("a", function() ok, message = pcall(nest, depth - 1, f) end)
                      if not ok then error(message, 0) end
                    end
                    local function level()
                      coroutine.wrap(nest)(80, function() call(level) end)
                    end
                    level()
                    """, phase: phase))
        #expect(error.kind == .runtime && error.message.contains("C stack overflow"), "\(error)")
        #expect(error.file == "test.lua")
        #expect(try fixture.run("return 1") == "1")
        #expect(fixture.state.main.top == 0)
        #expect(fixture.state.close().isClean)
    }

    @Test func `runs that cancel each other are left to the collector where the stack ends`() throws {
        let fixture = Fixture(memoryLimit: 256 << 20)
        var runs: [LuaCoroutine] = []
        fixture.define("wait") { _ in .suspend { _ in } }
        fixture.define("cancel") { arguments in
            runs[Int(try arguments.integer(1, "run"))].cancel()
            return .results(0)
        }
        var ended = 0
        for number in 0..<20_000 {
            let source =
                number == 0
                ? "wait()"
                : "local x <close> = setmetatable({}, { __close = function() cancel(\(number - 1)) end }) wait()"
            runs.append(try fixture.spawn(source, phase: phase) { _ in ended += 1 })
        }
        runs.last?.cancel()
        #expect(ended > 10 && ended < runs.count)
        #expect(try fixture.run("return 1") == "1")
        for run in runs { run.cancel() }
        #expect(ended == runs.count)
        #expect(fixture.state.close().isClean)
    }
}
