import LuaRuntime
import Testing

@Suite struct FrozenGlobalsTests {
    let fixture = Fixture()

    init() throws {
        try fixture.run(
            "mine = { n = 1 } function helper() return mine.n end string.trim = function(s) return s:match('%S+') end"
        )
        try fixture.state.mainSandbox.freezeGlobals()
        try fixture.state.mainSandbox.freezeGlobals()
    }

    @Test func `all is there as before`() throws {
        #expect(try fixture.run("return helper() + mine.n + _G.mine.n + rawget(_G, 'mine').n") == "4")
        #expect(
            try fixture.run("return type(print) .. type(string.format) .. #(('x'):rep(3))")
                == "functionfunction3")
        #expect(
            try fixture.run("return (' a '):trim() .. string.trim(' b ') .. tostring(_G == _G._G)")
                == "abtrue")
        #expect(try fixture.run("return tostring(nothing) .. tostring(rawget(_G, 'nothing'))") == "nilnil")
        #expect(try fixture.run("mine.n = 5 return helper()") == "5")
        #expect(try fixture.run("return load('return mine.n + #_VERSION')()") == "12")
    }

    @Test func `all names can be gone through`() throws {
        let names = """
            local n = {}
            for k, v in pairs(TABLE) do assert(rawequal(v, TABLE[k])) n[#n + 1] = k end
            for k in next, TABLE do n[#n + 1] = k end
            local k = next(TABLE)
            assert(TABLE[k] ~= nil)
            return #n
            """
        // Twice the number of a fresh state, and the two that the script made.
        let fresh = try Fixture().run(names.replacing("TABLE", with: "_G"))
        #expect(try Int(fixture.run(names.replacing("TABLE", with: "_G"))) == (Int(fresh) ?? 0) + 4)
        #expect(try fixture.run(names.replacing("TABLE", with: "coroutine")) == "16")
        #expect(try fixture.run("return pairs({}) == next and pairs(_G) == next") == "true")
    }

    @Test(arguments: [
        ("x = 1", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        ("_G.x = 1", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        ("_ENV.x = 1", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        ("rawset(_G, 'x', 1)", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        ("function x() end", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        ("load('x = 1', '=(load)')()", "cannot make 'x' a global once the script is loaded: write 'local x'"),
        (
            "mine = nil",
            "cannot change the global 'mine' once the script is loaded: write 'local mine' at the top of its file"
        ),
        (
            "print = nil",
            "cannot change the global 'print' once the script is loaded: write 'local print' at the top of its file"
        ),
        (
            "string.format = nil",
            "cannot change 'string.format' once the script is loaded: keep what is yours in a table of your own"
        ),
        (
            "rawset(math, 'pi', 3)",
            "cannot change 'math.pi' once the script is loaded: keep what is yours in a table of your own"
        ),
        (
            "table.insert(table, 1)",
            "cannot change 'table.1' once the script is loaded: keep what is yours in a table of your own"
        ),
        ("setmetatable(_G, {})", "cannot change a protected metatable"),
        ("setmetatable(string, {})", "cannot change a protected metatable"),
        ("getmetatable(_G).__newindex = nil", "attempt to index a boolean value"),
        ("getmetatable('').__index = nil", "attempt to index a boolean value"),
    ])
    func `nothing can be changed`(source: String, message: String) throws {
        let error = try #require(fixture.failure(of: "\n" + source))
        #expect(error.message.hasPrefix(message), "\(error)")
        #expect(error.line == 2 || error.file == "(load)")
        #expect(
            try fixture.run("return type(print) .. type(string.format) .. tostring(x) .. mine.n")
                == "functionfunctionnil1")
    }

    @Test func `a metatable that the script gave its globals goes on`() throws {
        let fixture = Fixture()
        try fixture.run(
            """
            setmetatable(_G, {
              __index = function(_, name) error("undeclared " .. name, 2) end,
              __newindex = function(t, name, value) rawset(t, name, value) end,
            })
            known = 1
            """)
        try fixture.state.mainSandbox.freezeGlobals()
        #expect(try fixture.run("return known") == "1")
        #expect(fixture.failure(of: "return unknown")?.message == "undeclared unknown")
        #expect(
            fixture.failure(of: "unknown = 1")?.message.hasPrefix("cannot make 'unknown' a global") == true)
        #expect(fixture.state.close().isClean)
    }

    @Test func `sandboxes freeze one by one`() throws {
        let fixture = Fixture()
        let sandbox = fixture.state.makeSandbox()
        func run(_ source: String) throws -> String {
            let lua = fixture.state.main
            lua.push(try sandbox.compile(source, chunk: "sandbox.lua"))
            try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
            defer { lua.pop() }
            return try lua.tostring(-1)
        }
        _ = try run("mine = 1")
        try sandbox.freezeGlobals()
        #expect(throws: LuaError.self) { try run("mine = 2") }
        #expect(throws: LuaError.self) { try run("string.trim = 2") }
        #expect(throws: LuaError.self) { try run("table.x = 2") }
        #expect(
            try run("local n = 0 for _ in pairs(string) do n = n + 1 end return n .. ('x'):upper() .. mine")
                == "17X1")
        #expect(try fixture.run("mine = 5 string.trim = 1 table.x = 2 return mine") == "5")
        #expect(try run("return tostring(table.x) .. mine") == "nil1")
        sandbox.close()
        #expect(fixture.state.close().isClean)
    }

    @Test func `a table of the host's can be frozen`() throws {
        let fixture = Fixture()
        let lua = fixture.state.main
        lua.pushGlobals()
        lua.newTable()
        lua.push(1)
        lua.rawSet(-2, "one")
        lua.freeze { call in throw LuaUsageError("no \(call.lua.string(2) ?? "?") here") }
        lua.rawSet(-2, "host")
        lua.pop()
        #expect(try fixture.run("return host.one .. tostring(host.two)") == "1nil")
        #expect(fixture.failure(of: "host.one = 2")?.message == "no one here")
        #expect(fixture.failure(of: "rawset(host, 'two', 2)")?.message == "no two here")
        #expect(try fixture.run("for k, v in pairs(host) do return k .. v end") == "one1")
        #expect(fixture.state.close().isClean)
    }
}
