import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CustomCacheFailureTests {
    let fixture = ScriptFixture()

    /// Uses a cache with one function replaced in every way; returns the engine's warnings.
    private func warnings(_ function: String, _ body: String, seconds: Double = 0) throws -> [String] {
        try SampleServer.install(on: fixture.transport)
        var warnings: [String] = []
        fixture.engine.log.handler = { category, text in
            if category == .warning { warnings.append(text) }
        }
        try fixture.load(
            """
            local entity = rest.entity { content = {}, headers = { ETag = '"known"' }, timestamp = 1 }
            local functions = { key = function(r) return r.url end, read = function() return entity end,
              write = function() end, remove = function() end, update_timestamp = function() end }
            functions.\(function) = \(body)
            local cache = rest.cache.custom(functions)
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function()
              local res = api:resource("json")
              for _ = 1, 2 do
                local content, err = res:get()
                res:load():await()
                api:resource("text"):load():await()
                res:override_local_content("mine")
                res:invalidate() res:wipe()
                rest.sleep(0.1)
              end
              local content, err = res:get()
              print(content, err, res.is_loading)
            end)
            """)
        fixture.advance(max(2, seconds))
        #expect(fixture.lines.count == 1 && !fixture.lines[0].hasPrefix("nil"), "\(fixture.lines)")
        fixture.close()
        return warnings
    }

    private func note(_ function: String, _ reason: String) -> String {
        "custom cache (test.lua:5): \(function) failed for https://api.test/v1/\(function == "write" ? "text" : "json"): \(reason); it goes on without the "
            + "cache, and further such failures are in the log 'cache' alone"
    }

    @Test(arguments: ["key", "read", "write", "remove", "update_timestamp"])
    func `a function may return more than it is asked for`(function: String) throws {
        let first = function == "key" ? "'k'" : function == "read" ? "entity" : "nil"
        #expect(try warnings(function, "function() return \(first), nil, 3, 4 end").isEmpty)
    }

    @Test(arguments: ["key", "read", "write", "remove", "update_timestamp"])
    func `D18 a function that raises is warned of once, with its place`(function: String) throws {
        #expect(
            try warnings(function, "function() error('disk full') end") == [
                note(function, "test.lua:4: disk full")
            ])
        #expect(fixture.engine.cacheFailures >= 2)
    }

    @Test(arguments: ["key", "read", "write", "remove", "update_timestamp"])
    func `D18 so is one that returns nil and a reason`(function: String) throws {
        #expect(
            try warnings(function, "function() return nil, 'disk full' end") == [note(function, "disk full")])
    }

    @Test(arguments: ["write", "remove", "update_timestamp"])
    func `D18 and one that returns false and a reason`(function: String) throws {
        #expect(
            try warnings(function, "function() return false, rest.error { user_message = 'full' } end")
                == [note(function, "full")])
        #expect(fixture.engine.cacheFailures >= 2)
    }

    @Test(arguments: [
        ("5", "number"), ("{}", "table"), ("'x'", "string"), ("false", "boolean"), ("rest", "table"),
    ])
    func `D18 read must return an entity or nil`(value: String, type: String) throws {
        #expect(
            try warnings("read", "function() return \(value) end")
                == [note("read", "read returned a \(type) where it must return an entity or nil")])
    }

    @Test(arguments: ["key", "read", "write", "remove", "update_timestamp"])
    func `D18 a function that never ends is given up after five seconds, and cancelled`(function: String)
        throws
    {
        let found = try warnings(function, "function() rest.sleep(1000) end", seconds: 60)
        #expect(found.first?.contains(": no answer within 5 seconds") == true)
        #expect(fixture.clock.now == 1_000_060)
    }

    @Test func `D18 a function that runs too long is stopped`() throws {
        var warnings: [String] = []
        fixture.engine.log.handler = { if $0 == .warning { warnings.append($1) } }
        try fixture.load(
            """
            local function never() end
            local cache = rest.cache.custom { key = function() return 1 end, read = function() while true do end end,
              write = never, remove = never }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            local data = api:resource("x").latest_data
            """)
        #expect(warnings.count == 1 && warnings[0].contains("read failed"))
        fixture.close()
    }

    @Test(arguments: ["key", "read", "write", "remove"])
    func `a function that wipes its own resource does not grow the stack without end`(function: String) throws
    {
        let body = """
            (function()
              local calls = 0
              return function(r)
                calls = calls + 1
                if calls < 1000 then api:resource("json"):wipe() end
                return \(function == "key" ? "r.url" : "nil")
              end
            end)()
            """
        _ = try warnings(function, body.replacing("\n", with: " "))
    }

    @Test func `a cache outlives its script without harm`() async throws {
        try fixture.load(
            """
            local cache = rest.cache.custom { key = print, read = print, write = print, remove = print }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            """)
        let resource = try #require(fixture.host?.services.first?.resource("x"))
        let cache = try #require(resource.configuration(for: "GET").pipeline["model"].cache)
        fixture.close()
        #expect(throws: (any Error).self) { try cache.key(for: resource, stage: "model") }
        var failures = 0
        cache.remove(CacheKey(1)) { failures += $0 == nil ? 0 : 1 }
        cache.read(CacheKey("foreign")) { if case .failure = $0 { failures += 1 } }
        #expect(failures == 0)
    }

    @Test func `closing a script ends what its caches wait for`() throws {
        try fixture.load(
            """
            local cache = rest.cache.custom { key = function() return 1 end, read = function() rest.sleep(100) end,
              write = function() end, remove = function() end }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            api:resource("x"):load_if_needed()
            """)
        #expect(fixture.host?.hasWork == true)
        fixture.close()
        fixture.settle()
        #expect(fixture.engine.openRequests == 0 && !fixture.scheduler.hasWork)
    }
}
