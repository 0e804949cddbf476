import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CacheBindingTests {
    @Test func `22.1 a memory cache outlives the resource, and may be shared`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            local cache = rest.cache.memory()
            local other = rest.service { name = "other", base_url = "https://api.test/v1" }
            for _, service in ipairs { api, other } do
              service:configure(function(c) c.pipeline.raw_data.cache = cache c.pipeline.cleanup.cache = cache end)
            end
            rest.spawn(function() print(api:resource("text"):get()) end)
            rest.after(1, function()
              for _, service in ipairs { api, other } do
                local res = service:resource("text")
                print(res.latest_data)
                rest.sleep(1)
                print(res.latest_data and res.text)
              end
            end)
            """)
        fixture.context?.state.collectGarbage()
        for service in fixture.host?.services ?? [] { service.flushUnusedResources() }
        #expect(fixture.host?.services.flatMap(\.liveResources).isEmpty == true)
        fixture.advance(4)
        #expect(fixture.lines == ["hello", "nil", "hello", "nil", "nil"])
        fixture.close()
    }

    @Test func `22.5 what a stage has can be read, and nil takes it away`() throws {
        try expect(
            """
            local cache = rest.cache.memory { max_bytes = 1000 }
            api:configure(function(c)
              local stage = c.pipeline.model
              print(stage.cache)
              stage.cache = cache
              print(stage.cache == cache, tostring(cache), cache.description, c.pipeline.cleanup.cache)
              stage.cache = nil
              print(stage.cache)
            end)
            local configuration = api:resource("a").configuration
            """, prints: ["nil", "true\tmemory cache\tmemory cache\tnil", "nil"])
    }

    @Test func `16.7 22.21 remove_caches and clear take the caches from all stages`() throws {
        try expect(
            """
            local cache = rest.cache.memory()
            api:configure(function(c) c.pipeline.model.cache = cache c.pipeline["mine"].cache = cache end)
            api:configure("a", function(c) c.pipeline:remove_caches() end)
            api:configure("b", function(c) c.pipeline:clear() end)
            for _, path in ipairs { "a", "b", "c" } do
              local pipeline = api:resource(path).configuration.pipeline
              print(pipeline.model.cache, pipeline.mine.cache)
            end
            """,
            prints: [
                "nil\tnil", "nil\tnil",
                "warn: the pipeline's order leaves out 'mine', which holds transformers or a cache: they won't run",
                "memory cache\tmemory cache",
            ].filter { !$0.hasPrefix("warn") })
    }

    @Test func `a configuration in use refuses a cache`() throws {
        try expect(
            """
            local stage = api:resource("a").configuration.pipeline.model
            local ok, err = pcall(function() stage.cache = rest.cache.memory() end)
            print(ok, (err:gsub(":.*", "")))
            print(pcall(function() api:resource("a").configuration.pipeline:remove_caches() end))
            """,
            prints: [
                "false\ttest.lua",
                "false\ttest.lua:4: this configuration is frozen: change it in a block, and call invalidate_configuration() "
                    + "to run the blocks again",
            ])
    }

    @Test(arguments: [
        ("'x'", "string"), ("5", "number"), ("{}", "table"), ("print", "function"), ("api", "service"),
        ("false", "boolean"),
    ])
    func `a stage's cache must be one`(value: String, type: String) throws {
        try expect(
            """
            api:configure(function(c) print(pcall(function() c.pipeline.model.cache = \(value) end)) end)
            local configuration = api:resource("a").configuration
            """,
            prints: [
                "false\ttest.lua:1: bad value for 'cache' of stage (cache, made by rest.cache.…, or nil expected, got \(type))"
            ])
    }

    @Test func `22.8 made in a block, a memory cache is one for its line`() throws {
        try expect(
            """
            api:configure(function(c)
              c.pipeline.model.cache = rest.cache.memory {}
            end)
            api:configure("b", function(c) c.pipeline.model.cache = rest.cache.memory { max_bytes = 5 } end)
            local function cache(path, method) return api:resource(path):configuration_for(method or "GET").pipeline.model.cache end
            local first = cache "a"
            print(first == cache "c", first == cache("a", "POST"), first == cache "b")
            api:invalidate_configuration()
            print(first == cache "a", rest.cache.memory() == rest.cache.memory())
            """, prints: ["true\ttrue\tfalse", "true\tfalse"])
    }

    @Test func `wrong options name what is wrong`() {
        let none = "function() end"
        let rows = [
            ("rest.cache.memory { max_byte = 5 }", "unknown option 'max_byte': did you mean 'max_bytes'?"),
            ("rest.cache.memory { max_bytes = 0 }", "option 'max_bytes' is 1 or more, got 0"),
            (
                "rest.cache.memory { max_bytes = 'x' }",
                "bad option 'max_bytes' to 'rest.cache.memory' (integer expected, got string)"
            ),
            ("rest.cache.custom()", "option 'key' is missing in the call of 'rest.cache.custom'"),
            (
                "rest.cache.custom { key = \(none), read = \(none), write = \(none) }",
                "option 'remove' is missing in the call of 'rest.cache.custom'"
            ),
            (
                "rest.cache.custom { key = 'k' }",
                "bad option 'key' to 'rest.cache.custom' (function expected, got string)"
            ),
            (
                "rest.cache.custom { key = \(none), read = \(none), write = \(none), remove = \(none), updat_timestamp = \(none) }",
                "unknown option 'updat_timestamp': did you mean 'update_timestamp'?"
            ),
            (
                "rest.cache.sqlite { max_bytes = 5 }",
                "option 'path' is missing in the call of 'rest.cache.sqlite'"
            ),
            (
                "rest.cache.sqlite { file = 'x' }",
                "unknown option 'file': 'rest.cache.sqlite' knows path, max_bytes, user"
            ),
            ("rest.cache.sqlite { path = '' }", "option 'path' of rest.cache.sqlite is empty"),
            (
                "rest.cache.sqlite { path = 'x', user = 5 }",
                "option 'user' is a text or a function that returns one, not a number"
            ),
            (
                "rest.cache.sqlite { path = 'x' }",
                "rest.cache.sqlite is not available in this program: use rest.cache.memory{…} or rest.cache.custom{…}"
            ),
            (
                "rest.cache.redis { url = 'redis://localhost' }",
                "a shared memory is not available in this program"
            ),
            ("local c = rest.cache.memry", "unknown field 'memry' on rest.cache: did you mean 'memory'?"),
            (
                "rest.cache.mine = 5",
                "'rest.cache' can't be changed: keep your own values in a table of your own"
            ),
            ("local c = rest.cache.memory().size", "unknown field 'size' on cache"),
        ]
        for (source, message) in rows {
            let error = loadError(source)
            #expect(error?.hasPrefix("1: \(message)") == true, "\(source): \(error ?? "no error")")
        }
    }

    // MARK: SQLite

    @EngineActor
    private final class Requested {
        var settings: [SQLiteCacheSettings] = []
    }

    private struct Trouble: Error, CustomStringConvertible {
        let description: String
    }

    private func load(_ source: String, path: String = "test.lua", fails: Bool = false) throws
        -> [SQLiteCacheSettings]
    {
        let fixture = ScriptFixture()
        let requested = Requested()
        fixture.options.capabilities = .all
        fixture.options.makeSQLiteCache = { settings in
            if fails { throw Trouble(description: "it is a folder") }
            requested.settings.append(settings)
            return MemoryCache()
        }
        try fixture.load(source, path: path)
        defer { fixture.close() }
        for settings in requested.settings {
            #expect(settings.engine === fixture.engine)
        }
        return requested.settings
    }

    @Test func `the path of a SQLite cache is relative to the script's folder`() throws {
        let source =
            "local one, two = rest.cache.sqlite { path = 'c.db' }, rest.cache.sqlite { path = '/var/c.db', max_bytes = 7 }"
        let settings = try load(source, path: "/srv/scripts/test.lua")
        #expect(settings.map(\.path) == ["/srv/scripts/c.db", "/var/c.db"])
        #expect(settings.map(\.maxBytes) == [nil, 7])
        #expect(settings.allSatisfy { $0.user == nil })
        let here = try #require(ResolvedPath.resolve("c.db"))
        #expect(try load(source).map(\.path) == [here, "/var/c.db"])
    }

    private func answer(_ user: (@EngineActor () throws -> String?)?) -> String {
        do { return try user?() ?? "nobody" } catch { return "failure: \(error)" }
    }

    @Test func `a SQLite cache asks a function for its user, or takes a text`() throws {
        let fixture = ScriptFixture()
        var users: [(@EngineActor () throws -> String?)?] = []
        fixture.options.makeSQLiteCache = { settings in
            users.append(settings.user)
            return MemoryCache()
        }
        try fixture.load(
            """
            local name = "ada"
            local caches = {
              rest.cache.sqlite { path = "c", user = "eve" }, rest.cache.sqlite { path = "c", user = function() return name end },
              rest.cache.sqlite { path = "c", user = function() end }, rest.cache.sqlite { path = "c", user = function() return 5 end },
              rest.cache.sqlite { path = "c", user = function() rest.sleep(1) end },
              rest.cache.sqlite { path = "c", user = function() error("gone") end },
            }
            """)
        let answers = users.map(answer)
        #expect(Array(answers.prefix(3)) == ["eve", "ada", "nobody"])
        for (answer, reason) in zip(
            answers.dropFirst(3), ["must return a text or nil", "cannot wait here", "gone"])
        {
            #expect(answer.hasPrefix("failure: ") && answer.contains(reason))
        }
        fixture.close()
        #expect(answer(users[1]).hasPrefix("failure: "))
        users = []
    }

    @Test func `a SQLite cache that can't be opened is an error at its line`() {
        let fixture = ScriptFixture()
        fixture.options.makeSQLiteCache = { _ in throw Trouble(description: "it is a folder") }
        let error = fixture.failure(of: "local c = rest.cache.sqlite { path = 'x' }")
        #expect(error?.message == "rest.cache.sqlite can't use 'x': it is a folder" && error?.line == 1)
    }
}
