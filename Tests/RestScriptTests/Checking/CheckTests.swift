import RestEngine
import TestSupport
import Testing

@testable import RestScript

@EngineActor
@Suite(.leakChecked)
struct CheckTests {
    /// The findings of a check, as `line code`; with their messages if `isFull`.
    private func findings(_ source: String, isFull: Bool = false) throws -> [String] {
        let folder = TemporaryFolder()
        let text = ScriptFixture.prelude + source
        folder.write("main.lua", text)
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        try fixture.load(source, path: folder.path + "/main.lua")
        fixture.host?.check()
        let found = fixture.host?.diagnostics ?? []
        fixture.close()
        return found.map { isFull ? "\($0.line ?? 0) \($0.message)" : "\($0.line ?? 0) \($0.code)" }
    }

    @Test func `blocks that take too long are said not to have been tried`() throws {
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        try fixture.load("api:configure('/a', function() error 'no' end)")
        fixture.host?.check(within: TrialTime(seconds: 0))
        #expect(fixture.host?.diagnostics.map(\.code) == ["untried_blocks"])
        #expect(
            fixture.host?.diagnostics.first?.message
                == "not all blocks were tried out: that would take more than 5 s")
        fixture.close()
    }

    @Test(arguments: [
        ("function(request) return { request.client.name } end", "", ["2 personal_answer"]),
        ("function(request) return { request.query.client } end", "", []),
        ("function(request) return { client = request.path } end", "", []),
        (
            "function(request) return { request.client.name } end",
            "gateway:before('/me', function(request) request.partition = 'x' end)", []
        ),
    ]) func `77.8 a kept answer that depends on the client`(
        function: String, more: String, expected: [String]
    ) throws {
        let source = """
            local gateway = rest.gateway {}
            gateway:route('GET', '/me', { expiration_time = 60 }, \(function))
            gateway:route('GET', '/own', function(request) return { request.client.name } end)
            \(more)
            """
        #expect(try findings(source) == expected)
    }

    @Test(arguments: [
        ("x = 1", ["1 accidental_global"]), ("\nfunction x() end", ["2 accidental_global"]),
        ("local x = 1 x = 2", []), ("local _ENV = {} x = 1", []),
        ("\nlocal function f()\n  x = 1\nend", ["3 accidental_global"]),
        ("local function f(_ENV) x = 1 end", []),
        ("x, y = 1, 2 x = 3", ["1 accidental_global", "1 accidental_global"]),
    ]) func `globals that nobody declared`(source: String, expected: [String]) throws {
        #expect(try findings(source) == expected)
    }

    @Test(arguments: [
        ("local token = 'x'\nlocal function f() return 'Bearer ' .. tokn end", ["2 undefined_global"]),
        ("local token\nlocal function f() if tokn then return tokn end end", ["2 undefined_global"]),
        ("local function f(token) return tokn end", ["1 undefined_global"]),
        ("local function f() return print, _G, string, rest end", []),
        ("x = 1 local function f() return x end", ["1 accidental_global"]),
        ("_G.x = 1 local function f() return x end", []),
        ("rawset(_G, 'x', 1) local function f() return x end", []),
        ("setmetatable(_G, { __index = function() return 1 end }) local function f() return x end", []),
        ("local unpack = unpack or table.unpack", []),
        ("local function f() return unpack {} end", ["1 undefined_global"]),
        ("if jit then jit.off() end", []), ("local function f() return require 'debug' end", []),
        ("if not table.unpack then table.unpack = unpack end", []),
        ("local function f() if _VERSION == 'Lua 5.1' then return setfenv, getfenv end end", []),
        ("local function f() if WIDGETS then return WIDGETS.x end end", []),
        ("local _ENV = { y = 1 } local function f() return x end", []),
        ("local function f(t) return t.tokn, t:tokn() end", []), ("goto tokn ::tokn::", []),
    ]) func `globals that nothing defines`(source: String, expected: [String]) throws {
        #expect(try findings(source) == expected)
    }

    @Test func `the nearest name is reported, a local's too`() throws {
        #expect(
            try findings("local token = 1\nlocal function f() return tokn end", isFull: true) == [
                "2 nothing defines 'tokn', so it is nil: did you mean 'token'?"
            ])
    }

    @Test(arguments: [
        ("api:configure(pattrn, function(c) c.retry_time = 2 end)", "configure"),
        ("api:configure(pattrn, { methods = 'GET' }, function(c) c.retry_time = 2 end)", "configure"),
        ("api:configure_transformer(pattrn, function(x) return x end)", "configure_transformer"),
        ("api:wipe_resources(pattrn)", "wipe_resources"),
    ]) func `a pattern that is nil is none that was left out`(source: String, name: String) throws {
        #expect(
            try findings(source, isFull: true).contains(
                "1 bad argument #1 'pattern' to '\(name)' (got nil, which is most likely a misspelled name; without the "
                    + "argument it is for all)"))
    }

    @Test(arguments: [
        ("c.pipeline.modle:add(f)", "modle", "model"),
        ("c.pipeline.raw.cache = rest.cache.memory {}", "raw", "raw_data"),
        ("c.pipeline.rawData:add(f)", "rawData", "raw_data"),
        ("c.pipeline.Parsing.cache = nil", "Parsing", "parsing"),
        ("c.pipeline.order = { 'mine own', 'model' } c.pipeline['mine onw']:add(f)", "mine onw", "mine own"),
    ]) func `a stage that is misspelled`(source: String, name: String, nearest: String) throws {
        let text = "there is no stage '\(name)' in the pipeline: did you mean '\(nearest)'?"
        let found = try findings(
            "local function f(x) return x end\napi:configure(function(c) \(source) end)", isFull: true)
        #expect(found.contains { $0.hasPrefix("2 " + text) }, "\(found)")
    }

    @Test func `a transformer's stage that is misspelled`() throws {
        let found = try findings(
            "\napi:configure_transformer('/a', { stage = 'clenup' }, function(x) return x end)", isFull: true)
        #expect(
            found.first?.hasPrefix("2 there is no stage 'clenup' in the pipeline: did you mean 'cleanup'?")
                == true, "\(found)")
    }

    @Test func `variables without a grant, wherever they are read, once each`() throws {
        #expect(
            try findings(
                """
                -- rest.env.COMMENTED
                local function f()
                  return rest.env.TOKEN, rest.env["OTHER"], rest.env.TOKEN, "rest.env.QUOTED", rest.env[f], rest.environment,
                    rest.env["PART_" .. f], rest.env.TOKEN.x
                end
                """, isFull: true) == [
                    "3 reading the environment variable 'TOKEN' is not allowed: grant it with --allow-env TOKEN",
                    "3 reading the environment variable 'OTHER' is not allowed: grant it with --allow-env OTHER",
                ])
    }

    @Test(arguments: [
        ("api:resource('/a?b=1')", ["1 query_in_path"]),
        ("api:resource('/a'):child('x?b=1')", ["1 query_in_path"]),
        ("api:resource('/what?')", []), ("api:resource('/a?=b')", []),
        ("api:resource_at('https://a.test/a?b=1')", []),
        ("api:resource('/a'):relative('?b=1')", []),
    ]) func `a query in a path`(source: String, expected: [String]) throws {
        #expect(try findings(source) == expected)
    }

    @Test func `a query in a path is warned of once for each line, by its reason`() throws {
        try expect(
            "for i = 1, 3 do api:resource('/a?token=' .. i) end\nprint(api:resource('/a?b=1').url)",
            prints: [
                "warn: a path is text, so the '?' in '/a?token=***' becomes %3F: for parameters, write "
                    + "service:resource(…):with_param('token', value)",
                "warn: a path is text, so the '?' in '/a?b=…' becomes %3F: for parameters, write "
                    + "service:resource(…):with_param('b', value)", "https://api.test/v1/a%3Fb=1",
            ])
    }

    @Test func `stages of the script's own are no mistakes`() throws {
        #expect(
            try findings(
                """
                local function f(x) return x end
                api:configure(function(c)
                  c.pipeline.order = { "decoding", "parsing", "models", "model2" }
                  c.pipeline.models:add(f) c.pipeline.model2:add(f) c.pipeline.raw_data:remove_transformers()
                end)
                api:configure_transformer("/a", { stage = "models" }, f)
                """) == [])
    }

    @Test func `what the message says depends on when the assignment runs`() throws {
        #expect(
            try findings("x = 1\nlocal function f() x = 2 end", isFull: true) == [
                "1 'x' becomes a global, which all files see and nothing can change once the script is loaded",
                "2 'x' is no local: once the script is loaded, assigning it raises an error",
            ])
    }

    @Test func `findings of loading, of blocks and of the review, in one go`() throws {
        #expect(
            try findings(
                """

                api:configure("/a", { mthods = "GET" }, function() end)
                api:configure("/b", function(c) c.x = 1 end)
                api:configure("/c", function(c) error("no") end)
                api:configure(function(c) c.headers.Cookie = "a" end)
                local x = nil
                x.y = 1
                """) == ["2 declaration", "7 runtime", "3 block", "4 block", "5 open_credentials"])
    }

    @Test(arguments: [
        (
            "api:configure(function(c) c:decorate_requests(rest.auth.basic('me', 'pw')) end)",
            "rest.auth.basic"
        ),
        (
            "local login = rest.auth.digest('me', 'pw') api:configure(function(c) c:decorate_requests(login) end)",
            "rest.auth.digest"
        ),
    ]) func `a login for all hosts`(source: String, name: String) throws {
        #expect(
            try findings(source, isFull: true)
                == ["1 this block has no pattern, so it sends '\(name)' to other hosts too"])
        #expect(try findings(source.replacing("configure(function", with: "configure('**', function")) == [])
    }

    @Test func `a module that may be missing is a warning, one that is missed an error`() throws {
        #expect(try findings("\nlocal function f() return require 'nowhere' end") == ["2 missing_module"])
        #expect(try findings("\nlocal ok = pcall(require, 'nowhere')") == [])
        #expect(try findings("\nrequire 'nowhere'") == ["2 runtime"])
    }

    @Test func `rest.service that fails goes on with one that nobody sees`() throws {
        #expect(
            try findings(
                """

                local other = rest.service { name = "api" }
                other:configure("/x", { mthods = "GET" }, function() end)
                rest.gateway { listn = 1 }
                """) == ["2 declaration", "3 declaration", "4 declaration"])
    }

    @Test func `a plugin that fails is reported, and what comes behind it`() throws {
        #expect(
            try findings(
                """

                api:use(function(service)
                  error("no")
                end)
                api:use("nowhere")
                api:configure("/x", { mthods = "GET" }, function() end)
                """) == ["3 runtime", "5 declaration", "6 declaration"])
    }

    @Test func `modules that transform have their globals looked for too, and those that they require`()
        throws
    {
        let folder = TemporaryFolder()
        folder.write(
            "shout.lua", "local help = require 'help'\nreturn function(c) last = c return help(c) end")
        folder.write("help.lua", "\n\nfunction up(s) return s end\nreturn up")
        let main = "api:configure_transformer('/a', 'shout')"
        folder.write("main.lua", ScriptFixture.prelude + main)
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        try fixture.load(main, path: folder.path + "/main.lua")
        fixture.host?.check()
        let found = fixture.host?.diagnostics.map {
            "\($0.file?.split(separator: "/").last ?? "") \($0.line ?? 0) \($0.code)"
        }
        fixture.close()
        #expect(found?.sorted() == ["help.lua 3 accidental_global", "shout.lua 2 accidental_global"])
    }
}
