import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct TimeTests {
    @Test func `sleep, after and every keep the engine's time`() throws {
        try expect(
            """
            local start = rest.now()
            local function note(name) print(name, rest.now() - start) end
            rest.spawn(function() rest.sleep(0.5) note "slept" rest.sleep(0) note "zero" end)
            rest.after(1, function() note "after" end)
            local n = 0
            local timer timer = rest.every(0.75, function() n = n + 1 note "every" if n == 3 then timer:cancel() end end)
            note "first"
            """, seconds: 5,
            prints: [
                "first\t0.0", "slept\t0.5", "zero\t0.5", "every\t0.75", "after\t1.0", "every\t1.5",
                "every\t2.25",
            ])
    }

    @Test func `a run of every that is late is left out`() throws {
        try expect(
            """
            local start = rest.now()
            rest.every(1, function() print(rest.now() - start) rest.sleep(2.5) end)
            """, seconds: 8, prints: ["1.0", "4.0", "7.0"])
    }

    @Test func `timers and jobs are cancelled`() throws {
        try expect(
            """
            local a = rest.after(1, function() print("never") end)
            a:cancel() a:cancel()
            local job = rest.spawn(function()
              local guard <close> = setmetatable({}, { __close = function() print("closed") end })
              rest.sleep(1) print("never")
            end)
            rest.spawn(function()
              print(job.is_finished)
              local ok, err = job:await()
              print(ok, err.cause.type, err.user_message, job.is_finished)
              job:cancel()
            end)
            rest.after(0.5, function() job:cancel() end)
            local running = rest.spawn(function() api:resource("slow"):get() print("never") end)
            running:cancel()
            """, seconds: 3, prints: ["false", "closed", "nil\trequest_cancelled\tRequest cancelled\ttrue"])
    }

    /// A timer whose time never comes.
    private final class FarTimer: ScriptActivity {
        var isTimer: Bool { true }

        func cancel() {}
    }

    @Test func `a script has so many timers, and another when one is cancelled`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            local r = api:resource("a")
            local function refused(...)
              local ok, err = pcall(...)
              return not ok and tostring(err):find("there are 100000 timers already", 1, true) ~= nil
            end
            local far = rest.after(9, print)
            rest.after(1, function()
              print(refused(rest.after, 9, print), refused(rest.every, 9, print), refused(r.cancel_load_if_unobserved, r, 9))
              far:cancel()
              print(refused(rest.after, 9, print), refused(rest.after, 9, print))
            end)
            """)
        let jobs = try #require(fixture.context).jobs
        for _ in 2..<100_000 { jobs.add(FarTimer()) }
        fixture.advance(1)
        fixture.close()
        #expect(fixture.lines == ["true\ttrue\ttrue", "false\ttrue"])
    }

    @Test func `a job gives what it returned, or nil and an error`() throws {
        try expect(
            """
            rest.spawn(function()
              print(rest.spawn(function(...) return ... end, 1, nil, 3):await())
              local job = rest.spawn(function() rest.sleep(1) error("boom") end)
              local value, err = job:await()
              print(value, err.user_message, err.cause.type, err.cause.line)
              local _, err = rest.spawn(function() rest.sleep(0) error(rest.error { user_message = "Mine" }) end):await()
              print(err)
              local late = rest.spawn(function() return "done" end)
              rest.sleep(1)
              print(late:await(), late.is_finished, late)
            end)
            rest.spawn(function() local x = nil + 1 end)
            """, seconds: 4,
            prints: [
                "1\tnil\t3", "error: a job: attempt to perform arithmetic on a nil value",
                "nil\tboom\tscript_error\t3", "Mine", "done\ttrue\tjob",
            ])
    }

    @Test func `all waits for requests and functions, in order`() throws {
        try expect(
            """
            rest.spawn(function()
              local r = rest.all { api:resource("slow"):load(), function() return "b", "dropped" end, api:resource("text"):request("GET"), function() end }
              print(#r, r[1].text, r[2], r[3].text, r[4], rest.now())
              print(#rest.all {})
              local ok, err, some = rest.all { function() return 1 end, function() error("boom") end, function() return nil, "no" end, api:resource("missing"):load() }
              print(ok, err.user_message, some[1], some[2], some[3], some[4])
              local ok, err = rest.all { api:resource("json"):request("GET"):repeated(), function() return nil, rest.error { user_message = "Mine" } end }
              print(ok, err)
            end)
            """, seconds: 2,
            prints: [
                "4\tlate\tb\thello\tfalse\t1000001.0", "0", "nil\tboom\t1\tfalse\tfalse\tfalse", "nil\tMine",
            ])
    }

    @Test func `gather keeps to its limit, and its order`() throws {
        try expect(
            """
            rest.spawn(function()
              local now, most = 0, 0
              local r = rest.gather({ 3, 1, 2 }, 2, function(item, index)
                now = now + 1 most = math.max(most, now)
                rest.sleep(item) now = now - 1
                return item * 10 + index
              end)
              print(table.concat(r, " "), most, rest.now())
              print(#rest.gather({}, 1, print))
            end)
            """, seconds: 5, prints: ["31 12 23\t2\t1000003.0", "0"])
    }

    @Test(arguments: [1, 3, 5000])
    func `gather takes long lists of functions that don't wait`(limit: Int) throws {
        try expect(
            """
            rest.spawn(function()
              local list = {} for i = 1, 5000 do list[i] = i end
              local r = rest.gather(list, \(limit), function(i) return i end)
              print(#r, r[1], r[5000])
            end)
            """, prints: ["5000\t1\t5000"])
    }

    @Test(arguments: [
        ("rest.spawn()", "bad argument #1 'fn' to 'rest.spawn' (function expected, got no value)"),
        ("rest.after('1', print)", "bad argument #1 'seconds' to 'rest.after' (number expected, got string)"),
        ("rest.after(1)", "bad argument #2 'fn' to 'rest.after' (function expected, got no value)"),
        ("rest.after(-1, print)", "bad argument #1 'seconds' to 'rest.after' (seconds are 0 or more)"),
        ("rest.after(0/0, print)", "bad argument #1 'seconds' to 'rest.after' (seconds are 0 or more)"),
        ("rest.after(math.huge, print)", "bad argument #1 'seconds' to 'rest.after' (seconds are 0 or more)"),
        ("rest.every(0, print)", "bad argument #1 'seconds' to 'rest.every' (a period is 0.001 or more)"),
        ("rest.every(1, 'x')", "bad argument #2 'fn' to 'rest.every' (function expected, got string)"),
        ("rest.sleep()", "bad argument #1 'seconds' to 'rest.sleep' (number expected, got no value)"),
        (
            "rest.all()",
            "bad argument #1 'list' to 'rest.all' (list, as in rest.all { request, … }, expected, got no value)"
        ),
        (
            "rest.all { 5 }",
            "bad argument #1 'list' to 'rest.all' (item 1 is a number, not a request or a function)"
        ),
        ("rest.gather({}, 0, print)", "bad argument #2 'limit' to 'rest.gather' (it is 1 or more)"),
        (
            "rest.gather({}, 1.5, print)",
            "bad argument #2 'limit' to 'rest.gather' (number has no integer representation)"
        ),
        ("rest.gather({}, 1)", "bad argument #3 'fn' to 'rest.gather' (function expected, got no value)"),
        ("rest.after(0, print):stop()", "unknown field 'stop' on timer"),
        ("rest.spawn(print).finished()", "unknown field 'finished' on job: did you mean 'is_finished'?"),
    ])
    func `a wrong call raises`(call: String, message: String) {
        #expect(loadError(call) == "1: \(message)")
    }

    @Test func `cancelling what waits for functions ends them, and starts no more`() throws {
        try expect(
            """
            local job = rest.spawn(function()
              rest.gather({ 1, 2, 3, 4 }, 2, function(i) print("begin", i) rest.sleep(1) print("never") end)
            end)
            local other = rest.spawn(function() rest.all { function() rest.sleep(1) print("never") end } end)
            rest.after(0.5, function() job:cancel() other:cancel() end)
            """, seconds: 3, prints: ["begin\t1", "begin\t2"])
    }

    @Test func `a host has work while a job or timer lives`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            "rest.after(1, function() rest.sleep(1) end) rest.spawn(function() rest.sleep(0.5) end)")
        let host = try #require(fixture.host)
        var idle = 0
        host.onIdle { idle += 1 }
        #expect(host.hasWork)
        fixture.advance(1.5)
        #expect(host.hasWork && idle == 0)
        fixture.advance(1)
        #expect(!host.hasWork && idle == 1)
        fixture.close()
    }
}
