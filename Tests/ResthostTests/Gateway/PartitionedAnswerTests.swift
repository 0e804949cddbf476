import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Answers of routes in partitions (rule 77.8).
@EngineActor
struct PartitionedAnswerTests {
    @Test func `77.8 a kept answer is that of a partition`() async throws {
        _ = try await GatewayScript.run(
            """
            local n = 0
            gateway:before("/report", function(request) request.partition = request.query.of end)
            gateway:route("GET", "/report", { expiration_time = 60 }, function(request)
              n = n + 1
              return { n = n, partition = request.partition, name = request.partition and request.client.name }
            end)
            """,
            """
            t.equal(ask("GET", "/report").json, { n = 1 })
            t.equal(ask("GET", "/report?of=a").json, { n = 2, partition = "a", name = "ada" })
            t.equal(ask("GET", "/report?of=b", { client = "bob" }).json, { n = 3, partition = "b", name = "bob" })
            t.equal(ask("GET", "/report").json.n, 1)
            t.equal(ask("GET", "/report?of=a").json.n, 2)
            t.equal(ask("GET", "/report?of=a").headers["Cache-Control"], "private, max-age=60")
            t.equal(ask("GET", "/report").headers["Cache-Control"], "max-age=60")
            """)
    }

    @Test func `77.8 an answer that depends on the client is not kept`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("GET", "/me", { expiration_time = 60 }, function(request)
              api:resource("/slow"):load():await()
              return { name = request.client.name }
            end)
            """,
            """
            host:stub("GET", "https://api.test/slow", { json = {} })
            for _ = 1, 2 do
              t.equal(ask("GET", "/me").json.name, "ada")
              t.equal(ask("GET", "/me", { client = "bob" }).json.name, "bob")
            end
            t.equal(ask("GET", "/me").headers["Cache-Control"], "no-store")
            """)
    }

    @Test func `54.2 an answer is kept for a time of its own`() async throws {
        _ = try await GatewayScript.run(
            """
            local n = 0
            local function count() n = n + 1 return n end
            gateway:before("/own", function(request) request.partition = request.query.of end)
            gateway:route("GET", "/own", function(request)
              return rest.response { json = { count() }, expiration_time = tonumber(request.query.s) or 0 }
            end)
            gateway:route("GET", "/shared", { expiration_time = 60 }, function(request)
              local own = tonumber(request.query.s)
              return rest.response { json = { count() }, expiration_time = own }
            end)
            gateway:route("GET", "/headers", function(request)
              return rest.response { json = { count(), request.headers["Accept"] }, expiration_time = 60 }
            end)
            gateway:route("GET", "/client", function(request)
              return rest.response { json = { count(), request.client.name }, expiration_time = 60 }
            end)
            gateway:route("GET", "/missing", function(request)
              return rest.response { status = 404, json = { count() }, expiration_time = 60 }
            end)
            """,
            """
            local function get(path, options) return ask("GET", path, options).json[1] end
            t.equal({ get "/own?s=10", get "/own?s=10", get "/own", get "/own" }, { 1, 1, 2, 3 })
            t.equal(ask("GET", "/own?s=10").headers["Cache-Control"], "max-age=10")
            t.equal({ get "/own?s=10&of=a", get "/own?s=10&of=b", get "/own?s=10&of=a" }, { 4, 5, 4 })
            host:advance(9)
            t.equal(get "/own?s=10", 1)
            host:advance(2)
            t.equal({ get "/own?s=10", get "/own?s=10" }, { 6, 6 })
            t.equal({ get "/shared?s=5", get "/shared?s=5", get "/shared", get "/shared?s=0", get "/shared?s=0" },
              { 7, 7, 8, 9, 10 })
            host:advance(6)
            t.equal({ get "/shared?s=5", get "/shared" }, { 11, 8 })
            host:advance(55)
            t.equal(get "/shared", 12)
            t.equal({ get "/shared?s=600", get "/headers", get "/headers", get "/client", get "/client" },
              { 13, 14, 15, 16, 17 })
            t.equal({ get "/missing", get "/missing" }, { 18, 19 })
            host:advance(500)
            t.equal(get "/shared?s=600", 13)
            """)
    }
}
