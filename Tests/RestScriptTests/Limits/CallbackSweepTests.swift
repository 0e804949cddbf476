import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Refuses each allocation of a script, one per round, while the host calls it back and while it calls the
/// host.
@Suite(.leakChecked) @EngineActor
struct CallbackSweepTests {
    /// Each runs one round, and prints `ok` or the error of the request that failed.
    private nonisolated static let ways = [
        """
        api:resource("json"):load():on_progress(function(f) keep(f) end)
          :on_success(function(entity) keep(entity.content.name .. entity.headers["content-type"]) end)
          :on_new_data(function(entity) keep(entity.json.tags) end)
          :on_completion(function(info) keep(info.is_new, info.response.entity.content) say(info.response) end)
        """,
        """
        api:resource("missing"):load():on_failure(function(err)
          keep(err.user_message, err.cause, err.entity.content, err.http_status_code, tostring(err))
        end):on_completion(function(info)
          local err = info.response.error
          if err.http_status_code == 404 then print("ok") else print(err) end
        end)
        """,
        """
        decorated:invalidate_configuration()
        decorated:resource("echo/a"):load():on_completion(function(info) say(info.response) end)
        """,
        """
        decorated:resource("echo/b"):request("POST", { json = { a = { 1, 2 } }, headers = { X = "y" }, query = { q = "1" },
          mutate = function(draft) draft.headers["X-Own"] = draft.url end })
          :on_completion(function(info) say(info.response) end)
        """,
        """
        transformed:invalidate_configuration()
        transformed:resource("json"):load():on_completion(function(info) say(info.response) end)
        transformed:resource("missing"):load():on_failure(function(err) keep(err.json) end)
        """,
        """
        local r = api:resource("observed")
        local owner, observer = {}, { events = {} }
        function observer:changed(resource, event) self.events[#self.events + 1] = { resource.text, event } end
        function observer:stopped_observing(resource) keep(resource.url) end
        r:add_observer(observer):add_observer(function(resource, event) keep(resource.json, event) end, owner)
        r:override_local_content({ list = { 1, "two", { 3 } } })
        r:override_local_data(rest.entity { content = "text", headers = { ETag = "e" } })
        r:wipe()
        r:remove_observers(observer)
        r:remove_observers(owner)
        print "ok"
        """,
        """
        local status = rest.status({ api:resource("text"), api:resource("json") })
        local r = api:resource("text")
        r:load():await()
        local job = rest.spawn(function(...) rest.sleep(0) return ..., r.latest_data.content end, { 1 })
        local a, b = job:await()
        local results = rest.gather({ 1, 2, 3 }, 2, function(n) rest.sleep(0) return { n } end)
        rest.all { r:load(), function() return b end }
        keep(results, a, tostring(status))
        print "ok"
        """,
        """
        local request = rest.custom_request { start = function(complete)
          complete(rest.success(rest.entity { content = { made = true }, content_type = "text/x" }))
        end }
        local chained = request:chained(function(info)
          if not info.response.ok then return rest.use_this_response end
          keep(info.response.entity.content.made)
          return rest.pass_to(api:resource("text"):load())
        end)
        chained:on_completion(function(info) say(info.response) end):start()
        rest.failed_request("words"):on_failure(function(err) keep(err.user_message) end)
        """,
        """
        local text = rest.json.encode { list = deep, names = { a = 1, ["b c"] = { true, rest.null } } }
        local back = rest.json.decode(text)
        keep(back, rest.json.decode(many), rest.json.encode(rest.json.array {}))
        keep(pcall(rest.json.encode, { print }), pcall(rest.json.decode, "{"))
        keep(rest.base64.encode(text), rest.url.encode(text))
        print "ok"
        """,
        """
        rest.store:set("key", { deep, n = 1 }, { ttl = 5 })
        keep(rest.store:get("key"), rest.store:incr("count", 2), rest.store:keys())
        rest.store:set("key", nil)
        rest.store:delete("count")
        print "ok"
        """,
        """
        keep(pcall(error, rest.error { user_message = "Mine", entity = rest.entity { content = { 1 } } }))
        keep(pcall(api.resource, api, 5), pcall(function() api:resource("x").nothing = 1 end))
        keep(tostring(api:resource("a b")), tostring(rest.entity { content = {} }), api:resource("x") == api:resource("x"))
        keep(api:resource("x"):with_params { a = { 1, 2 } }:child("c"):relative("../d").url)
        rest.log.info("words", { a = {} })
        print "ok"
        """,
    ]

    private static let declarations = """
        local kept
        local function keep(...) kept = { ... } end
        local function say(response) if response.ok then print "ok" else print(response.error) end end
        local deep = {}
        do local t = deep for i = 1, 60 do t[1] = {} t = t[1] end end
        local many = "[" .. ('{"a":1,"b":"text"},'):rep(60) .. "[]]"
        local decorated = rest.service { name = "decorated", base_url = "https://api.test/v1" }
        decorated:configure("**", function(c)
          c.headers["X-Block"] = { "a", "b" }
          c:mutate_requests(function(draft) draft.headers["X-Mutated"] = draft.method .. tostring(draft.headers["X-Block"]) end)
          c:decorate_requests(function(resource, request)
            return request:on_completion(function(info) keep(resource.url, info.response.ok) end)
          end)
          c:decorate_requests(rest.refresh_on(401, function() return true end))
        end)
        local transformed = rest.service { name = "transformed", base_url = "https://api.test/v1" }
        transformed:configure_transformer("**", { transform_errors = true }, function(content, entity)
          return { was = content, kind = entity.content_kind, at = entity.timestamp }
        end)
        transformed:configure(function(c)
          c.pipeline.cleanup:add(rest.response_transformer(function(response)
            if not response.ok then return response end
            return rest.success(rest.entity { content = { response.entity.content }, content_type = "a/b" })
          end))
        end)
        """

    private func isExpected(_ line: String) -> Bool { line == "ok" || line.contains("not enough memory") }

    @Test(arguments: ways)
    func `a refused allocation ends one round with words, and the next is as ever`(way: String) throws {
        let fixture = ScriptFixture()
        fixture.options.log = { [log = fixture.options.log] in if $0.text != "words" { log($0) } }
        try SampleServer.install(on: fixture.transport)
        try fixture.load(Self.declarations + " rest.every(1, function() \(way) end)")
        let state = try #require(fixture.context).state
        // The first round makes classes and resources that stay.
        try sweep(fixture, state)
        let before = LuaFootprint(state)
        try sweep(fixture, state)
        LuaFootprint(state).expectBack(to: before)
        fixture.close()
    }

    private func sweep(_ fixture: ScriptFixture, _ state: LuaState) throws {
        var failures = 0
        let rounds = try AllocationSweep().run({ state }) { nth in
            fixture.advance(1, step: 1)
            let lines = fixture.take()
            #expect(!lines.isEmpty && lines.allSatisfy(isExpected), "\(nth): \(lines)")
            if lines.contains(where: { $0 != "ok" }) { failures += 1 }
        } check: { nth in
            #expect(state.main.top == 0)
            fixture.advance(1, step: 1)
            #expect(fixture.take() == ["ok"], "after \(nth)")
        }
        #expect(rounds > 3 && failures > 1, "\(rounds) \(failures)")
    }
}
