import LuaRuntime
import Testing

@Suite struct LuaErrorTests {
    private final class Failure: Error, CustomStringConvertible {
        let description = "the server is gone"
    }

    let fixture = Fixture()

    @Test func `an error knows its place and its traceback`() throws {
        let source = """
            local function inner() error("boom") end
            local function outer() inner() end
            outer()
            """
        let error = try #require(fixture.failure(of: source, chunk: "dir/a.lua"))
        #expect(error.kind == .runtime)
        #expect(error.message == "boom")
        #expect(error.file == "dir/a.lua")
        #expect(error.line == 1)
        #expect(error.description == "dir/a.lua:1: boom")
        #expect(error.traceback.contains("dir/a.lua:1: in upvalue 'inner'"))
        #expect(error.traceback.contains("dir/a.lua:2: in local 'outer'"))
        #expect(error.traceback.contains("dir/a.lua:3: in main chunk"))
        #expect(error.value == nil)
    }

    @Test func `a long path is given in full`() throws {
        let path = String(repeating: "long/", count: 30) + "a.lua"
        let error = try #require(fixture.failure(of: "error('x')", chunk: path))
        #expect(error.file == path)
        #expect(error.message == "x")
    }

    @Test func `text that looks like a place stays in the message`() throws {
        let error = try #require(fixture.failure(of: "error('localhost:8080: refused', 0)"))
        #expect(error.message == "localhost:8080: refused")
        #expect(error.line == 1)
    }

    @Test func `a syntax error says where`() throws {
        let error = try #require(fixture.failure(of: "local x =\n=", chunk: "bad.lua"))
        #expect(error.kind == .syntax)
        #expect(error.line == 2)
        #expect(error.message == "unexpected symbol near '='")
    }

    @Test func `another value than a string is kept`() throws {
        let error = try #require(fixture.failure(of: "error({ code = 7 })"))
        let lua = fixture.state.main
        lua.push(try #require(error.value))
        #expect(lua.rawGet(-1, "code") == .number)
        #expect(lua.integer(-1) == 7)
        lua.pop(2)
    }

    @Test func `a Swift error comes back as itself`() throws {
        let failure = Failure()
        fixture.define("fail") { _ in throw failure }
        let error = try #require(fixture.failure(of: "fail()"))
        #expect(error.kind == .host)
        #expect(error.cause as? Failure === failure)
        #expect(error.message == "the server is gone")
        #expect(error.line == 1)
        #expect(try fixture.run("return select(2, pcall(fail))") == "the server is gone")
        #expect(fixture.failure(of: "local _, e = pcall(fail) error(e)")?.cause as? Failure === failure)
    }

    @Test func `a presenter gives scripts another value for the same error`() throws {
        let failure = Failure()
        fixture.define("fail") { _ in throw failure }
        fixture.state.errorPresenter = { error, lua in
            guard error is Failure else { return false }
            lua.newTable()
            lua.push("gone")
            lua.rawSet(-2, "code")
            return true
        }
        #expect(try fixture.run("local _, e = pcall(fail) return e.code") == "gone")
        #expect(fixture.failure(of: "fail()")?.cause as? Failure === failure)
    }

    @Test func `a thousand errors release what the host functions held`() throws {
        let census = Thing.Census()
        fixture.define("fail") { _ in
            let thing = Thing(census)
            defer { thing.size = 0 }
            throw LuaUsageError("no")
        }
        fixture.define("nested") { arguments in
            let thing = Thing(census)
            defer { thing.size = 0 }
            arguments.lua.pushValue(at: 1)
            try arguments.lua.call(arguments: 0, results: 0, phase: Fixture.phase)
            return .results(0)
        }
        try fixture.run(
            """
            local entries = {
                fail, function() nested(fail) end, function() nested(function() local x = nil + 1 end) end,
                function() return setmetatable({}, { __index = fail }).x end,
                function() table.sort({ 3, 2, 1 }, fail) end, function() coroutine.wrap(fail)() end,
                function() string.gsub("a", "a", fail) end, function() for _ in fail do end end,
                function() local c <close> = setmetatable({}, { __close = fail }) end,
                function() nested(function() error({}) end) end,
            }
            for i = 1, 100 do for _, entry in ipairs(entries) do assert(not pcall(entry)) end end
            """)
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }
}
