import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Hooks of a script's gateway, through `host:request` (rules 72).
@EngineActor
struct HookTests {
    @Test func `72.1 hooks run after access, in order, until one answers`() async throws {
        _ = try await GatewayScript.run(
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

    @Test func `72.1 no spelling of a path leads past a hook`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/admin/**", function() return rest.response { status = 403 } end)
            gateway:before("/api/{name}", function(request)
              if request.params.name:find "caf" then return rest.response { status = 418 } end
            end)
            """,
            """
            local stub = host:stub("GET", "https://api.test/**", { json = { 1 } })
            for _, path in ipairs {
              "/api/admin/", "/api/admin/x", "/api/%61dmin/x", "/%61pi/admin/x", "/api/admin%2Fx", "/api/admin%2fx",
              "/api/admin/x?y", "/api/admin/%E9", "/api/admin/caf%E9%2F..x", "/api/admin%2F%FF",
            } do
              t.equal(ask("GET", path).status, 403, path)
            end
            t.equal(ask("GET", "/api/caf%E9").status, 418)
            t.equal(ask("GET", "/api/other/..%2Fadmin/x").status, 400)
            t.equal(#stub.requests, 0)
            """)
    }

    @Test func `72.3 a hook chooses the headers for the API`() async throws {
        _ = try await GatewayScript.run(
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
        let log = try await GatewayScript.run(
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
        _ = try await GatewayScript.run(
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
        _ = try await GatewayScript.run(
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
        _ = try await GatewayScript.run(
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
}
