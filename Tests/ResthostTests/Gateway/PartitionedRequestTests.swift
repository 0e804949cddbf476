import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Requests of partitions and hooks with repeats and breakers, through `host:request` (rules 77 with 40, 43
/// and 74).
@EngineActor
struct PartitionedRequestTests {
    @Test func `40.1 74.2 77.5 a repeat has the credentials and the ID of its client`() async throws {
        _ = try await GatewayScript.run(
            """
            api:configure("**", function(c) c.retry = { attempts = 3 } end)
            """, forward: "headers = { 'Authorization' }, credentials = true",
            """
            local seen = {}
            local stub = host:stub("GET", "https://api.test/me", function(request)
              local who = request.headers.authorization
              seen[who] = (seen[who] or 0) + 1
              if seen[who] < 3 then return { status = 503 } end
              return { json = { who = who } }
            end)
            local ids = {}
            for _, who in ipairs { "Basic YQ==", "Basic Yg==" } do
              host.rest.spawn(function() host:advance(60) end)
              local answer = host:request("GET", "/api/me", { client = "ada", headers = { Authorization = who } })
              t.equal(answer.json.who, who)
              table.insert(ids, answer.headers["X-Request-Id"])
            end
            t.equal(#stub.requests, 6)
            for number, request in ipairs(stub.requests) do
              t.equal(request.headers["x-request-id"], ids[number > 3 and 2 or 1])
            end
            t.equal(ids[1] ~= ids[2], true)
            """)
    }

    @Test func `43.1 77.9 a breaker that one partition opened holds for all`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/**", function(request) request.partition = request.client.name end)
            api:configure("**", function(c) c.breaker = { requests = 3, window = 60 } c.retry_time = 0 end)
            """,
            """
            local stub = host:stub("GET", "https://api.test/**", { status = 500 })
            for number = 1, 3 do t.equal(ask("GET", "/api/" .. number).status, 500) end
            local refused = ask("GET", "/api/x", { client = "bob" })
            t.equal(refused.json.code, "circuit_open")
            t.equal(#stub.requests, 3)
            """)
    }

    @Test func `72.4 77.3 requests of functions after an answer belong to its client`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/**", function(request) request.partition = request.client.name end)
            gateway:after("/api/**", function(request, response)
              response.headers["X-Audit"] = api:resource("/audit"):request("POST"):await().content.id
              response.headers["X-Of"] = request.partition
            end)
            """,
            """
            host:stub("POST", "https://api.test/audit", function(request)
              return { json = { id = request.headers["x-request-id"] } }
            end)
            host:stub("GET", "https://api.test/x", { json = { 1 } })
            for _, who in ipairs { "ada", "bob" } do
              local answer = ask("GET", "/api/x", { client = who })
              t.equal(answer.headers["X-Of"], who)
              t.equal(answer.headers["X-Audit"], answer.headers["X-Request-Id"])
            end
            """)
    }
}
