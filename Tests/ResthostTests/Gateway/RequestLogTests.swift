import Platform
import RestEngine
import TestSupport
import Testing

/// Lines of the log that belong to a client's request (rules 73 and 74.3).
struct RequestLogTests {
    private static let script = """
        local gateway = rest.gateway { listen = "127.0.0.1:0", trusted_proxies = { "127.0.0.1" } }
        gateway:before("/a", function() rest.log.info("hooked") end)
        gateway:route("GET", "/a", function()
          rest.log.info("served", { n = 1 })
          print("printed")
          rest.sleep(0.01)
          rest.log.warn("later")
          rest.log.info("own", { request_id = "mine" })
          return { ok = true }
        end)
        rest.spawn(function() rest.log.info("of a job") end)
        """

    @Test func `74.3 lines that a script writes for a request have its ID, and those of jobs have none`()
        async throws
    {
        let host = try await ServedScript(ScriptFolder(Self.script), "--admin", "off")
        #expect(try host.get("/a", "X-Request-Id: front.1").hasPrefix("HTTP/1.1 200 "))
        let outcome = await host.end()
        let lines = outcome.errors.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            lines == [
                "info  of a job  (main.lua:12)", "info  hooked request_id=front.1  (main.lua:3)",
                "info  served n=1 request_id=front.1  (main.lua:5)",
                "warn  later request_id=front.1  (main.lua:8)", "info  own request_id=mine  (main.lua:9)",
            ], "\(outcome.errors)")
        #expect(outcome.output.contains("\nprinted\n"))
    }

    @Test func `74.3 as JSON the ID is a field`() async throws {
        let host = try await ServedScript(
            ScriptFolder(Self.script), "--admin", "off", "--log-format", "json")
        _ = try host.get("/a", "X-Request-Id: front.2")
        let outcome = await host.end()
        let entries = try outcome.errors.split(separator: "\n").map { try Tree(json: Array($0.utf8)) }
        func fields(_ message: String) -> Tree? {
            entries.first { $0["message"]?.string == message }?["fields"]
        }
        #expect(fields("served") == ["n": "1", "request_id": "front.2"], "\(outcome.errors)")
        #expect(fields("of a job") == nil && fields("own") == ["request_id": "mine"])
    }

    @Test func `71.1 73.1 a failure below a computed resource is in the log once`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response(503, body: []) }
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0", trusted_proxies = { "127.0.0.1" } }
            api:computed("/inner", function() return assert(api:resource("/a"):get()) end)
            api:computed("/outer", function() return assert(api:resource("/inner"):get()) end)
            api:computed("/raises", function() error("broken") end)
            gateway:route("GET", "/page/{name}", function(request)
              return assert(api:resource("/" .. request.params.name):get())
            end)
            """)
        let host = try await ServedScript(folder, "--admin", "off")
        for (name, status) in [("outer", "503"), ("raises", "500")] {
            let answer = try host.get("/page/\(name)", "X-Request-Id: of-\(name)")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
        let log = await host.end().errors
        withExtendedLifetime(peer) {}
        let failures = log.split(separator: "\n").filter { $0.contains(" error ") }
        #expect(failures.count == 2, "\(log)")
        for (failure, name) in zip(failures, ["outer", "raises"]) {
            #expect(failure.contains("GET /page/\(name): ") && failure.contains("request_id=of-\(name)"))
        }
        #expect(log.contains("broken (main.lua:6)"))
    }
}
