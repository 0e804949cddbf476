import LuaRuntime
import Testing

/// Numbers that distinguish functions by their behaviour.
struct FingerprintTests {
    /// The fingerprint of the function that the chunk returns, in a new state.
    private func fingerprint(_ source: String, freezes: Bool = true) throws -> UInt64? {
        let fixture = Fixture(memoryLimit: 64 << 20)
        let lua = fixture.state.main
        lua.push(try fixture.state.compile(source, chunk: "test.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        let function = lua.reference(-1)
        lua.pop()
        if freezes { try fixture.state.mainSandbox.freezeGlobals() }
        let first = fixture.state.fingerprint(of: function)
        #expect(first == fixture.state.fingerprint(of: function))
        return first
    }

    @Test(arguments: [
        ("return function(x) return x.a end", "\n\n-- moved\nreturn function(y)\n  return y.a\nend"),
        (
            "local k = { 1, 2, a = { b = 'c' } } return function() return k end",
            "\nlocal k = { a = { b = 'c' }, 1, 2 } return function() return k end"
        ),
        ("local function f() return f end return f", "\n\nlocal function f() return f end return f"),
        (
            "function helper(x) return x + 1 end return function(x) return helper(x) end",
            "\nfunction helper(x) return x + 1 end return function(x) return helper(x) end"
        ),
        (
            "local M = {} M.__index = M function M.a() return M.b() end function M.b() return M.a() end return M.a",
            "\nlocal M = {} M.__index = M function M.b() return M.a() end function M.a() return M.b() end return M.a"
        ),
        ("return string.upper", "return string.upper"),
        (
            "local k = { [1 << 53] = 1, [(1 << 53) + 1] = 2, [-1e300] = 3 } return function() return k end",
            "local k = { [-1e300] = 3, [(1 << 53) + 1] = 2, [1 << 53] = 1 } return function() return k end"
        ),
        (
            "local t = setmetatable({}, { __index = { 5 } }) return function() return t end",
            "local t = setmetatable({}, { __index = { 5 } }) return function() return t end"
        ),
    ])
    func `the same code has the same number, wherever it stands`(one: String, other: String) throws {
        #expect(try fingerprint(one) != nil)
        #expect(try fingerprint(one) == fingerprint(other))
    }

    @Test(arguments: [
        ("return function(x) return x.a end", "return function(x) return x.b end"),
        ("return function(x) return x + 1 end", "return function(x) return x + 2 end"),
        ("return function(x) return x + 1 end", "return function(x) return x - 1 end"),
        ("return function(x) return 1 end", "return function(x) return 1.0 end"),
        ("return function(...) return 1 end", "return function() return 1 end"),
        ("local k = 1 return function() return k end", "local k = 2 return function() return k end"),
        ("local k = '1' return function() return k end", "local k = 1 return function() return k end"),
        (
            "local k = { a = { 1 } } return function() return k end",
            "local k = { a = { 2 } } return function() return k end"
        ),
        (
            "local k = { a = 1 } return function() return k end",
            "local k = { b = 1 } return function() return k end"
        ),
        (
            "local function f() return 1 end return function() return f() end",
            "local function f() return 2 end return function() return f() end"
        ),
        (
            "function helper(x) return x + 1 end return function(x) return helper(x) end",
            "function helper(x) return x + 2 end return function(x) return helper(x) end"
        ),
        (
            "return function() return function() return 1 end end",
            "return function() return function() return 2 end end"
        ),
        (
            "local t = setmetatable({}, { __index = { 5 } }) return function() return t end",
            "local t = setmetatable({}, { __index = { 6 } }) return function() return t end"
        ),
        ("return string.upper", "return string.lower"),
        (
            "local k = { [1e300] = 1, [math.huge] = 2, [1.5] = 3 } return function() return k end",
            "local k = { [1e300] = 2, [math.huge] = 1, [1.5] = 3 } return function() return k end"
        ),
        (
            "local k = { [1 << 53] = 1, [(1 << 53) + 1] = 2 } return function() return k end",
            "local k = { [1 << 53] = 2, [(1 << 53) + 1] = 1 } return function() return k end"
        ),
        (
            "local k = { [math.maxinteger] = 1 } return function() return k end",
            "local k = { [2.0 ^ 63] = 1 } return function() return k end"
        ),
    ])
    func `functions with other behaviour have another number`(one: String, other: String) throws {
        #expect(try fingerprint(one) != fingerprint(other))
    }

    @Test func `what is too large to look at has none`() throws {
        #expect(
            try fingerprint(
                "local t = {} for i = 1, 20000 do t[i] = { i } end return function() return t end")
                == nil)
        #expect(
            try fingerprint("local t = {} for i = 1, 1000 do t = { t } end return function() return t end")
                == nil)
    }

    @Test func `looking leaves the stack and the values as they were`() throws {
        let fixture = Fixture()
        let lua = fixture.state.main
        lua.push(
            try fixture.state.compile(
                "local calls = 0 local t = setmetatable({ 1 }, { __index = function() calls = calls + 1 end }) "
                    + "return function() return t, calls end", chunk: "test.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        let function = lua.reference(-1)
        lua.pop()
        let height = lua.top
        let before = fixture.state.fingerprint(of: function)
        #expect(before != nil && before == fixture.state.fingerprint(of: function))
        #expect(lua.top == height)
        lua.push(function)
        try lua.call(arguments: 0, results: 2, phase: Fixture.phase)
        #expect(lua.integer(-1) == 0)
    }

    @Test func `what is the same text in many places is too much to look at`() throws {
        let source = "local s = ('x'):rep(1 << 20) local t = {} for i = 1, 1000 do t[i] = s end "
        #expect(try fingerprint(source + "return function() return t end") == nil)
        #expect(try fingerprint(source + "return function() return s end") != nil)
    }
}
