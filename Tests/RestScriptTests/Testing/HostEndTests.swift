import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct HostEndTests {
    private static let main = """
        local rest = require "resthost"
        name = "main"
        local api = rest.service { name = "api", base_url = "https://api.test/v1" }
        api:configure("/slow", function(c) c.expiration_time = 5 end)
        function told(...) return rest.json.encode({ ... }) end
        """

    @Test func `a host that has ended refuses`() async throws {
        let lines = try await testResults(
            """
            local host, api, request, stub, job, headers, config
            t.test("first", function()
              host = t.load "main.lua"
              api = host.services.api
              stub = host:stub("GET", "/**", { text = "a", delay = 1 })
              request = api:resource("a"):load()
              request:on_success(function() error("must not run") end)
              job = host.rest.spawn(function() host.rest.sleep(5) error("must not run") end)
              config = api:resource("a").configuration
              host:settle()
            end)
            local function gone(name, fn) t.test(name, function() t.raises(fn, "this host has ended with its test") end) end
            gone("stub", function() host:stub("GET", "https://x/") end)
            gone("settle", function() host:settle() end)
            gone("advance", function() host:advance(1) end)
            gone("clock", function() return host:clock() end)
            gone("rest", function() return host.rest end)
            gone("services", function() return host.services end)
            gone("memory_pressure", function() host:memory_pressure() end)
            t.test("objects stay readable", function()
              t.equal(request.state, "completed")
              t.equal(request.is_cancelled, true)
              t.equal(api.name, "api")
              t.equal(api:resource("a").text, "")
              t.equal(config.expiration_time, 30)
              t.equal(job.is_finished, true)
              t.equal(#stub.requests, 1)
              stub:go()
            end)
            t.test("jobs start nothing", function() t.host() api:resource("b"):load() end)
            t.test("nothing comes of waiting", function() request:await() end)
            t.test("nor of a get", function() t.equal(select("#", pcall(function() api:resource("c"):get() end)), 2) end)
            """, scripts: ["main.lua": Self.main])
        #expect(lines.prefix(9).allSatisfy { $0.hasPrefix("ok ") }, "\(lines)")
        #expect(
            lines[9].hasPrefix(
                "jobs start nothing: 30: GET https://api.test/v1/b was sent by a host that has ended"),
            "\(lines[9])")
        #expect(
            lines[10].hasPrefix(
                "nothing comes of waiting: 31: the test waits for something that can't happen"))
        #expect(
            lines[11].hasPrefix(
                "nor of a get: 32: GET https://api.test/v1/c was sent by a host that has ended"))
    }

    @Test func `hosts of the file live as long as the file`() async throws {
        let lines = try await testResults(
            """
            local host = t.load "main.lua"
            local stub = host:stub("GET", "/a", { text = "a" })
            t.test("first", function() t.equal(host.services.api:resource("a"):get(), "a") host:advance(10) end)
            t.test("second", function() t.equal(#stub.requests, 1) t.equal(host:clock(), 1000010) end)
            """, scripts: ["main.lua": Self.main])
        #expect(lines == ["ok first", "ok second"])
    }

    @Test func `closing ends jobs, timers, hooks and requests`() async throws {
        let fixture = TestFileFixture()
        try fixture.load(
            """
            t.test("it", function()
              local host = t.host()
              local rest = host.rest
              local api = rest.service { name = "api", base_url = "https://h.test" }
              host:stub("GET", "/slow", { text = "late", delay = 5 })
              host:stub("GET", "/held", { text = "late", gated = true })
              for _, path in ipairs { "slow", "held" } do
                api:resource(path):load():on_completion(function() print("hook") end)
                rest.spawn(function() print(api:resource(path):get()) end)
                rest.spawn(rest.all, { api:resource(path):load(), function() rest.sleep(9) print("all") end })
              end
              rest.every(1, function() rest.sleep(100) print("timer") end)
              rest.spawn(function()
                local guard <close> = setmetatable({}, { __close = function() print("closed") end })
                coroutine.wrap(function() rest.sleep(50) print("slept") end)()
              end)
              host:advance(2)
            end)
            """)
        await fixture.run()
        #expect(fixture.lines == ["ok it"] && fixture.output == ["closed"])
        #expect(fixture.file.hosts.count == 1)
        fixture.close()
    }

    @Test(arguments: [
        "api:resource('a'):load()", "api:resource('a'):load():on_success(print)",
        "api:resource('held'):load()",
        "api:resource('slow'):load():on_completion(print)",
        "rest.spawn(function() api:resource('slow'):get() end)",
        "rest.spawn(function() rest.sleep(5) end)", "rest.every(1, function() rest.sleep(100) end)",
        "rest.spawn(rest.all, { api:resource('held'):load(), function() rest.sleep(9) end })",
        "rest.spawn(rest.all, { api:resource('held'):load() })",
        "rest.spawn(rest.all, { function() rest.sleep(9) end })",
        "rest.spawn(rest.gather, { 1, 2, 3 }, 2, function() rest.sleep(9) end)", "rest.after(5, print)",
        "local job = rest.spawn(function() rest.sleep(9) end) rest.spawn(function() job:await() end)",
        "coroutine.wrap(function() rest.spawn(function() coroutine.wrap(function() rest.sleep(50) end)() end) end)()",
        "host:stub('GET', '**', function() return {} end) api:resource('a'):load()",
        "x = host:stub('GET', '**', function() return x end)",
        "api:configure(function(c) c:mutate_requests(function() end) end) api:resource('a'):load()",
        "api:configure_transformer('**', function(c) return { c } end) x = api:resource('a') x:load()",
        "t.load { source = 'local rest = require \"resthost\" rest.spawn(function() rest.sleep(5) end)' }",
        "pcall(t.load, { source = 'local rest = require \"resthost\" rest.spawn(print) rest.after(1, print) error(1)' })",
        "pcall(t.load, { source = 'local rest = require \"resthost\" rest.service { base_url = \"https://a.test\" }:resource(\"a\"):load():on_success(print) x = = 1' })",
        "pcall(t.load, { source = 'local rest = require \"resthost\" rest.service { base_url = \"https://a.test\" }:resource(\"a\"):load():on_success(print) error(1)' })",
        "kept = { host, rest, api, api:resource('slow'):load(), rest.error {}, rest.entity { content = {} } } host:advance(1) local x = kept[6].content",
        "if old then old:resource('b'):load() end old = api",
        "if old then old:await() end old = api:resource('slow'):load()",
        "if old then old:resource('c'):get() end old = api", "if old then old.spawn(print) end old = rest",
        "if old then old:go() end old = host:stub('GET', '/x', {})",
        "if old then old() end old = function() host:settle() end",
        "if old then old.after(1, print) end old = rest", "if old then old.sleep(1) end old = rest",
        "if old then old.service { name = 'late', base_url = 'https://l.test' } end old = rest",
        "if old then old:configure(function() end) end old = api",
        "rest.spawn(function() host:advance(5) end) host:advance(1)",
        "host:settle() error(rest.error { user_message = 'm' })",
    ])
    func `each thing that a test may leave behind goes`(body: String) async throws {
        let source = """
            for round = 1, 2 do
              t.test("it", function() local host = t.host() local rest = host.rest
                local api = rest.service { name = "api", base_url = "https://h.test" }
                host:stub("GET", "/a", { text = "a" })
                host:stub("GET", "/slow", { text = "late", delay = 5 })
                host:stub("GET", "/held", { text = "late", gated = true })
                \(body)
                rest.sleep(0)
              end)
            end
            """
        #expect(try await testResults(source).count == 2)
    }

    @Test func `nothing of a thousand hosts stays`() async throws {
        let fixture = TestFileFixture()
        fixture.folder.write("main.lua", Self.main)
        try fixture.load(
            """
            for i = 1, 300 do
              t.test("test " .. i, function()
                local host = t.load "main.lua"
                local api = host.services.api
                host:stub("GET", "/**", function(r) return { json = { url = r.url, list = {} } } end)
                local entity = t.assert(api:resource("a"):load():await())
                t.equal(entity.json.url, "https://api.test/v1/a")
                api:resource("b"):load():on_success(function() t.assert(host) end)
                host.rest.spawn(function() host.rest.sleep(50) end)
                host:advance(1)
              end)
            end
            """)
        var used: [Int] = []
        for (number, test) in fixture.file.tests.enumerated() {
            let result = await fixture.file.run(test)
            if case .failed(let diagnostic) = result.outcome { Issue.record("\(diagnostic)") }
            if number % 50 == 49 {
                for _ in 0..<16 { fixture.file.home.context.state.collectGarbage() }
                used.append(fixture.file.memoryUsed)
            }
        }
        // A record of services and blocks stays until the file ends, for the messages of later tests: 218
        // bytes each, and 128 for which the state is charged. A table may grow to twice its size, but not
        // each time.
        let growth = zip(used.dropFirst(), used).map { $0 - $1 }
        #expect(growth.min() ?? 0 < 20 << 10 && used[5] - used[0] < 160 << 10, "\(used)")
        fixture.close()
    }
}
