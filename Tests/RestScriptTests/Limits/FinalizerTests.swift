import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Ways to a metatable from which Lua's collector could take a finalizer. The finalizers must not run,
/// because they would be outside of every budget.
@Suite(.leakChecked) @EngineActor
struct FinalizerTests {
    /// `f` must not run; `garbage()` makes garbage.
    private static let prelude =
        ScriptFixture.prelude + """
            local function f() print("a finalizer ran") end \
            local function garbage() for _ = 1, 20000 do local x = { {} } end end \
            local function refused(fn, ...) local ok, e = pcall(fn, ...) print(ok, e) end 
            """

    /// The script's output after all of its objects have been collected.
    private func output(_ source: String) throws -> [String] {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source, prelude: Self.prelude)
        fixture.settle()
        for _ in 0..<4 { fixture.context?.state.collectGarbage() }
        fixture.close()
        return fixture.lines
    }

    @Test(arguments: ["rest.json.array {}", "rest.json.object {}", "rest.json.decode '[1]'"])
    func `the marks of arrays and objects are locked`(marked: String) throws {
        let lines = try output(
            """
            local t = \(marked)
            refused(function() getmetatable(t).__gc = f end)
            refused(function() getmetatable(t).__mode = "kv" end)
            refused(function() setmetatable({}, getmetatable(t)) end)
            local decoded = rest.json.decode('[[1],[{}],[3]]')
            t = nil
            garbage()
            print(#decoded, decoded[2][1] ~= nil, decoded[3][1])
            """)
        #expect(lines.count == 4)
        #expect(lines[0].contains("false\ttest.lua:2: attempt to index a string value"))
        #expect(lines[1].contains("false\ttest.lua:3: attempt to index a string value"))
        #expect(lines[2].contains("bad argument #2 to 'setmetatable' (nil or table expected, got string)"))
        #expect(lines[3] == "3\ttrue\t3")
    }

    @Test func `a mark says what it is, and may be replaced by a class or taken off`() throws {
        let lines = try output(
            """
            local List = { __index = { first = function(self) return self[1] end } }
            local list = rest.json.decode('[7]')
            print(getmetatable(list), getmetatable(rest.json.object {}))
            print(setmetatable(list, List):first(), getmetatable(list) == List)
            print(rest.json.encode(setmetatable(rest.json.array {}, nil)), rest.json.encode(rest.json.object(rest.json.array {})))
            """)
        #expect(lines == ["array\tobject", "7\ttrue", "{}\t{}"])
    }

    @Test(arguments: ["string", "rest", "rest.json", "setmetatable({}, { __metatable = 'mine' })"])
    func `what is protected can't be marked`(table: String) throws {
        let lines = try output(
            """
            local t = \(table)
            rest.after(0, function() refused(rest.json.array, t) refused(rest.json.object, t) end)
            """)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("its metatable is protected; give a table of your own") })
    }

    @Test func `a class that gets one later has none`() throws {
        let lines = try output(
            """
            local C = { __index = {} }
            local resource = api:resource("json")
            resource:override_local_content(setmetatable({ n = 1 }, C))
            C.__gc = f
            for _ = 1, 50 do local c = resource.latest_data.content garbage() assert(c.n == 1) end
            refused(setmetatable, {}, C)
            C.__gc = false
            refused(setmetatable, {}, C)
            """)
        let refusal = "false\t'__gc' is not available to scripts: use '__close' or an explicit call"
        #expect(lines == [refusal, refusal])
    }

    @Test(arguments: ["_G", "math", "string", "table"])
    func `globals and libraries are not frozen with one`(table: String) {
        let source = "local m = {} setmetatable(\(table), m) m.__gc = function() print('a finalizer ran') end"
        let fixture = ScriptFixture()
        let error = fixture.failure(of: source)
        #expect(error?.message == "'__gc' is not available to scripts: use '__close' or an explicit call")
        #expect(error?.file == "test.lua")
        #expect(fixture.lines == [])
    }

    @Test func `a class in a library's place is frozen without one`() throws {
        let lines = try output(
            """
            local C = {} C.__index = C
            local held = setmetatable({}, C)
            C.__gc = f
            math = C
            rest.after(0, function() held = nil garbage() refused(function() C.__gc = nil end) end)
            """)
        #expect(lines.count == 1 && lines[0].hasPrefix("false\t"))
    }

    @Test func `functions, strings, null and host objects are out of reach`() throws {
        let lines = try output(
            """
            for _, v in ipairs { "", print, rest.null, api, rest.store, coroutine.create(print), 1, true } do
              print(type(v), getmetatable(v), debug.getmetatable(v))
            end
            """)
        #expect(
            lines == [
                "string\tfalse\tfalse", "function\tnil\tnil", "userdata\tfalse\tfalse",
                "userdata\tfalse\tfalse",
                "userdata\tfalse\tfalse", "thread\tnil\tnil", "number\tnil\tnil", "boolean\tnil\tnil",
            ])
    }

    @Test func `a module's classes and marks have none`() async throws {
        let module = """
            local C = { __index = {} }
            local function f() rest.log.info("a finalizer ran") end
            return function(content)
              local ok = pcall(function() getmetatable(rest.json.array {}).__gc = f end)
              local m = {}
              local t = setmetatable({}, m)
              m.__gc = f
              t = nil
              for _ = 1, 20000 do local x = { {} } end
              return { refused = not ok, again = not pcall(setmetatable, {}, m) }
            end
            """
        let lines = try await RestScriptTests.output(
            """
            api:configure_transformer("**", "m")
            rest.spawn(function()
              local c = api:resource("json"):get()
              print(c.refused, c.again)
            end)
            """, modules: ["m": module])
        #expect(lines == ["true\ttrue"])
    }

    @Test func `what a test file shares with hosts has none`() async throws {
        let failure = try await testFailure(
            """
            host:stub("GET", "**", { json = { 1 } })
            local stub = host:stub("POST", "**", { json = { 1 } })
            for i = 1, 2 do
              local entity = api:resource("a"):request("POST", { json = { i } }):await()
              local headers = stub.requests[i].headers
              t.equal(getmetatable(headers), false)
              t.raises(function() getmetatable(headers).__gc = print end, "attempt to index a boolean")
            end
            t.raises(function() getmetatable(rest.json.decode("[]")).__gc = print end, "attempt to index a string")
            t.raises(function() setmetatable({}, { __gc = print }) end, "'__gc' is not available")
            """)
        #expect(failure == nil)
    }
}
