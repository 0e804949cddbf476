import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CheckingTests {
    private nonisolated static let holds = [
        "t.equal(1, 1.0)", "t.equal('a', 'a')", "t.equal(nil, nil)", "t.equal({}, {})",
        "t.equal(2^53, 1 << 53)",
        "t.equal({ 1, { 2, x = 'y' } }, { 1, { 2, x = 'y' } })",
        "t.equal(setmetatable({ 1 }, { __eq = error, __index = error, __len = error, __pairs = error }), { 1 })",
        "local a, b = {}, {} a.self, b.self = a, b t.equal(a, b)",
        "local a = {} a[1] = { a } local b = {} b[1] = { b } t.equal(a, b)",
        "local a = {} a.a = { a = a } local b = {} b.a = b t.equal(a, b)",
        "t.equal(rest.null, rest.null)", "t.equal({ rest.null }, rest.json.decode('[null]'))",
        "t.equal(rest.json.array { 1 }, { 1 })", "t.equal(rest.json.decode('{\"a\":[]}'), { a = {} })",
        "t.equal(api:resource('a'), api:resource('/a'))", "t.equal(print, print)",
        "local k = {} t.equal({ [k] = 1 }, { [k] = 1 })",
        "t.equal({ [1.0] = 'a' }, { 'a' })", "t.equal({ [1] = 1, [2] = 2 }, { 1, 2 })",
        "local a, b = {}, {} for i = 1, 1000 do a[i], b[i] = { n = i }, { n = i } end t.equal(a, b)",
        "local function deep(n) local t = {} for i = 1, n do t = { t } end return t end t.equal(deep(20000), deep(20000))",
        "t.equal(select('#', t.assert(1, nil, 3)), 3)", "t.equal((t.assert('x')), 'x')", "t.assert({})",
        "t.assert(0)",
        "t.equal(t.matches('key=value', '(%w+)=(%w+)'), 'key')", "t.equal(t.matches('abc', 'b.'), 'bc')",
        // Plain text matches too, even if it is no valid pattern.
        "t.equal(t.matches('is read-only (x)?', 'read-only (x)?'), 'read-only (x)?')",
        "t.raises(function() error('unknown option a[b: did you mean c?') end, 'option a[b: did')",
        "t.matches(15, '^15$')", "t.matches(rest.error { user_message = 'Mine' }, 'Mine')",
        "t.raises(error)", "t.raises(function() error('boom') end, 'boom$')",
        "t.equal(t.raises(function() error('boom', 0) end), 'boom')",
        "local e = {} local m, raised = t.raises(function() error(e) end) t.equal(raised, e) t.equal(m, '{}')",
        "t.equal(t.raises(function() error({ code = 5 }) end, 'code = 5'), '{ code = 5 }')",
        "t.equal(t.raises(function() error(rest.error { user_message = 'Mine' }) end), 'Mine')",
        "t.equal(t.raises(function() error(nil) end), 'nil')",
        "t.raises(function() rest.sleep(0) error('late', 0) end, '^late$')",
        "t.raises(function() t.raises(function() end) end, 'expected an error, but the function returned nil')",
        "t.raises(function() t.equal(1, 2) end, 'values differ')",
        "t.raises(function() t.fail('a') end, 'a$')",
        "local ok, message = pcall(t.equal, 1, 2) t.equal(ok, false) t.matches(message, '^.*:1: the values differ')",
    ]

    @Test(arguments: holds)
    func `what holds passes`(body: String) async throws {
        #expect(try await testFailure(body) == nil)
    }

    @Test func `47.1 an excerpt of long texts hides secrets`() async throws {
        let failure = try await testFailure(
            """
            local function body(text) return '{"user":"me","password":"' .. ('k'):rep(200) .. text .. '"}' end
            t.equal(body 'a', body 'b')
            """)
        #expect(failure?.contains("***") == true && failure?.contains("kk") == false, "\(failure ?? "")")
    }

    private nonisolated static let fails: [(body: String, message: String)] = [
        ("t.assert(nil)", "1: assertion failed: the value is nil"),
        ("\nt.assert(false, 'no luck')", "2: no luck"), ("t.assert(1 == 2, 5)", "1: 5"),
        (
            "t.assert(nil, rest.error { user_message = 'Mine', http_status_code = 404 })",
            "1: Mine (404 Not Found)"
        ),
        ("t.assert(nil, setmetatable({}, { __tostring = function() return 'said' end }))", "1: said"),
        ("t.assert(nil, setmetatable({}, { __tostring = function() error('x') end }))", "1: {}"),
        ("t.assert(nil, { a = 1 })", "1: { a = 1 }"),
        ("t.assert()", "1: bad argument #1 'value' to 't.assert' (value expected)"),
        ("t.fail()", "1: t.fail was called"), ("t.fail('stop')", "1: stop"),
        ("t.equal(1)", "1: bad argument #2 'expected' to 't.equal' (value expected)"),
        ("t.equal(1, '1')", "1: the values differ\n  expected: \"1\"\n  actual:   1"),
        ("t.equal(1, 2, 'sum')", "1: sum: the values differ\n  expected: 2\n  actual:   1"),
        ("t.equal(1, 1.5)", "1: the values differ\n  expected: 1.5\n  actual:   1"),
        ("t.equal(nil, rest.null)", "1: the values differ\n  expected: null\n  actual:   nil"),
        ("t.equal({ a = 1 }, { a = 2 })", "1: the values differ at .a\n  expected: 2\n  actual:   1"),
        ("t.equal({ a = 1 }, {})", "1: the values differ at .a\n  expected: nil\n  actual:   1"),
        ("t.equal({}, { ['a b'] = 1 })", "1: the values differ at [\"a b\"]\n  expected: 1\n  actual:   nil"),
        ("t.equal({ 1, 2 }, { 1, 2, 3 })", "1: the values differ at [3]\n  expected: 3\n  actual:   nil"),
        ("t.equal({ false }, {})", "1: the values differ at [1]\n  expected: nil\n  actual:   false"),
        (
            "t.equal({ users = { { name = 'a' } } }, { users = { { name = 'b' } } })",
            "1: the values differ at .users[1].name\n  expected: \"b\"\n  actual:   \"a\""
        ),
        (
            "t.equal({ b = 1, a = { 1 } }, { b = 2, a = { 2 } })",
            "1: the values differ\n  at .b\n    expected: 2\n    actual:   1\n  at .a[1]\n    expected: 2\n    actual:   1"
        ),
        ("t.equal({}, 'a')", "1: the values differ\n  expected: \"a\"\n  actual:   {}"),
        ("t.equal({ { } }, { 'a' })", "1: the values differ at [1]\n  expected: \"a\"\n  actual:   {}"),
        (
            "t.equal('a\\n\\0\\xff', 'a')",
            "1: the values differ\n  expected: \"a\"\n  actual:   \"a\\n\\x00\\xff\""
        ),
        (
            "t.equal(rest.entity { content = 'a' }, rest.entity { content = 'a' })",
            "1: the values differ\n  expected: entity (text, application/octet-stream)\n  actual:   entity (text, application/octet-stream) (another one)"
        ),
        (
            "t.equal({ [{}] = 1 }, { [{}] = 1 })",
            "1: the values differ\n  at [{}]\n    expected: nil\n    actual:   1\n  at [{}]"
        ),
        ("local a, b = {}, {} a.s, b.s, b.x = a, b, 1 t.equal(a, b)", "1: the values differ at .x"),
        (
            "local a = {} a.a = a t.equal(a, 1)",
            "1: the values differ\n  expected: 1\n  actual:   { a = <the same table> }"
        ),
        (
            "t.matches('abc', 'x')",
            "1: the text doesn't match the pattern\n  pattern: \"x\"\n  text:    \"abc\""
        ),
        ("t.matches(nil, 'x')", "1: expected a text, got nil"),
        ("t.matches({}, 'x')", "1: expected a text, got {}"),
        ("t.matches('a')", "1: bad argument #2 'pattern' to 't.matches' (string expected, got no value)"),
        ("t.matches('a', '[')", "1: bad pattern: malformed pattern (missing ']')"),
        ("t.raises(function() return 5 end)", "1: expected an error, but the function returned 5"),
        (
            "t.raises(function() error('boom', 0) end, 'bang')",
            "1: the error doesn't match the pattern\n  pattern: \"bang\"\n  error:   \"boom\""
        ),
        ("t.raises()", "1: bad argument #1 to 'raises' (function expected, got no value)"),
        ("t.raises(nil, 'x')", "1: bad argument #1 to 'raises' (function expected, got nil)"),
        ("t.raises(error, 5)", "1: bad argument #2 'pattern' to 't.raises' (string expected, got number)"),
        ("t.raises(function() rest.sleep(0) end)", "1: expected an error, but the function returned nil"),
        ("error({ code = 5, words = { 'a' } })", "1: { code = 5, words = { \"a\" } }"),
        (
            "error(setmetatable({}, { __tostring = function() error('x') end }))",
            "1: (error object is a table value)"
        ),
        ("error(rest.error { user_message = 'Mine' })", "1: Mine"), ("error()", "1: nil"),
        ("local x = nil + 1", "1: attempt to perform arithmetic on a nil value"),
    ]

    @Test(arguments: fails)
    func `a failed check reports its values and place`(body: String, message: String) async throws {
        let failure = try #require(try await testFailure(body))
        #expect(failure.hasPrefix(message), "\(failure)")
    }

    @Test func `a large difference is reported in few words`() async throws {
        let failure = try #require(
            try await testFailure(
                """
                local a, b = {}, {}
                for i = 1, 50000 do a[i], b[i] = { n = i, text = ("x"):rep(1000) .. i }, { n = -i, text = ("x"):rep(1000) .. -i } end
                t.equal(a, b)
                """))
        #expect(failure.utf8.count < 4000)
        #expect(
            failure.hasPrefix(
                "3: the values differ\n  at [1].n\n    expected: -1\n    actual:   1\n  at [1].text"))
        #expect(failure.hasSuffix("\n  and at other places"))
        #expect(failure.contains("(1002 bytes, from byte 1001 on)"))
    }

    @Test func `big values are cut`() async throws {
        let failure = try #require(
            try await testFailure(
                """
                local wide, deep = {}, {}
                for i = 1, 1000 do wide["k" .. i] = ("y"):rep(500) end
                for i = 1, 100 do deep = { deep } end
                t.equal({ wide, deep }, nil)
                """))
        #expect(failure.utf8.count < 2500, "\(failure)")
        #expect(failure.contains("… (500 bytes)"))
    }

    @Test(arguments: [
        "api:resource('a'):load():on_success(function() t.equal(1, 2) end)",
        "rest.spawn(function() rest.sleep(0) t.equal(1, 2) end)",
        "rest.after(0, function() t.equal(1, 2) end)",
        "api:configure(function(c) t.equal(1, 2) end) api:resource('a'):load()",
        "api:configure_transformer('**', function(c) t.equal(1, 2) end) api:resource('a'):load()",
        "host:stub('GET', '*', function() t.equal(1, 2) end) api:resource('a'):load()",
        "api:resource('a'):request('GET', { mutate = function() t.equal(1, 2) end })",
    ])
    func `an assertion in a function that others call fails the test`(body: String) async throws {
        let failure = try await testFailure(
            "host:stub('GET', '/a', { text = 'a' })\n\(body)\nhost:settle() print('goes on')")
        #expect(failure == "2: the values differ\n  expected: 2\n  actual:   1")
    }

    @Test func `after a failure nothing holds any more`() async throws {
        let fixture = TestFileFixture()
        try fixture.load(
            """
            t.test("it", function()
              local host = t.host()
              host.rest.service { name = "api", base_url = "https://h.test" }:resource("a"):load()
              local calls = {
                function() t.equal(1, 1) end, function() t.assert(true) end, function() t.matches("a", "a") end,
                function() t.raises(error) end, function() t.fail("other") end, function() t.host() end,
                function() t.load "x.lua" end, function() host:stub("GET", "https://h.test/") end,
                function() return host.services end, function() return host.rest end, function() host:settle() end,
              }
              for i, call in ipairs(calls) do print(i, select(2, pcall(call))) end
              coroutine.yield()
            end)
            """)
        await fixture.run()
        #expect(fixture.lines.first?.hasPrefix("it: 3: GET https://h.test/a has no stub") == true)
        #expect(fixture.output == (1...11).map { "\($0)\tthe test has failed already" })
        fixture.close()
    }
}
