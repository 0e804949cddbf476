import LuaRuntime
import Testing

@Suite struct SandboxTests {
    let fixture = Fixture()

    /// All globals of a fresh state, except functions of older Lua versions, which some builds keep. Values
    /// that are no functions have their type behind the name.
    private static let allowed = """
        _G: assert collectgarbage dofile error getmetatable ipairs load loadfile next pairs pcall print rawequal rawget \
        rawlen rawset require select setmetatable tonumber tostring type warn xpcall _VERSION=string
        coroutine: close create isyieldable resume running status wrap yield
        debug: debug gethook getinfo getlocal getmetatable getregistry getupvalue getuservalue setcstacklimit sethook \
        setlocal setmetatable setupvalue setuservalue traceback upvalueid upvaluejoin
        io: close flush input lines open output popen read tmpfile type write stderr=table stdin=table stdout=table
        math: abs acos asin atan ceil cos deg exp floor fmod log max min modf rad random randomseed sin sqrt tan \
        tointeger type ult huge=number maxinteger=number mininteger=number pi=number
        os: clock date difftime execute exit getenv remove rename setlocale time tmpname
        package: loadlib searchpath config=string cpath=string loaded=table path=string preload=table
        string: byte char dump find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper
        table: concat insert move pack remove sort unpack
        utf8: char codepoint codes len offset charpattern=string
        """

    @Test func `the globals are those of the allow-list`() throws {
        let source = """
            local lines, names = {}, {}
            local function list(name, t)
              local functions, others = {}, {}
              for k, v in pairs(t) do
                if (" atan2 cosh frexp ldexp log10 pow sinh tanh "):find(" " .. k .. " ", 1, true) then
                elseif type(v) == "function" then functions[#functions + 1] = k
                elseif type(v) == "table" then if t ~= _G then others[#others + 1] = k .. "=table" end
                else others[#others + 1] = k .. "=" .. type(v) end
              end
              table.sort(functions) table.sort(others)
              table.move(others, 1, #others, #functions + 1, functions)
              lines[#lines + 1] = name .. ": " .. table.concat(functions, " ")
            end
            for name, value in pairs(_G) do if type(value) == "table" then names[#names + 1] = name end end
            table.sort(names)
            for _, name in ipairs(names) do list(name, _G[name]) end
            return table.concat(lines, "\\n")
            """
        #expect(try fixture.run(source) == Self.allowed)
        let lua = fixture.state.main
        lua.push(try fixture.state.makeSandbox().compile(source, chunk: "sandbox.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        #expect(lua.string(-1) == Self.allowed)
        lua.pop()
    }

    @Test(arguments: [
        "os.execute", "os.exit", "os.remove", "io.open", "io.popen", "io.read", "debug.getregistry",
        "debug.sethook", "debug.getupvalue", "debug.setmetatable", "loadfile", "dofile",
        "string.dump", "package.loadlib", "package.searchpath", "io.stdin:read",
    ])
    func `what is missing says so`(name: String) {
        #expect(fixture.failure(of: "\(name)()")?.message == "'\(name)' is not available to scripts")
    }

    @Test func `what is missing says what to do instead`() {
        var options = LuaOptions()
        options.advice = ["os.execute": "ask someone else"]
        let state = LuaState(options)
        defer { state.close() }
        let lua = state.main
        do {
            lua.push(try state.compile("os.execute()", chunk: "a.lua"))
            try lua.call(arguments: 0, results: 0, phase: Fixture.phase)
            Issue.record("nothing was raised")
        } catch {
            #expect("\(error)" == "a.lua:1: 'os.execute' is not available to scripts: ask someone else")
        }
    }

    @Test func `standard output and warnings are the script's output`() throws {
        try fixture.run(
            "io.stdout:write('a', 1):write('b') io.stderr:write('c') io.stdout:flush() io.write('d')")
        try fixture.run("warn('@on') warn('e', 2)")
        #expect(fixture.printed == "a1bcdwarning: e2\n")
        #expect(
            try fixture.run("return tostring(io.type(io.stdout)) .. tostring(debug.gethook())") == "nilnil")
    }

    @Test func `a message of megabytes is cut`() throws {
        let fixture = Fixture(memoryLimit: 64 << 20)
        for source in [
            "error(('x'):rep(5000000))",
            "error(setmetatable({}, { __tostring = function() return ('x'):rep(5000000) end }))",
        ] {
            let error = try #require(fixture.failure(of: source))
            #expect(error.message.hasPrefix("xxx") && error.message.hasSuffix("x… (4.8 MiB in all)"))
            #expect(error.message.utf8.count < 9000)
        }
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

    @Test func `a deep stack is reported with its top`() throws {
        let fixture = Fixture(memoryLimit: 64 << 20)
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
        #expect(try fixture.run("return tostring(debug.getmetatable(''))") == "false")
        #expect(try fixture.run("return ('x'):upper()") == "X")
    }
}
