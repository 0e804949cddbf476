import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Many functions for one event. Each has a time of its own, so together they must not hold the loop.
@Suite(.leakChecked) @EngineActor
struct CrowdedTickTests {
    private nonisolated static let crowds = [
        """
        local request = api:resource("text"):load()
        for i = 1, 50 do rest.spawn(function() request:await() print(i) end) end
        """,
        """
        local request = api:resource("text"):load()
        for i = 1, 50 do request:chained(function() print(i) return rest.use_this_response end) end
        """,
        """
        local job = rest.spawn(function() rest.sleep(0.5) end)
        for i = 1, 50 do rest.spawn(function() job:await() print(i) end) end
        """,
        """
        local count = 0
        rest.on_event({ "state" }, function() count = count + 1 print(count) end)
        rest.spawn(function() for i = 1, 50 do api:resource("x" .. i):override_local_content("a") end end)
        """,
    ]

    @Test(arguments: crowds)
    func `functions that one event continues run in parts, in their order`(script: String) throws {
        let scheduler = Scheduler(clock: HastyClock())
        let transport = StubTransport(scheduler: scheduler)
        try SampleServer.install(on: transport)
        let engine = Engine(transport: transport, scheduler: scheduler)
        engine.movesLargeContent = false
        var options = ScriptOptions()
        var lines: [String] = []
        options.log = { lines.append($0.text) }
        let host = try ScriptHost(
            source: Array((ScriptFixture.prelude + script).utf8), path: "test.lua", engine: engine,
            options: options)
        var most = 0
        for _ in 0..<5000 where lines.count < 50 {
            let before = lines.count
            scheduler.runTick()
            most = max(most, lines.count - before)
        }
        #expect((1..<30).contains(most), "\(most)")
        #expect(lines == (1...50).map(String.init))
        #expect(host.close())
    }

    @Test func `limit L260: the decorators of one request have their time together`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            api:configure(function(c)
              for _ = 1, 200 do
                c:decorate_requests(function(_, request)
                  local n = os.clock() + 0.002 while os.clock() < n do end
                  return request
                end)
              end
            end)
            rest.spawn(function()
              -- On a busy machine one function may use up its own time first.
              for number = 1, 30 do
                local _, err = api:resource("a" .. number):request("GET"):await()
                print(err.cause.type, err.cause.message)
                if err.cause.message:find("one URL", 1, true) then break end
              end
            end)
            """)
        fixture.close()
        let line = try #require(fixture.lines.last)
        #expect(
            line.hasPrefix("script_limit\tthe configuration of one URL used ")
                && line.contains("its limit is 250 ms"), "\(line)")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `limit L315: the keys of caches have their time together`() throws {
        let fixture = ScriptFixture()
        // The block is not what is tested, and a busy machine makes it slow.
        fixture.options.limits[.block] = .init(burst: 0.5 * Sanitizer.slowdown)
        try SampleServer.install(on: fixture.transport)
        var warnings: [String] = []
        fixture.engine.log.handler = { category, text in if category == .warning { warnings.append(text) } }
        try fixture.load(
            """
            local calls, seen = 0, 0
            local function key()
              calls = calls + 1
              local n = os.clock() + 0.008 while os.clock() < n do end
              return "key"
            end
            local function none() end
            local cache = rest.cache.custom { key = key, read = none, write = none, remove = none }
            api:configure(function(c)
              local order = {}
              for i = 1, 200 do order[i] = "s" .. i end
              c.pipeline.order = order
              for i = 1, 200 do c.pipeline["s" .. i].cache = cache end
            end)
            rest.spawn(function()
              local entity = api:resource("text"):load():await()
              print(entity.status)
            end)
            rest.after(1, function() print(calls < 390) end)
            """)
        fixture.advance(2)
        #expect(fixture.lines.suffix(2) == ["200", "true"], "\(fixture.lines)")
        #expect(
            warnings.contains { $0.contains("the functions that make keys of caches have used ") },
            "\(warnings)")
        fixture.close()
    }

    @Test func `a status that tries very many resources again ends with the time of its job`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.job] = .init(burst: 0.05)
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/r*", .response(404))
        try fixture.load(
            """
            local list = {}
            for i = 1, 4000 do list[i] = api:resource("r" .. i) list[i]:load() end
            local status = rest.status { resources = list }
            rest.after(1, function() status:retry() print("not ended") end)
            """)
        fixture.advance(2)
        #expect(fixture.lines.count == 1, "\(fixture.lines)")
        #expect(fixture.lines.last?.contains("its limit is 50 ms") == true, "\(fixture.lines)")
        fixture.close()
    }
}
