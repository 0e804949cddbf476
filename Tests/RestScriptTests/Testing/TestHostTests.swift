import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct TestHostTests {
    private static let main = """
        local rest = require "resthost"
        name = "main"
        local api = rest.service { name = "api", base_url = "https://api.test/v1" }
        api:configure("/slow", function(c) c.expiration_time = 5 end)
        function told(...) return rest.json.encode({ ... }) end
        """

    private func results(_ body: String, scripts: [String: String] = [:]) async throws -> [String] {
        try await testResults(
            "t.test('it', function()\n\(body)\nend)", scripts: scripts.merging(["main.lua": Self.main]) { $1 }
        )
    }

    private nonisolated static let bodies = [
        // Each script has its own globals, modules and library.
        "local a, b = t.load 'main.lua', t.load 'main.lua' t.assert(a ~= b) t.assert(a.rest ~= b.rest) t.equal(name, nil)",
        "local a = t.load 'main.lua' t.equal(a.rest, a.rest) t.equal(a.services.api, a.services.api)",
        "local a = t.load { source = 'seen = require \"resthost\" return 5' } t.assert(a.rest.null)",
        "local a, b = t.host(), t.host() t.assert(a.rest ~= b.rest) t.equal(a.rest.null, b.rest.null)",
        "table.mine = 1 t.load { source = 'assert(not table.mine) table.other = 1' } t.equal(table.other, nil)",
        "t.load { source = 'assert(load(\"return x\")() == nil) x = 5 assert(load(\"return x\")() == 5)' } t.equal(x, nil)",
        "local a = t.load 'users.lua' t.equal(a.services.users.name, 'users')",
        // Values and objects of one host can be used in another.
        "local a, b = t.host(), t.host() t.equal(b.rest.json.encode(a.rest.json.array {}), '[]')",
        "local a, b = t.host(), t.host() local r = b.rest.success(a.rest.entity { content = 5 }) t.equal(r.entity.content, 5)",
        "local a, b = t.host(), t.host() t.equal(b.rest.failure(a.rest.error { user_message = 'm' }).error.user_message, 'm')",
        """
        local a, b = t.host(), t.host()
        local Point = {} Point.__index = Point
        local s = b.rest.service { name = "s", base_url = "https://b.test" }
        b:stub("GET", "**", { json = { x = 1 } })
        s:configure_transformer("**", { output = Point }, function(c) return setmetatable(c, Point) end)
        local content = t.assert(s:resource("a"):get())
        t.equal(getmetatable(content), Point)
        local other = a.rest.entity { content = content }
        t.equal(getmetatable(other.content), Point)
        """,
        """
        local a, b = t.host(), t.host()
        local one = a.rest.service { name = "s", base_url = "https://a.test" }
        local two = b.rest.service { name = "s", base_url = "https://b.test" }
        a:stub("GET", "**", { text = "of a" })
        two:resource("x"):load_using(one:resource("y"):request("GET"))
        a:settle()
        t.equal(two:resource("x").text, "of a")
        """,
        "local a, b = t.host(), t.host() a:stub('GET', '/x', { text = 'a' }) b:stub('GET', '/x', { text = 'b' })"
            .replacing(
                "a:stub",
                with:
                    "local s = a.rest.service { base_url = 'https://h.test' } local u = b.rest.service { base_url = 'https://h.test' } a:stub"
            )
            + " t.equal(s:resource('x'):get(), 'a') t.equal(u:resource('x'):get(), 'b') t.equal(b:clock(), 1000000)",
        "local a, b = t.host(), t.host() a.rest.store:set('k', 1) t.equal(b.rest.store:get('k'), nil) t.equal(a.rest.store:get('k'), 1)",
        // The test file has its own library, for values.
        "local rest = require 'resthost' t.equal(rest.null, t.host().rest.null) t.assert(rest.regex('a'))",
        // Services are found as soon as they are declared.
        """
        local host = t.host()
        local s = host.rest.service { name = "late", base_url = "https://late.test" }
        t.equal(host.services.late, s)
        local names = {}
        for name, service in pairs(host.services) do names[name] = service end
        t.equal(names, { late = s })
        """,
        // Work that a script starts while loading begins when the test first waits.
        """
        local host = t.load { source = [[
          local rest = require "resthost"
          local api = rest.service { base_url = "https://h.test", name = "api" }
          api:resource("early"):load()
          rest.spawn(function() print(api:resource("job"):get()) end)
        ]] }
        local early = host:stub("GET", "/early", { text = "a" })
        local job = host:stub("GET", "/job", { text = "b" })
        t.equal(#early.requests, 0)
        host:settle()
        t.equal(#early.requests, 1)
        t.equal(#job.requests, 1)
        t.equal(host.services.api:resource("early").text, "a")
        """,
        // Tables of the library are strict, as in scripts.
        "t.raises(function() return t.host().rest.srevice end, \"did you mean 'service'\")",
        "t.equal(tostring(t.host()), 'host') t.matches(tostring(t.load 'main.lua'), '^host .*main.lua$')",
    ]

    @Test(arguments: bodies)
    func `hosts are as the guide to grants says`(body: String) async throws {
        let users =
            "local rest = require 'resthost' rest.service { name = require('lib.name'), base_url = 'https://u.test' }"
        #expect(
            try await results(body, scripts: ["users.lua": users, "lib/name.lua": "return 'users'"]) == [
                "ok it"
            ])
    }

    private nonisolated static let mistakes: [(body: String, message: String)] = [
        ("t.load()", "2: bad argument #1 'path' to 't.load' (string expected, got no value)"),
        ("t.load { src = '' }", "2: option 'source' is missing in the call of 't.load'"),
        ("t.load { source = '', name = 'x' }", "2: unknown option 'name': 't.load' knows source"),
        ("t.load 'none.lua'", "2: cannot load 'none.lua': cannot read the script: No such file or directory"),
        ("t.load 'syntax.lua'", "2: unexpected symbol near '='"),
        ("t.load 'raises.lua'", "3: boom"), ("t.load { source = '\\n\\nerror(\"boom\")' }", "3: boom"),
        (
            "t.load { source = 'local rest = require \"resthost\" rest.sleep(1)' }",
            "1: cannot wait here: the script is being loaded"
        ),
        ("t.load { source = 'require \"nowhere\"' }", "1: module 'nowhere' not found: no nowhere.lua"),
        ("t.load { source = 'require \"resthost.test\"' }", "1: module 'resthost.test' not found"),
        ("local x = t.host().services.api", "2: the host has no service 'api': it has none at all"),
        ("local x = t.load('main.lua').services.ap", "2: the host has no service 'ap': did you mean 'api'?"),
        ("local x = t.load('main.lua').services.other", "2: the host has no service 'other': it has api"),
        ("t.host().services.x = 1", "2: declare services with host.rest.service{ … }"),
        ("t.host():stubb()", "2: unknown field 'stubb' on host: did you mean 'stub'?"),
        ("t.host().rest = 1", "2: field 'rest' of host is read only"),
        (
            "t.host().settle()",
            "2: bad object for 'settle' (host expected, got no value); call it as host:settle(…)"
        ),
        ("host = t.host() host.clock(host.rest)", "2: bad object for 'clock' (host expected, got table)"),
        (
            "local s = t.host():stub('GET', 'https://x/') local x = s.request",
            "2: unknown field 'request' on stub: did you mean 'requests'?"
        ),
    ]

    @Test(arguments: mistakes)
    func `mistakes are reported with their line`(body: String, message: String) async throws {
        let lines = try await results(
            body, scripts: ["syntax.lua": "\nlocal x = = 1", "raises.lua": "\n\nerror('boom')"])
        #expect(lines.count == 1 && lines[0].hasPrefix("it: " + message), "\(lines)")
    }

    @Test func `a script's error has the script's place`() async throws {
        let fixture = TestFileFixture()
        fixture.folder.write("bad.lua", "\nlocal x = nil + 1")
        try fixture.load("t.test('it', function()\n\n\n\n t.load 'bad.lua' end)")
        await fixture.run()
        guard case .failed(let diagnostic) = fixture.results[0].outcome else { return #expect(Bool(false)) }
        #expect(fixture.plain(diagnostic.file ?? "") == "bad.lua" && diagnostic.line == 2)
        fixture.close()
    }
}
