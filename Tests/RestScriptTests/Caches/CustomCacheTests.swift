import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CustomCacheTests {
    /// A cache that is a table, and prints its calls.
    static let table = #"""
        local entries = {}
        local function path(key) return (key:gsub("https://api.test/v1/", "")) end
        local cache = rest.cache.custom {
          key = function(resource) return resource.url end,
          read = function(key) print("read", path(key)) return entries[key] end,
          write = function(key, entity) print("write", path(key), entity.content_kind, entity.timestamp) entries[key] = entity end,
          remove = function(key) print("remove", path(key)) entries[key] = nil end,
        }
        """#

    /// Runs a script with the table cache at the model stage. Its jobs may wait.
    private func expect(
        _ source: String, seconds: Double = 1, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let setup = #" api:configure(function(c) c.pipeline.model.cache = cache end) "#
        try RestScriptTests.expect(
            Self.table + setup + "rest.spawn(function() " + source + " end)", seconds: seconds,
            prints: expected,
            sourceLocation: sourceLocation)
    }

    /// The cache that a script set for the stage `model`.
    private func cache(_ fixture: ScriptFixture) throws -> any EntityCache {
        let service = try #require(fixture.host?.services.first)
        return try #require(service.resource("x").configuration(for: "GET").pipeline["model"].cache)
    }

    @Test(arguments: [true, false])
    func `22.2 a cache of functions passes the conformance kit, waiting or not`(waits: Bool) async throws {
        let fixture = ScriptFixture()
        let update = """
            update_timestamp = function(key, t)
              local e = entries[key]
              if e then
                entries[key] = rest.entity { content = e.content, headers = e.headers, charset = e.charset, timestamp = t,
                  status = e.status, url = e.url, http_version = e.http_version }
              end
            end,
            """
        let script = #"""
            local entries = {}
            local cache = rest.cache.custom {
              key = function(resource, stage) WAIT return resource.url .. " " .. stage end,
              read = function(key) WAIT return entries[key] end,
              write = function(key, entity) WAIT entries[key] = entity end,
              remove = function(key) WAIT entries[key] = nil end, UPDATE
            }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            """#
        try fixture.load(
            script.replacing("UPDATE", with: waits ? "" : update)
                .replacing("WAIT", with: waits ? "rest.sleep(0)" : ""))
        let violations = await EntityCacheConformance.check(try cache(fixture), on: fixture.engine)
        #expect(violations == [])
        fixture.close()
    }

    @Test func `22.6 22.8 a load writes, and a new life reads`() throws {
        try expect(
            """
            local res = api:resource("text")
            print(res:get(), res.latest_data.timestamp)
            """,
            prints: ["read\ttext", "write\ttext\ttext\t1000000.0", "hello\t1000000.0"])
        try expect(
            """
            entries["https://api.test/v1/text"] = rest.entity { content = "kept", timestamp = rest.now() - 10 }
            local res = api:resource("text")
            print(res.latest_data, res.is_loading)
            rest.sleep(0.1)
            print(res.text, res.latest_data.timestamp, res.is_up_to_date, res:load_if_needed())
            """, prints: ["nil\tfalse", "read\ttext", "kept\t999990.0\ttrue\tnil"])
    }

    @Test func `22.12 without update_timestamp it is read, set and written`() throws {
        try expect(
            """
            entries["https://api.test/v1/json"] =
              rest.entity { content = { kept = true }, headers = { ETag = '"known"' }, timestamp = 999000 }
            print(api:resource("json"):get().kept)
            """,
            prints: ["read\tjson", "read\tjson", "write\tjson\tvalue\t1000000.0", "true"])
    }

    @Test func `22.12 update_timestamp gets key and time`() throws {
        try RestScriptTests.expect(
            #"""
            local entity = rest.entity { content = { kept = true }, headers = { ETag = '"known"' }, timestamp = 999000 }
            local cache = rest.cache.custom {
              key = function(resource) return { resource.url } end, read = function(key) return entity end,
              write = function() print("never") end, remove = function() end,
              update_timestamp = function(key, t) print(key[1], t) end,
            }
            api:configure(function(c) c.pipeline.cleanup.cache = cache end)
            rest.spawn(function() print(api:resource("json"):get().kept) end)
            """#, prints: ["https://api.test/v1/json\t1000000.0", "true"])
    }

    @Test func `22.13 21.5 an override and a wipe remove`() throws {
        try expect(
            """
            local res = api:resource("text")
            res:override_local_content("mine")
            res:wipe()
            rest.sleep(0.1)
            print(res.latest_data, next(entries))
            """, prints: ["remove\ttext", "remove\ttext", "read\ttext", "nil\tnil"])
    }

    @Test func `22.3 a key of nil keeps the resource out`() throws {
        try RestScriptTests.expect(
            #"""
            local function never() error("asked") end
            local cache = rest.cache.custom { key = function() end, read = never, write = never, remove = never }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function()
              local res = api:resource("text")
              print(res:get()) res:override_local_content("x") res:wipe() rest.sleep(0) print(res:get())
            end)
            """#, prints: ["hello", "hello"])
    }

    @Test(arguments: ["'k'", "1", "0/0", "true", "false", "{}", "print", "resource", "rest.null"])
    func `22.3 any other value is a key`(key: String) throws {
        try RestScriptTests.expect(
            #"""
            local seen
            local cache = rest.cache.custom {
              key = function(resource) seen = VALUE return seen end,
              read = function(key) print(rawequal(key, seen) or key ~= key) end,
              write = function(key) print(rawequal(key, seen) or key ~= key) end, remove = function() end,
            }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function() print(api:resource("text"):get()) end)
            """#.replacing("VALUE", with: key), prints: ["true", "true", "hello"])
    }

    @Test func `22.2 the functions may wait, the key's too, and the order stays`() throws {
        try RestScriptTests.expect(
            #"""
            local cache = rest.cache.custom {
              key = function(resource) rest.sleep(1) return resource.url end,
              read = function() print("read", rest.now()) rest.sleep(1) end,
              write = function(key, entity) rest.sleep(2) print("write", rest.now()) end,
              remove = function(key) print("remove", rest.now()) end,
            }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function()
              local res = api:resource("text")
              print(res:get(), rest.now())
              res:wipe()
            end)
            """#, seconds: 20,
            prints: [
                "read\t1000001.0", "hello\t1000002.0", "write\t1000005.0", "remove\t1000005.0",
                "read\t1000005.0",
            ])
    }

    @Test func `22.3 the key is made at once, of what is so then`() throws {
        try RestScriptTests.expect(
            #"""
            local user = "ada"
            local cache = rest.cache.custom {
              key = function(resource) return user end, read = function() end,
              write = function(key) rest.sleep(1) print("wrote", key) end,
              remove = function(key) print("removed", key) end,
            }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function()
              local res = api:resource("text")
              res:get() res:wipe()
              user = "bob"
            end)
            """#, seconds: 3, prints: ["wrote\tada", "removed\tada"])
    }

    @Test func `5.6 5.8 load_if_needed waits for a cache that waits`() throws {
        try RestScriptTests.expect(
            #"""
            local cache = rest.cache.custom {
              key = function() return 1 end, write = function() end, remove = function() end,
              read = function() rest.sleep(1) return rest.entity { content = "kept" } end,
            }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            rest.spawn(function()
              local res = api:resource("text")
              local request = res:load_if_needed()
              print(res:load_if_needed() == request, res.is_loading, request.state)
              request:on_new_data(function(entity) print("new data", entity.content, res.is_loading) end)
              print(request:await().content, rest.now(), res.is_up_to_date)
            end)
            """#, seconds: 3,
            prints: ["true\ttrue\tin_progress", "new data\tkept\tfalse", "kept\t1000001.0\ttrue"])
    }

    @Test func `D17 load_using brings the cache back to what a finished request had`() throws {
        try expect(
            """
            local res = api:resource("text")
            local request = res:request("GET")
            request:await()
            res:load_using(request):await()
            res:load_using(api:resource("json"):request("GET")):await()
            print(res.latest_data.content_kind)
            """, prints: ["write\ttext\ttext\t1000000.0", "json"])
    }

    @Test func `22.9 an image and bytes come back as they were`() throws {
        try expect(
            """
            for _, path in ipairs { "image", "bytes" } do
              api:resource(path):load():await()
              local kept = entries["https://api.test/v1/" .. path]
              local res = api:resource_at("https://api.test/v1/" .. path)
              res:wipe()
              entries[res.url] = kept
              rest.sleep(0.1)
              print(res.latest_data.content_kind, res.latest_data.content.width or #res.latest_data.content)
            end
            """,
            prints: [
                "read\timage", "write\timage\timage\t1000000.0", "remove\timage", "read\timage", "image\t3",
                "read\tbytes", "write\tbytes\tbytes\t1000000.25", "remove\tbytes", "read\tbytes", "bytes\t3",
            ])
    }
}
