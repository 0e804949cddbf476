import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Hooks, routes and streamed answers of a script's gateway, through `host:request` (rules 72).
@EngineActor
struct HookTests {
    private static let script = """
        local rest = require "resthost"
        local api = rest.service { name = "api", base_url = "https://api.test" }
        api:configure("**", function(c) c.expiration_time = 60 end)
        gateway = rest.gateway {
          forward = { headers = { "Accept-Language" } },
          expose = { api = { paths = { "**" }, methods = { "GET", "HEAD", "POST" } } },
          auth = { tokens = { { name = "ada", token = "token-of-ada" }, { name = "bob", token = "token-of-bob" } } },
        }

        """

    /// Runs a test with a script whose gateway is the global `gateway`.
    private func run(
        _ script: String, _ test: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let folder = TemporaryFolder()
        folder.write("main.lua", Self.script + script)
        var options = ScriptOptions()
        options.makeLocalServer = ScriptServer.make
        let file = ScriptTestFile(path: folder.path + "/a_test.lua", options: options)
        folder.write(
            "a_test.lua",
            """
            local t = require "resthost.test"
            t.test("it", function()
              local host = t.load "main.lua"
              local function ask(method, path, options)
                options = options or {}
                options.client = options.client or "ada"
                return host:request(method, path, options)
              end
              \(test)
            end)
            """)
        try file.load()
        let result = await file.run(try #require(file.tests.first))
        let output = file.takeOutput().map(\.text) + result.output.map(\.text)
        let isClean = file.close()
        #expect(isClean, sourceLocation: sourceLocation)
        if case .failed(let diagnostic) = result.outcome {
            Issue.record("\(diagnostic)", sourceLocation: sourceLocation)
        }
        return output
    }

    @Test func `72.1 hooks run after access, in order, until one answers`() async throws {
        _ = try await run(
            """
            local seen = {}
            gateway:before("/api/**", function(request) table.insert(seen, "a " .. request.client.name) end)
            gateway:before("/api/{name}", function(request)
              table.insert(seen, "b " .. request.params.name)
              if request.client.name == "bob" then return nil, "not you" end
              if request.params.name == "stop" then return { stopped = true } end
            end)
            gateway:before("/api/**", { methods = { "POST" } }, function() table.insert(seen, "c") end)
            gateway:before("/other/**", function() table.insert(seen, "other") end)
            gateway:route("GET", "/seen", function() local s = seen seen = {} return s end)
            """,
            """
            local stub = host:stub("GET", "https://api.test/x", { json = { 1 } })
            host:stub("POST", "https://api.test/x", { status = 201 })
            t.equal(host:request("GET", "/api/x").status, 401)
            t.equal(ask("GET", "/seen").json, {})
            t.equal(ask("GET", "/api/x").json, { 1 })
            t.equal(ask("GET", "/seen").json, { "a ada", "b x" })
            t.equal(ask("HEAD", "/api/x").status, 200)
            t.equal(#stub.requests, 1)
            t.equal(ask("POST", "/api/x", { json = {} }).status, 201)
            t.equal(ask("GET", "/seen").json, { "a ada", "b x", "a ada", "b x", "c" })
            t.equal(ask("GET", "/api/stop").json, { stopped = true })
            local refused = ask("GET", "/api/x", { client = "bob" })
            t.equal(refused.status, 502)
            t.matches(refused.json.detail, "not you")
            """)
    }

    @Test func `72.3 a hook chooses the headers for the API`() async throws {
        _ = try await run(
            """
            gateway:before("/api/**", function(request)
              request.forward["X-Tenant"] = request.query.tenant
              if request.query.plain then request.forward["Accept-Language"] = nil end
            end)
            """,
            """
            local stub = host:stub("GET", "https://api.test/x*", { json = { 1 } })
            ask("GET", "/api/x")
            ask("GET", "/api/x")
            t.equal(#stub.requests, 1)
            local own = ask("GET", "/api/x?tenant=a", { headers = { ["Accept-Language"] = "de" } })
            t.equal(own.headers["Cache-Control"], "no-store")
            t.equal(stub.requests[2].headers["x-tenant"], "a")
            t.equal(stub.requests[2].headers["accept-language"], "de")
            ask("GET", "/api/x?plain=1", { headers = { ["Accept-Language"] = "de" } })
            t.equal(stub.requests[3].headers["accept-language"], nil)
            """)
    }

    @Test func `72.4 a hook sees each head once, and changes it`() async throws {
        let log = try await run(
            """
            gateway:after("/**", function(request, response)
              print(request.method, request.path, response.status)
              response.headers["X-Own"] = request.client.name
              response.headers["Age"] = nil
            end)
            gateway:route("GET", "/twice", function() return rest.response { headers = { ["Set-Cookie"] = "a=1" } } end)
            gateway:route("GET", "/raise", function() error("no") end)
            """,
            """
            host:stub("GET", "https://api.test/x", { json = { 1 } })
            host:stub("GET", "https://api.test/bad", { status = 500 })
            local answer = ask("GET", "/api/x")
            t.equal(answer.headers["x-own"], "ada")
            t.equal(answer.headers.age, nil)
            t.equal(answer.headers["content-length"], "3")
            local again = ask("GET", "/api/x", { headers = { ["If-None-Match"] = answer.headers.etag } })
            t.equal(again.status, 304)
            t.equal(again.headers["x-own"], "ada")
            t.equal(ask("GET", "/api/bad").headers["x-own"], "ada")
            t.equal(ask("GET", "/raise").status, 500)
            t.equal(ask("DELETE", "/api/x").status, 405)
            t.equal(ask("GET", "/twice").headers["set-cookie"], "a=1")
            """)
        #expect(
            log.filter { $0.hasPrefix("GET") || $0.hasPrefix("DELETE") } == [
                "GET\t/api/x\t200", "GET\t/api/x\t304", "GET\t/api/bad\t500", "GET\t/raise\t500",
                "DELETE\t/api/x\t405", "GET\t/twice\t200",
            ])
    }

    @Test func `72.4 a hook that fails replaces the answer`() async throws {
        _ = try await run(
            """
            gateway:after("/api/**", function() error("no head") end)
            gateway:after("/length", function(_, response) response.headers["Content-Length"] = "1" end)
            gateway:route("GET", "/length", function() return {} end)
            gateway:after("/stream", function() error("no head") end)
            gateway:route("GET", "/stream", function()
              return rest.stream_response(function(write) write("x") end)
            end)
            """,
            """
            host:stub("GET", "https://api.test/x", { json = { 1 } })
            t.equal(ask("GET", "/api/x").status, 500)
            t.equal(ask("GET", "/api/x", { headers = { Accept = "text/event-stream" } }).status, 500)
            local length = ask("GET", "/length")
            t.equal(length.status, 500)
            t.equal(ask("GET", "/stream").status, 500)
            """)
    }

    @Test func `72.1 a hook limits a path for each client`() async throws {
        _ = try await run(
            """
            gateway:before("/api/{x}", { rate = { requests = 1, per = 60 } })
            """,
            """
            host:stub("GET", "https://api.test/*", { json = { 1 } })
            t.equal(ask("GET", "/api/x").status, 200)
            local refused = ask("GET", "/api/y")
            t.equal(refused.status, 429)
            t.equal(refused.headers["retry-after"], "60")
            t.equal(ask("GET", "/api/x", { client = "bob" }).status, 200)
            host:advance(60)
            t.equal(ask("GET", "/api/x").status, 200)
            """)
    }

    @Test func `72.4 events that come during a hook of the stream's head are made up for`() async throws {
        _ = try await run(
            """
            gateway:after("/api/**", function(_, response)
              if response.headers["Content-Type"] == "text/event-stream" then rest.sleep(5) end
            end)
            """,
            """
            host:stub("GET", "https://api.test/x", { json = { 1 } })
            local job = host.rest.spawn(function()
              host:advance(2)
              host.services.api:resource("/x"):override_local_content({ 2 })
              host:advance(10)
            end)
            local stream = ask("GET", "/api/x", { headers = { Accept = "text/event-stream" } })
            t.equal(stream.status, 200)
            host:settle()
            local last = stream.events[#stream.events]
            t.matches(last.data, '"data":%[2%]')
            """)
    }

    @Test func `72.5 a streamed answer comes as it is written, and ends with the client`() async throws {
        let log = try await run(
            """
            gateway:route("GET", "/rows", function()
              return rest.stream_response({ status = 201, headers = { ["X-A"] = "1" } }, function(write)
                for i = 1, 3 do write(i .. ";") rest.sleep(10) end
              end)
            end)
            gateway:route("GET", "/endless", function()
              return rest.stream_response(function(write)
                local ending <close> = setmetatable({}, { __close = function() print("ended") end })
                while true do write("x") rest.sleep(1) end
              end)
            end)
            gateway:route("GET", "/kept", { expiration_time = 5 }, function()
              return rest.stream_response(function(write) write("x") end)
            end)
            gateway:route("GET", "/broken", function()
              return rest.stream_response(function(write) write("x") error("half way") end)
            end)
            gateway:route("GET", "/large", function()
              return rest.stream_response(function(write)
                for _ = 1, 10 do write(("x"):rep(100000)) end
                print("written")
              end)
            end)
            """,
            """
            local rows = ask("GET", "/rows")
            t.equal({ rows.status, rows.headers["x-a"], rows.body, rows.is_open }, { 201, "1", "1;", true })
            host:advance(10)
            t.equal(rows.body, "1;2;")
            host:advance(20)
            t.equal({ rows.body, rows.is_open, rows.is_broken }, { "1;2;3;", false, false })
            t.equal(ask("HEAD", "/rows").body, "")
            local endless = ask("GET", "/endless")
            endless:close()
            t.equal(ask("GET", "/kept").status, 500)
            t.equal(ask("GET", "/broken").is_broken, true)
            t.equal(#ask("GET", "/large").body, 1000000)
            """)
        #expect(log.filter { $0 == "ended" }.count == 1)
        #expect(log.filter { $0 == "written" }.count == 1)
        #expect(log.contains { $0.contains("half way") })
    }

    @Test func `72.6 events of a route have heartbeats between them`() async throws {
        _ = try await run(
            """
            gateway:route("GET", "/events", function()
              return rest.stream_response({ content_type = "text/event-stream" }, function(write)
                write { event = "a", data = "1\\n2", id = "x", retry = 5 }
                rest.sleep(40)
                write("data: half")
                rest.sleep(40)
                write("\\n\\n")
              end)
            end)
            gateway:route("GET", "/wrong", function()
              return rest.stream_response({ content_type = "text/event-stream" }, function(write)
                write { event = "a\\nb" }
              end)
            end)
            """,
            """
            local stream = ask("GET", "/events")
            t.equal(stream.body, "event: a\\nid: x\\nretry: 5\\ndata: 1\\ndata: 2\\n\\n")
            t.equal(stream:next_event(), { event = "a", data = "1\\n2", id = "x" })
            for _ = 1, 3 do host:advance(12) end
            t.matches(stream.body, "\\n\\n:\\n\\n")
            local before = #stream.body
            for _ = 1, 3 do host:advance(12) end
            t.matches(stream.body, "data: half$")
            t.equal(stream:next_event().data, "half")
            t.equal(stream:next_event(), nil)
            t.equal(ask("GET", "/wrong").is_broken, true)
            """)
    }
}
