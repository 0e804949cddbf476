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
}
