import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DeclaringTests {
    @Test func `names are joined, before_each runs outer first, each test is on its own`() async throws {
        let lines = try await testResults(
            """
            local log = {}
            local function note(text) return function() log[#log + 1] = text end end
            t.before_each(note "file")
            t.test("first", note "first")
            t.describe("group", function()
              t.test("second", note "second")
              t.before_each(note "outer")
              t.describe("inner", function()
                t.before_each(note "inner")
                t.test("third", note "third")
              end)
              t.skip("fourth", "no server")
              t.skip("fifth", function() error("is not run") end)
            end)
            t.test("log", function()
              t.equal(table.concat(log, " "), "file first file outer second file outer inner third file")
            end)
            """)
        #expect(
            lines == [
                "ok first", "ok group › second", "ok group › inner › third",
                "skipped group › fourth: no server", "skipped group › fifth", "ok log",
            ])
    }

    @Test func `a test file assigns globals at any time, the scripts that it loads don't`() async throws {
        let lines = try await testResults(
            """
            count = 1
            local host = nil
            t.before_each(function() count = count + 1 name = "new" end)
            t.test("its own", function()
              total = count
              t.equal(total .. name, "2new")
            end)
            t.test("a script's", function()
              local host = t.load { source = [[
                mine = 1
                local rest = require "resthost"
                local api = rest.service { name = "api", base_url = "https://api.test" }
                api:configure("**", function(c) mine = 2 end)
              ]] }
              local content, err = host.services.api:resource("/x"):get()
              t.matches(tostring(err), "cannot change the global 'mine'")
              total = 3
            end)
            """)
        #expect(lines == ["ok its own", "ok a script's"])
    }

    @Test func `a test knows its line`() async throws {
        let fixture = TestFileFixture()
        try fixture.load("\n\nt.test('a', function() end)\nt.skip('b')")
        #expect(fixture.file.tests.map(\.line) == [3, 4])
        fixture.close()
    }

    @Test(arguments: [
        ("t.test()", "1: bad argument #1 'name' to 't.test' (string expected, got no value)"),
        ("\nt.test('a')", "2: bad argument #2 'fn' to 't.test' (function expected, got no value)"),
        ("t.test('a', 5)", "1: bad argument #2 'fn' to 't.test' (function expected, got number)"),
        ("t.test(' ', function() end)", "1: bad argument #1 'name' to 't.test' (it is empty)"),
        ("t.describe('a')", "1: bad argument #2 'fn' to 't.describe' (function expected, got no value)"),
        ("t.before_each(1)", "1: bad argument #1 'fn' to 't.before_each' (function expected, got number)"),
        ("t.skip('a', 1)", "1: bad argument #2 'why' to 't.skip' (string expected, got number)"),
        ("t.tset('a', function() end)", "1: unknown field 'tset' on t: did you mean 'test'?"),
        ("t.equals(1, 1)", "1: unknown field 'equals' on t: did you mean 'equal'?"),
        ("t.x = 1", "1: 't' can't be changed: keep your own values in a table of your own"),
        ("t.describe('a', function()\nerror('boom')\nend)", "2: boom"),
        (
            "t.describe('a', function() t.describe('b', function() local x = nil + 1 end) end)",
            "1: attempt to"
        ),
        ("local x = = 1", "1: unexpected symbol near '='"),
        ("\nerror({ code = 5 })", "2: { code = 5 }"),
        ("error(setmetatable({}, { __tostring = function() error('no') end }))", "1: (error object"),
        ("while true do t.describe('a', function() end) end", "1: test file used "),
        ("t.fail('not in a test')", "1: not in a test"),
        ("t.equal(1, 2)", "1: the values differ"),
        (
            "t.host():settle()",
            "1: a host only runs during a test: call this inside t.test or t.before_each"
        ),
        ("local s = t.host().rest.sleep(1)", "1: cannot wait here: a test file only declares its tests"),
        ("require 'nowhere'", "1: module 'nowhere' not found"),
        (
            "t.load 'nowhere.lua'",
            "1: cannot load 'nowhere.lua': cannot read the script: No such file or directory"
        ),
    ])
    func `a file that is wrong is reported with its line`(source: String, message: String) async throws {
        var options = ScriptOptions()
        options.limits[.load] = .init(burst: 0.5)
        let lines = try await testResults(source + "\nt.test('never', function() end)", options: options)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("load: " + message) == true, "\(lines)")
    }

    @Test(arguments: [
        "t.test('b', function() end)", "t.describe('b', function() end)", "t.before_each(function() end)",
        "t.skip('b')",
    ])
    func `a test that runs declares no other`(call: String) async throws {
        let name = call.prefix { $0 != "(" }
        #expect(
            try await testResults("t.test('a', function() \(call) end)") == [
                "a: 1: \(name) belongs into the text of a test file or into t.describe: a running test can't declare another"
            ])
    }

    @Test func `an error of before_each is the test's failure`() async throws {
        #expect(
            try await testResults(
                """
                local ran = 0
                t.before_each(function() if ran == 0 then ran = 1 error("not ready") end end)
                t.test("a", function() ran = 5 end)
                t.test("b", function() t.equal(ran, 1) end)
                """) == ["a: 2: not ready", "ok b"])
    }

    @Test func `modules of the test file are its own`() async throws {
        let lines = try await testResults(
            """
            local helper = require "helper"
            t.test("a", function()
              t.equal(helper.seen, t)
              t.equal(helper_global, 1)
              t.equal(rawget(t.load("main.lua").rest.spawn and _G, "main_global"), nil)
            end)
            """,
            scripts: [
                "helper.lua": "helper_global = 1 return { seen = require 'resthost.test' }",
                "main.lua": "main_global = 1 assert(helper_global == nil)",
            ])
        #expect(lines == ["ok a"])
    }

    @Test func `print and the log of a test are kept with it`() async throws {
        let fixture = TestFileFixture()
        fixture.folder.write("main.lua", "print('loaded') io.write('written')")
        try fixture.load(
            """
            print("at the top")
            t.test("a", function() local host = t.load "main.lua" host.rest.log.warn("careful") print(1, nil) end)
            t.test("b", function() for i = 1, 1000 do print(i) end end)
            """)
        #expect(fixture.file.takeOutput().map(\.text) == ["at the top"])
        await fixture.run()
        try #require(fixture.results.count == 2)
        #expect(
            fixture.results[0].output.map { "\($0.level) \($0.text)" } == [
                "info loaded", "info written", "warn careful", "info 1\tnil",
            ])
        #expect(fixture.results[1].output.count == TestLog.limit + 1)
        #expect(fixture.results[1].output.last?.text == "800 more lines are left out")
        fixture.close()
    }
}
