import Platform
import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// The host's work on a script's values ends with the script's time.
@Suite(.leakChecked) @EngineActor
struct HeldLoopTests {
    /// A table with room for a million entries and none in it, which takes a millisecond to see. And a tree
    /// with shared parts that has a billion leaves.
    private nonisolated static let values = """
        local emptied = {} for i = 1, 2 ^ 19 do emptied[i] = true end for i = 1, 2 ^ 19 do emptied[i] = nil end \
        local list = {} for i = 1, 100000 do list[i] = emptied end \
        local tree = {} for i = 1, 30 do tree = { tree, tree } end \
        local named = { a = list } \
        local r = api:resource("a") 
        """

    private nonisolated static let calls = [
        "rest.json.encode(list)", "rest.json.encode(tree)", "rest.json.encode(named)",
        "pcall(rest.json.encode, list)", "rest.store:set('key', list)",
        "rest.log.info('words', { a = list })",
        "rest.log.info('words', list)", "rest.entity { content = list }",
        "rest.response { json = tree }", "r:override_local_content(list)",
        "r:request('POST', { json = list })",
    ]

    @Test(arguments: calls)
    func `a call of the host ends with the time of the job that calls`(call: String) throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.job] = .init(burst: 0.05)
        fixture.options.log = { [log = fixture.options.log] in if $0.text != "words" { log($0) } }
        try fixture.load(
            "rest.after(1, function() \(call) print('not ended') end)",
            prelude: ScriptFixture.prelude + Self.values)
        let begin = ClockReading.threadTime
        fixture.advance(1)
        #expect(ClockReading.threadTime - begin < 0.5)
        fixture.close()
        let line = try #require(fixture.lines.last)
        #expect(fixture.lines.count == 1)
        #expect(line.hasPrefix("error: ") && line.contains(" used "), "\(line)")
        #expect(line.contains("ms of CPU time in one go; its limit is 50 ms: look for a loop"), "\(line)")
        #expect(fixture.log.last?.place == "test.lua:1")
    }

    @Test func `wiping very many resources ends with the time of the job that wipes them`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.job] = .init(burst: 0.05)
        try fixture.load(
            """
            api:configure("**", function(c) c.expiration_time = 1 end)
            local list = {} for i = 1, 10000 do list[i] = api:resource("r" .. i) end
            rest.after(1, function() api:wipe_resources() print("not ended") end)
            """)
        let begin = ClockReading.threadTime
        fixture.advance(1)
        #expect(ClockReading.threadTime - begin < 0.5)
        fixture.close()
        #expect(fixture.lines.count == 1)
        #expect(fixture.lines.last?.contains("ms of CPU time in one go; its limit is 50 ms") == true)
    }

    @Test func `a function's result is checked in its time too`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            api:configure_transformer("json", function() return list end)
            rest.spawn(function()
              local content, err = api:resource("json"):get()
              print(err.cause.type, err.cause.message)
            end)
            """, prelude: ScriptFixture.prelude + Self.values)
        fixture.close()
        let line = try #require(fixture.lines.last)
        #expect(line.hasPrefix("script_limit\ttransformer used "), "\(line)")
        #expect(line.contains("its limit is 50 ms"))
    }

    /// Five times as much is the limit of all functions for one URL. It is generous, because a virtual
    /// machine counts time that other machines take as CPU time of a function.
    private static let generous = ScriptLimits.Time(burst: 0.2)

    @Test func `limit L260: predicates and blocks for one URL have their time together`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.predicate] = Self.generous
        fixture.options.limits[.job] = .init(burst: 10)
        try fixture.load(
            """
            for _ = 1, 200 do
              api:configure(function() local n = os.clock() + 0.006 while os.clock() < n do end return true end,
                function() end)
            end
            rest.spawn(function()
              -- On a busy machine one function may use up its own time first.
              for number = 1, 30 do
                local _, err = api:resource("a" .. number):get()
                print(err.cause.type, err.cause.message)
                if err.cause.message:find("one URL", 1, true) then break end
              end
            end)
            """)
        fixture.close()
        let lines = fixture.lines
        let failures = lines.filter {
            $0.hasPrefix("script_limit\tthe configuration of one URL used ")
                && $0.contains("ms of CPU time in all; its limit is 1000 ms: use globs")
        }
        #expect(failures.count == 1, "\(lines)")
        let logged = fixture.log.filter {
            $0.level == .error && $0.text.contains("the configuration of one URL used ")
        }
        #expect(logged.count == 1, "\(lines)")
        #expect(logged.first?.place == "test.lua:2")
        let text = try #require(logged.first?.text)
        #expect(
            text.hasPrefix("https://api.test/v1/a") && text.contains(": the configuration of one URL used "))
    }

    @Test func `limit L260: the mutators of one request have their time together`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.mutator] = Self.generous
        fixture.options.limits[.job] = .init(burst: 10)
        fixture.options.limits[.block] = Self.generous
        try fixture.load(
            """
            api:configure(function(c)
              for _ = 1, 200 do
                c:mutate_requests(function() local n = os.clock() + 0.006 while os.clock() < n do end end)
              end
            end)
            rest.spawn(function()
              -- On a busy machine one function may use up its own time first.
              for number = 1, 30 do
                local _, err = api:resource("a" .. number):get()
                print(err.cause.type, err.cause.message)
                if err.cause.message:find("one URL", 1, true) then break end
              end
            end)
            """)
        fixture.close()
        let line = try #require(fixture.lines.last)
        #expect(
            line.contains("the configuration of one URL used ") && line.contains("its limit is 1000 ms"),
            "\(line)")
    }

    /// Loads a script under a clock that is always late, and returns the log. `look` gets the log before the
    /// first tick, and when all ticks have run.
    private func lines(_ script: String, look: ([String]) -> Void = { _ in }) throws -> [String] {
        let scheduler = Scheduler(clock: HastyClock())
        let engine = Engine(transport: StubTransport(scheduler: scheduler), scheduler: scheduler)
        var options = ScriptOptions()
        var lines: [String] = []
        options.log = { lines.append($0.text) }
        let host = try ScriptHost(
            source: Array((ScriptFixture.prelude + script).utf8), path: "test.lua", engine: engine,
            options: options)
        #expect(host.hasWork)
        look(lines)
        for _ in 0..<1000 where scheduler.hasWork { scheduler.runTick() }
        host.close()
        return lines
    }

    @Test func `a long list of work begins in parts`() throws {
        let lines = try lines(
            """
            local begun, list = 0, {}
            for i = 1, 100 do list[i] = function() begun = begun + 1 return i end end
            rest.spawn(function()
              rest.spawn(function() print("meanwhile", begun < 100) end)
              local results = rest.all(list)
              print(#results, results[100], begun)
            end)
            """)
        #expect(lines == ["meanwhile\ttrue", "100\t100\t100"])
    }

    @Test func `jobs that a script declares while it is loaded begin in parts`() throws {
        let lines = try lines("for i = 1, 100 do rest.spawn(function() print(i) end) end") { first in
            #expect((1..<50).contains(first.count), "\(first.count)")
        }
        #expect(lines == (1...100).map(String.init))
    }

    @Test func `hooks of one request run in parts, in their order`() throws {
        let scheduler = Scheduler(clock: HastyClock())
        let transport = StubTransport(scheduler: scheduler)
        try SampleServer.install(on: transport)
        let engine = Engine(transport: transport, scheduler: scheduler)
        var options = ScriptOptions()
        var lines: [String] = []
        options.log = { lines.append($0.text) }
        let script = """
            local request = api:resource("text"):load()
            for i = 1, 50 do
              request:on_completion(function() print("hook", i) end)
            end
            """
        let host = try ScriptHost(
            source: Array((ScriptFixture.prelude + script).utf8), path: "test.lua", engine: engine,
            options: options)
        var most = 0
        for _ in 0..<1000 where scheduler.hasWork {
            let before = lines.count
            scheduler.runTick()
            most = max(most, lines.count - before)
        }
        #expect((1..<25).contains(most), "\(most)")
        #expect(lines == (1...50).map { "hook\t\($0)" })
        #expect(!host.hasWork)
        #expect(host.close())
    }

    @Test func `functions of a script on its way out run in parts`() throws {
        let scheduler = Scheduler(clock: HastyClock())
        let engine = Engine(transport: StubTransport(scheduler: scheduler), scheduler: scheduler)
        var options = ScriptOptions()
        var lines: [String] = []
        options.log = { lines.append($0.text) }
        func load(_ script: String, replacing other: ScriptHost? = nil) throws -> ScriptHost {
            try ScriptHost(
                source: Array((ScriptFixture.prelude + script).utf8), path: "test.lua", engine: engine,
                options: options, replacing: other?.context)
        }
        let script = """
            for i = 1, 50 do
              rest.on_reload(function() print("reload", i) end)
              rest.on_shutdown(function() print("shutdown", i) end)
              rest.spawn(function() local _ <close> = setmetatable({}, { __close = function() print("job", i) end })
                rest.sleep(1000) end)
            end
            """
        let old = try load(script)
        for _ in 0..<1000 where !lines.isEmpty || old.jobCount < 50 { scheduler.runTick() }
        let new = try load(script, replacing: old)
        var isOver = false
        new.takeOver()
        old.whenRetirementEnds { isOver = true }
        #expect((1..<25).contains(lines.count), "\(lines.count)")
        for _ in 0..<1000 where !isOver { scheduler.runTick() }
        #expect(isOver)
        #expect(lines == (1...50).map { "reload\t\($0)" } + (1...50).map { "job\t\($0)" })
        #expect(old.close())
        lines = []
        var isShutDown = false
        new.shutDown { isShutDown = true }
        #expect((1..<25).contains(lines.count), "\(lines.count)")
        for _ in 0..<1000 where !isShutDown { scheduler.runTick() }
        #expect(lines == (1...50).map { "shutdown\t\($0)" })
        #expect(new.close())
    }

    @Test func `work is begun for lists up to a length`() {
        let error = loadError(
            "rest.spawn(function() end) local t = {} for i = 1, 100001 do t[i] = i end rest.gather(t, 1, print)"
        )
        #expect(error?.contains("a list has 100000 places at most: do the rest when these are done") == true)
    }
}
