import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct HostTimeTests {
    private nonisolated static let bodies = [
        "t.equal(host:clock(), 1000000) t.equal(rest.now(), 1000000)",
        "host:advance(0.1) host:advance(0.1) host:advance(0.1) t.equal(host:clock(), 1000000.3)",
        "host:clock(2000000.5) t.equal(host:clock(), 2000000.5) host:advance(1) t.equal(host:clock(), 2000001.5)",
        "host:clock(5) t.equal(host:clock(), 5) host:advance(1) t.equal(rest.now(), 6) host:clock(0) t.equal(host:clock(), 0)",
        // Each timer sees its own time, and work that it starts runs before the next timer.
        """
        local seen = {}
        rest.after(2, function() seen[#seen + 1] = rest.now() rest.after(0.5, function() seen[#seen + 1] = rest.now() end) end)
        rest.after(1, function() seen[#seen + 1] = rest.now() end)
        rest.every(1.5, function() seen[#seen + 1] = -rest.now() end)
        host:advance(3)
        t.equal(seen, { 1000001, -1000001.5, 1000002, 1000002.5, -1000003 })
        t.equal(host:clock(), 1000003)
        """,
        "local seen rest.after(5, function() seen = rest.now() end) host:clock(1000010) t.equal(seen, 1000005) t.equal(host:clock(), 1000010)",
        "local n = 0 rest.after(5, function() n = n + 1 end) host:clock(10) host:settle() t.equal(n, 0) host:advance(5) t.equal(n, 1)",
        "local n = 0 rest.after(1, function() n = n + 1 end) host:advance(1) t.equal(n, 1)",
        "local n = 0 rest.after(0, function() n = n + 1 rest.after(0, function() n = n + 1 end) end) host:settle() t.equal(n, 2)",
        "local n = 0 rest.after(0, function() n = n + 1 end) host:advance(0) t.equal(n, 1)",
        "local n = 0 rest.every(0.001, function() n = n + 1 end) host:advance(10) t.assert(n >= 9999 and n <= 10000, n)",
        // settle runs ticks, but no time passes.
        "host:stub('GET', '/a', { text = 'a' }) local r = api:resource('a'):load() t.equal(r.state, 'in_progress') host:settle() t.equal(r.state, 'completed') t.equal(host:clock(), 1000000)",
        "host:settle() host:settle() t.equal(host:clock(), 1000000)",
        // Each host has its own clock, but their ticks run together.
        """
        local other = t.host()
        local n, m = 0, 0
        rest.after(1, function() n = n + 1 end)
        other.rest.after(1, function() m = m + 1 end)
        other.rest.after(0, function() m = m + 10 end)
        host:advance(1)
        t.equal({ n, m }, { 1, 10 })
        t.equal(other:clock(), 1000000)
        other:advance(1)
        t.equal({ n, m }, { 1, 11 })
        """,
        // A test and its hooks may wait anywhere.
        "local n = 0 rest.spawn(function() host:advance(2) n = rest.now() end) host:advance(1) host:settle() t.equal(n, 1000002)",
        "host:stub('GET', '/a', { text = 'a' }) local done api:resource('a'):load():on_success(function() host:settle() done = true end) host:settle() host:settle() t.equal(done, true)",
        "local co = coroutine.wrap(function() host:advance(1) coroutine.yield(rest.now()) end) t.equal(co(), 1000001)",
        "t.raises(function() host:advance(1) error(tostring(rest.now())) end, '1000001')",
        "host:stub('GET', '/a', { text = 'a', delay = 1 }) local content rest.spawn(function() content = api:resource('a'):get() end) host:advance(1) t.equal(content, 'a')",
        // Work that the test waits for runs during the wait.
        "host:stub('GET', '/a', { text = 'a' }) t.equal(api:resource('a'):get(), 'a')",
        "local other = t.host() other.rest.service { name = 'o', base_url = 'https://o.test' } other:stub('GET', '/x', { text = 'x' }) t.equal(other.services.o:resource('x'):get(), 'x')",
        "host:stub('GET', '/a', { text = 'a', delay = 1 }) local job = rest.spawn(function() return api:resource('a'):get() end) rest.spawn(function() host:advance(1) end) t.equal((job:await()), 'a')",
        "rest.sleep(0)", "rest.all {}",
    ]

    @Test(arguments: bodies)
    func `a host's time goes as the test says`(body: String) async throws {
        #expect(try await testFailure(body) == nil)
    }

    private nonisolated static let stuck: [(body: String, message: String)] = [
        (
            "\nrest.sleep(5)",
            "2: the test waits for something that can't happen: no host has anything to do now\n  host 1: its clock stands at 1000000, 1 timer, the next due in 5 s: host:advance(5) gets there"
        ),
        (
            "host:stub('GET', '/a', { gated = true })\napi:resource('a'):get()",
            "2: the test waits for something that can't happen: no host has anything to do now\n  host 1: its clock stands at 1000000, no timer is armed\n    stub GET /a holds 1 request: stub:go() lets go"
        ),
        (
            "local other = t.host()\nother:advance(1) other.rest.after(0.25, print) rest.after(3, print) rest.after(4, print)\nrest.sleep(60)",
            "3: the test waits for something that can't happen: no host has anything to do now\n  host 1: its clock stands at 1000000, 3 timers, the next due in 3 s: host:advance(3) gets there\n  host 2: its clock stands at 1000001, 1 timer, the next due in 0.25 s: host:advance(0.25) gets there"
        ),
        ("coroutine.wrap(function()\nrest.sleep(1) end)()", "2: the test waits"),
    ]

    @Test(arguments: stuck)
    func `a wait without an end is reported with its reasons`(body: String, message: String) async throws {
        let failure = try #require(try await testFailure(body))
        #expect(failure.hasPrefix(message), "\(failure)")
    }

    private nonisolated static let mistakes: [(call: String, message: String)] = [
        ("host:advance()", "bad argument #1 'seconds' to 'advance' (number expected, got no value)"),
        ("host:advance(-1)", "bad argument #1 'seconds' to 'advance' (seconds are 0 or more)"),
        ("host:advance(0/0)", "bad argument #1 'seconds' to 'advance' (seconds are 0 or more)"),
        ("host:advance(1/0)", "bad argument #1 'seconds' to 'advance' (seconds are 0 or more)"),
        ("host:clock('x')", "bad argument #1 'time' to 'clock' (number expected, got string)"),
        ("host:clock(1/0)", "bad argument #1 'time' to 'clock' (it is a number of seconds)"),
        (
            "table.sort({ 1, 2, 3 }, function() host:settle() return false end)",
            "cannot wait here: a function such as table.sort"
        ),
    ]

    @Test(arguments: mistakes)
    func `a wrong call is reported`(call: String, message: String) async throws {
        let failure = try #require(try await testFailure("\n" + call))
        #expect(failure.hasPrefix("2: " + message), "\(failure)")
    }

    @Test(
        .wholeRunOnly,
        arguments: [
            "local function again() rest.after(0, again) end again() host:settle()",
            "host:stub('GET', '/**', { text = 'a' }) local function again() api:resource('a'):load():on_completion(again) end again() host:settle()",
        ])
    func `a host that never comes to rest is reported`(call: String) async throws {
        let failure = try #require(try await testFailure("\n" + call))
        #expect(failure.hasPrefix("2: a host does not come to rest in 100000 ticks"), "\(failure)")
    }

    @Test(arguments: ["host:settle()", "host:advance(1)", "host:clock(2000000)"])
    func `a block or a transformer can't run ticks`(call: String) async throws {
        let failure = try await testFailure(
            """
            host:stub("GET", "/a", { text = "a" })
            api:configure_transformer("**", function(c) \(call) return c end)
            local _, err = api:resource("a"):get()
            t.matches(tostring(err), "cannot wait here: a transformer runs in the middle of a response")
            """)
        #expect(failure == nil)
    }

    @Test func `memory pressure drops what nobody holds`() async throws {
        let failure = try await testFailure(
            """
            host:stub("GET", "/**", { text = "a" })
            local weak = setmetatable({}, { __mode = "k" })
            do
              local a = api:resource("a")
              a:get()
              weak[a] = true
            end
            local b = api:resource("b")
            b:get()
            host:settle()
            host:memory_pressure()
            t.equal(next(weak), nil)
            t.equal(api:resource("a").latest_data, nil)
            t.equal(api:resource("b").text, "a")
            """)
        #expect(failure == nil)
    }

    /// Defines `outside()`, which begins work that another thread ends.
    private func fixtureWithOutsideWork() -> TestFileFixture {
        let fixture = TestFileFixture()
        let lua = fixture.file.home.context.state.main
        lua.pushGlobals()
        lua.push(
            function: hostFunction { [unowned fixture] _ in
                let engine = try #require(fixture.file.hosts.last?.engine)
                return .wait { waiter in
                    engine.beginOffloadedWork()
                    // Only the loop uses it.
                    nonisolated(unsafe) let waiter = waiter
                    PeerThread.start {
                        EngineLoop.shared.submit {
                            waiter.resume { _ in 0 }
                            engine.endOffloadedWork()
                        }
                    }
                }
            }, name: "outside")
        lua.rawSet(-2, "outside")
        lua.pop()
        return fixture
    }

    @Test(arguments: [
        "outside() outside()",
        "host.rest.spawn(function() outside() done = true end) host:settle() t.equal(done, true)",
        "host.rest.spawn(function() outside() host.rest.sleep(0) outside() done = true end) host:settle() t.equal(done, true)",
        "host.rest.after(1, function() outside() done = host.rest.now() end) host:advance(5) t.equal(done, 1000001)",
    ])
    func `work outside of the loop is waited for`(body: String) async throws {
        let fixture = fixtureWithOutsideWork()
        try fixture.load("t.test('it', function() local host = t.host() \(body) end)")
        await fixture.run()
        #expect(fixture.lines == ["ok it"])
        fixture.close()
    }

    @Test func `an endless loop ends its test alone`() async throws {
        var options = ScriptOptions()
        options.limits[.test] = .init(burst: 0.2)
        let lines = try await testResults(
            """
            t.test("loops", function()
              while true do pcall(function() while true do end end) end
            end)
            t.test("fine", function() end)
            """, options: options)
        #expect(lines.count == 2 && lines.last == "ok fine")
        #expect(lines.first?.hasPrefix("loops: 2: test used ") == true, "\(lines)")
        #expect(lines.first?.contains("its limit is 200 ms") == true, "\(lines)")
    }
}
