import LuaRuntime
import Testing

@Suite struct SandboxTests {
    let fixture = Fixture()

    /// Sorted names of a table's fields.
    private func names(of table: String) throws -> String {
        try fixture.run(
            "local n = {} for k in pairs(\(table)) do n[#n + 1] = k end"
                + " table.sort(n) return table.concat(n, ' ')"
        )
    }

    @Test func `the globals are those of the allow-list`() throws {
        #expect(
            try names(of: "_G")
                == "_G _VERSION assert collectgarbage coroutine debug error getmetatable io ipairs load math "
                + "next os pairs pcall print rawequal rawget rawlen rawset require select setmetatable string "
                + "table tonumber tostring type utf8 xpcall")
        #expect(
            try names(of: "string")
                == "byte char find format gmatch gsub len lower match pack packsize rep reverse "
                + "sub unpack upper"
        )
        #expect(
            try names(of: "coroutine") == "close create isyieldable resume running status wrap yield")
    }

    @Test(arguments: [
        "os.execute", "os.exit", "os.remove", "io.open", "io.popen", "io.read", "debug.getregistry",
        "debug.sethook", "debug.getupvalue", "debug.setmetatable", "debug.getmetatable",
    ])
    func `what is missing says so`(name: String) {
        #expect(fixture.failure(of: "\(name)()")?.message == "'\(name)' is not available to scripts")
    }

    @Test func `bytecode is refused`() throws {
        #expect(try fixture.run("return select(2, load('\\27Lua', 'x', 'b'))").contains("attempt to load"))
        #expect(try fixture.run("return load('return ...', 'x', 't', {})(5)") == "5")
        #expect(try fixture.run("return load('return x', 'x', nil, { x = 4 })()") == "4")
        #expect(throws: LuaError.self) {
            try fixture.state.compile([27, 76, 117, 97, 84, 0], chunk: "a.luac")
        }
    }

    @Test func `garbage is counted and no more`() throws {
        #expect(try fixture.run("return math.type(collectgarbage('count'))") == "float")
        #expect(fixture.failure(of: "collectgarbage()") != nil)
    }

    @Test func `traceback and a trimmed getinfo are there`() throws {
        #expect(try fixture.run("return debug.traceback('x')").hasPrefix("x\nstack traceback:"))
        #expect(try fixture.run("return debug.getinfo(1, 'S').source") == "@test.lua")
        #expect(try fixture.run("return debug.getinfo(1).currentline") == "1")
        #expect(try fixture.run("return debug.getinfo(print).what") == "C")
        #expect(try fixture.run("return debug.getinfo(1, 'f').func") == "nil")
        #expect(try fixture.run("return os.getenv('HOME')") == "nil")
    }

    @Test func `of a deep stack the top is told`() throws {
        let source = """
            local function f(n) if n == 0 then return debug.traceback("deep") end return (f(n - 1)) end
            return f(5000)
            """
        let lines = try fixture.run(source).split(separator: "\n")
        #expect(lines.prefix(2) == ["deep", "stack traceback:"])
        #expect(lines[2] == "\ttest.lua:1: in upvalue 'f'")
        #expect(lines.count == 23 && lines.last == "\t...\t(a deep stack)")
        #expect(try fixture.run("return debug.traceback({}) ~= nil") == "true")
        #expect(try fixture.run("return debug.traceback('x', 1e6 // 1 | 0)") == "x\nstack traceback:")
        #expect(
            try fixture.run("return debug.traceback(coroutine.create(print), 'x')") == "x\nstack traceback:")
    }

    @Test func `the string metatable is out of reach`() throws {
        #expect(try fixture.run("return getmetatable('')") == "false")
        #expect(try fixture.run("return ('x'):upper()") == "X")
    }
}
