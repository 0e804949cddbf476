import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Workers that share a memory: features of workers and of Redis together.
@Suite(.withRedis) struct SharedWorkerTests {
    private func script(_ peer: LoopbackPeer, _ server: RedisServer, _ configuration: String) -> String {
        """
        rest.shared { redis = "\(server.networkAddress)", timeout = 5 }
        local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
        api:configure("**", function(c)
          c.expiration_time = 600
          \(configuration)
        end)
        local gateway = rest.gateway { listen = "127.0.0.1:0" }
        gateway:route("GET", "/who", function() return { worker = rest.worker.number } end)
        gateway:route("GET", "/load", function()
          return { text = api:resource("/a"):get(), worker = rest.worker.number }
        end)
        gateway:route("GET", "/state", function()
          local a = api:resource("/a")
          return {
            worker = rest.worker.number, fresh = a.is_up_to_date,
            text = a.latest_data and a.latest_data.content
          }
        end)
        gateway:route("POST", "/invalidate", function() api:resource("/a"):invalidate() return {} end)
        gateway:route("POST", "/override", function()
          api:resource("/a"):override_local_content("mine")
          return {}
        end)
        gateway:route("POST", "/wipe", function() api:wipe_resources("/a*") return {} end)
        """
    }

    /// Waits until all workers say so of the resource.
    private func all(
        _ host: WorkerHost, _ what: Comment, at target: String = "/state", _ isSo: (Tree) -> Bool
    ) async throws {
        for _ in 0..<2000 {
            var agreed: Set<Int64> = []
            for _ in 0..<12 where agreed.count < 3 {
                let state = try host.body(target)
                guard isSo(state) else { break }
                agreed.insert(state["worker"]?.int ?? 0)
            }
            if agreed.count == 3 { return }
            await Task.yield()
        }
        Issue.record(what)
    }

    @Test(arguments: [
        "c.pipeline.raw_data.cache = rest.cache.redis {}", "c.collapse = 'shared'",
    ])
    func `of three workers one asks the API`(configuration: String) async throws {
        let server = await RedisServer()
        let (asked, answered) = (Gate(), Gate())
        let peer = LoopbackPeer { _, connection in
            asked.open()
            answered.wait()
            connection.respond(headers: [("Content-Type", "text/plain")], text: "one")
        }
        let host = try await WorkerHost(script(peer, server, configuration))
        _ = try host.workers()
        let clients = try (0..<12).map { _ in try LoopbackClient(port: host.port) }
        for client in clients {
            client.send("GET /api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        await asked.opened("a request")
        answered.open()
        for client in clients { #expect(client.exchange("").hasSuffix("one")) }
        #expect(peer.requests.count == 1)
    }

    @Test func `a limit that workers share holds over all of them`() async throws {
        struct Count { var now = 0, most = 0 }
        let server = await RedisServer()
        let count = Mutex(Count())
        let peer = LoopbackPeer { _, connection in
            count.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // Others that may come at the same time have come by then.
            for _ in 0..<500 { sched_yield() }
            count.withLock { $0.now -= 1 }
            connection.respond(headers: [("Content-Type", "text/plain")], text: "net")
        }
        let host = try await WorkerHost(
            script(
                peer, server,
                "c.collapse = false c.limits = { in_flight = 2, scope = 'service', shared = true }"))
        #expect(try host.workers() == [1, 2, 3])
        let clients = try (0..<36).map { _ in try LoopbackClient(port: host.port) }
        for (number, client) in clients.enumerated() {
            client.send("GET /api/a\(number) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        for client in clients { #expect(client.exchange("").hasSuffix("net")) }
        #expect(peer.requests.count == 36)
        #expect(1...2 ~= count.withLock { $0.most })
    }

    @Test func `observers in all workers see the data that one of them loads`() async throws {
        let server = await RedisServer()
        let peer = LoopbackPeer { _, connection in
            connection.respond(headers: [("Content-Type", "text/plain")], text: "net")
        }
        let host = try await WorkerHost(
            script(peer, server, "c.collapse = 'shared'")
                + """

                api:resource("/a"):add_observer(function() end)
                gateway:route("GET", "/first", function()
                  if rest.worker.number == 1 then
                    api:resource("/a"):invalidate()
                    api:resource("/a"):load_if_needed()
                  end
                  return {}
                end)
                """)
        _ = try host.workers()
        // A load is a message to those that observe by then, so the first may come too early for some.
        try await all(host, "all have data", at: "/state") { state in
            if state["text"]?.string == "net" { return true }
            _ = try? host.get("/first")
            return false
        }
    }

    @Test func `changes in one worker reach all`() async throws {
        let server = await RedisServer()
        let peer = LoopbackPeer { _, connection in
            connection.respond(headers: [("Content-Type", "text/plain")], text: "net")
        }
        let host = try await WorkerHost(script(peer, server, ""))
        _ = try host.workers()
        try await all(host, "all load", at: "/load") { $0["text"]?.string == "net" }
        try await all(host, "all have data") { $0["fresh"]?.bool == true }
        _ = try host.get("/invalidate", method: "POST")
        try await all(host, "all are stale") { $0["fresh"]?.bool == false && $0["text"]?.string == "net" }
        _ = try host.get("/override", method: "POST")
        try await all(host, "all have the data") { $0["fresh"]?.bool == true && $0["text"]?.string == "mine" }
        _ = try host.get("/wipe", method: "POST")
        try await all(host, "all are empty") { $0["text"] == nil }
    }
}
