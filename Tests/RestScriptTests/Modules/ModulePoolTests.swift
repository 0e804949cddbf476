import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// The threads of transformer modules.
@Suite(.leakChecked) @EngineActor
struct ModulePoolTests {
    @Test func `two responses are transformed at once`() async throws {
        let fixture = try ModuleFixture([
            "m": "local gate = require 'test.gate' return function(c) gate() return c end"
        ])
        fixture.script.options.transformerThreads = 2
        let gate = Checkpoint()
        fixture.install(gate)
        try fixture.load(
            """
            api:configure_transformer("**", "m")
            for _, path in ipairs { "text", "json" } do
              rest.spawn(function() api:resource(path):get() print("done") end)
            end
            """)
        // Neither can go on before both have arrived.
        gate.waitForArrival()
        gate.waitForArrival()
        #expect(fixture.script.engine.offloadedWork == 2)
        gate.open()
        gate.open()
        await fixture.settle()
        #expect(fixture.take() == ["done", "done"])
        await fixture.close()
    }

    @Test func `what their states use is known, and what they used stays known`() async throws {
        let fixture = try ModuleFixture(["m": "kept = ('x'):rep(100000) return function(c) return c end"])
        try fixture.load(
            """
            api:configure_transformer("**", "m")
            rest.spawn(function() api:resource("text"):get() end)
            """)
        let host = try #require(fixture.script.host)
        #expect(host.moduleUsage.bytes == 0)
        await fixture.settle()
        #expect(host.moduleUsage.bytes > 100_000 && host.moduleUsage.cpuSeconds >= 0)
        let (usage, state) = (ModuleUsage(), ModuleState(ModuleSettings(host.context)))
        usage.note(.init(bytes: 5, seconds: 1), of: state)
        usage.note(.init(bytes: 7, seconds: 2), of: state)
        #expect(usage.total == .init(bytes: 7, seconds: 2))
        usage.end(state)
        #expect(usage.total == .init(bytes: 0, seconds: 2))
        _ = state.close()
        await fixture.close()
    }

    @Test func `what a module keeps is its own: not the script's, not another module's`() async throws {
        let lines = try await output(
            """
            mine = "script"
            api:configure_transformer("text", "a")
            api:configure_transformer("text", { action = "append" }, "b")
            rest.spawn(function() for _ = 1, 2 do print(api:resource("text"):load():await().content) end end)
            """,
            modules: [
                "a": "own = 0 local n = 0 return function(c) n = n + 1 return c .. n .. tostring(mine) end",
                "b": "local n = 0 return function(c) n = n + 1 return c .. n .. tostring(own) end",
            ])
        #expect(lines == ["hello1nil1nil", "hello2nil2nil"])
    }

    @Test func `what a module has of rest: the store, the log, now, and makers of values`() async throws {
        let lines = try await output(
            """
            rest.store:set("greeting", { text = "hi" })
            api:configure_transformer("text", "m")
            rest.spawn(function()
              print(api:resource("text"):get())
              print(rest.store:get("seen"), rest.store:get("count"))
            end)
            """,
            modules: [
                "m":
                    """
                return function(c, e)
                  rest.log.warn("transforming", { content = c })
                  print("printed", rest.version ~= nil)
                  rest.store:set("seen", e.headers["content-type"], { ttl = 5 })
                  rest.store:incr("count")
                  local parts = { rest.store:get("greeting").text, rest.now(), rest.base64.encode("a"), rest.url.encode("é") }
                  parts[#parts + 1] = rest.json.encode(rest.json.decode("[1,null]"))
                  return table.concat(parts, " ")
                end
                """
            ])
        #expect(
            lines == [
                "warn: transforming", "printed\ttrue", "hi 1000000.0 YQ== %C3%A9 [1,null]",
                "text/plain; charset=utf-8\t1",
            ])
    }

    @Test(
        "what only the script can do is refused with a sentence",
        arguments: [
            "rest.service", "rest.sleep", "rest.spawn", "rest.read_file", "rest.env", "rest.gateway",
            "rest.transformers", "rest.log.categories",
        ])
    func absent(name: String) async throws {
        let lines = try await output(
            """
            api:configure_transformer("text", "m")
            rest.spawn(function() print(select(2, api:resource("text"):get()).cause.message) end)
            """, modules: ["m": "return function() return \(name) end"])
        #expect(lines.first?.hasPrefix("\(name) is not available in a transformer module") == true)
    }

    @Test func `a state without memory is replaced; so its modules begin anew`() async throws {
        let lines = try await output(
            """
            api:configure_transformer("**", "m")
            rest.spawn(function()
              for _, path in ipairs { "text", "text", "json", "text" } do
                local content, err = api:resource(path):load():await()
                print(content and content.content, err and err.cause.budget)
              end
            end)
            """,
            modules: [
                "m":
                    "local n = 0 return function(c, e) n = n + 1 if e.content_kind == 'json' then return ('x'):rep(1e9) end return n end"
            ])
        #expect(lines == ["1\tnil", "2\tnil", "nil\tmemory", "1\tnil"])
    }

    @Test func `out of time, the state stays`() async throws {
        let lines = try await output(
            """
            api:configure_transformer("**", "m")
            rest.spawn(function()
              for _, path in ipairs { "text", "json", "text" } do
                local entity, err = api:resource(path):load():await()
                print(entity and entity.content, err and err.cause.type, err and err.cause.file ~= nil, err and err.cause.line)
              end
            end)
            """,
            modules: [
                "m":
                    "local n = 0 return function(c, e) n = n + 1\nif e.content_kind == 'json' then while true do end end return n end"
            ])
        #expect(lines == ["1\tnil\tnil\tnil", "nil\tscript_limit\ttrue\t2", "3\tnil\tnil\tnil"])
    }

    @Test func `beyond the limit a response is refused`() async throws {
        let fixture = try ModuleFixture([
            "m": "local gate = require 'test.gate' return function(c) gate() return c end"
        ])
        fixture.script.options.transformerQueueLimit = 1
        let gate = Checkpoint()
        fixture.install(gate)
        try fixture.load(
            """
            api:configure_transformer("text", "m")
            function start(name)
              api:resource("text"):request("GET"):on_success(function() print(name, "ok") end)
                :on_failure(function(err) print(name, err.cause.type, err.user_message, err.http_status_code) end)
            end
            start "a"
            """)
        gate.waitForArrival()
        let requests = ["b", "c"].map { _ in
            fixture.script.host?.service(named: "api")?.resource("text").request("GET")
        }
        fixture.script.settle()
        #expect(requests[0]?.state == .inProgress)
        gate.open()
        gate.open()
        await fixture.settle()
        #expect(fixture.take() == ["a\tok"])
        #expect(requests[0]?.info?.response.entity?.content.text == "hello")
        let refused = requests[1]?.info?.response.error
        #expect(refused?.code == "queue_full")
        #expect(refused?.userMessage == "1 responses wait for a transformer module already")
        #expect(refused?.httpStatusCode == 200)
        await fixture.close()
    }

    @Test func `8.2: a request is cancelled while it waits for a state, or is in one`() async throws {
        let fixture = try ModuleFixture([
            "m":
                "local gate = require 'test.gate' return function(c) gate() rest.store:incr('n') return c end"
        ])
        let gate = Checkpoint()
        fixture.install(gate)
        try fixture.load(
            """
            api:configure_transformer("**", "m")
            api:resource("text"):load() api:resource("json"):load()
            """)
        gate.waitForArrival()
        let service = try #require(fixture.script.host?.service(named: "api"))
        let requests = ["text", "json"].flatMap { service.resource($0).loadRequests }
        for request in requests { request.cancel() }
        #expect(requests.filter(\.isCancelled).count == 2)
        // The job that has a state ends there, and no code gets its result.
        #expect(fixture.script.engine.offloadedWork == 1)
        gate.open()
        await fixture.settle()
        #expect(service.resource("text").latestData == nil)
        #expect(fixture.script.options.store.value(for: "n", at: 0)?.int == 1)
        await fixture.close()
    }

    @Test func `closing a script fails what is in its pool`() async throws {
        let fixture = try ModuleFixture([
            "m": "local gate = require 'test.gate' return function(c) gate() return c end"
        ])
        let gate = Checkpoint()
        fixture.install(gate)
        try fixture.load(
            #"api:configure_transformer("**", "m") api:resource("text"):load() api:resource("json"):load()"#)
        gate.waitForArrival()
        let service = try #require(fixture.script.host?.service(named: "api"))
        let requests = ["text", "json"].flatMap { service.resource($0).loadRequests }
        // The pool is closed first. Otherwise the second job might begin and wait at the gate too.
        let pool = try #require(fixture.pool)
        fixture.script.close()
        gate.open()
        await fixture.settle()
        #expect(await pool.objectsLeft() == 0)
        #expect(requests.map { $0.info?.response.error?.code } == ["internal", "internal"])
    }

    @Test func `a test's settle and get wait for modules; its clock stands still`() async throws {
        let lines = try await testResults(
            """
            t.test("it", function()
              local host = t.load { source = [[
                local rest = require "resthost"
                local api = rest.service { name = "api", base_url = "https://api.test" }
                api:configure_transformer("**", "shape")
              ]] }
              host:stub("GET", "/*", { json = { id = 7 } })
              local resource = host.services.api:resource("a")
              t.equal(t.assert(resource:get()).id, 8)
              resource:load() resource:load()
              host:settle()
              t.equal(resource.is_loading, false)
              t.equal(host.rest.now(), 1000000)
            end)
            t.test("an error", function()
              local host = t.load { source = [[
                local rest = require "resthost"
                local api = rest.service { name = "api", base_url = "https://api.test" }
                api:configure_transformer("**", "shape")
              ]] }
              host:stub("GET", "/*", { json = {} })
              local _, err = host.services.api:resource("a"):get()
              t.equal(err.cause.type, "script_error")
              t.equal(err.cause.line, 1)
              t.matches(err.cause.file, "shape.lua$")
            end)
            """, scripts: ["shape.lua": "return function(c) return { id = c.id + 1 } end"])
        #expect(lines == ["ok it", "ok an error"])
    }
}
