import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Hooks, partitions and their caches while the script is loaded again or the host is started again.
struct HostReloadTests {
    /// An API whose answers are the numbers of the requests to it. Those to `/held` wait for the test.
    private final class Counter: Sendable {
        let gate: Gate
        let peer: LoopbackPeer

        init() {
            let (gate, count) = (Gate(), Count())
            self.gate = gate
            peer = LoopbackPeer { request in
                if request.target == "/held" {
                    gate.wait()
                    return PeerConnection.response(body: [])
                }
                return PeerConnection.response(
                    headers: [("Content-Type", "text/plain")], body: Array("\(count.next())".utf8))
            }
        }

        private final class Count: Sendable {
            private let last = Mutex(0)

            func next() -> Int {
                last.withLock { last in
                    last += 1
                    return last
                }
            }
        }

        deinit { gate.open() }
    }

    private func reload(_ host: ServedScript) async {
        let outcome = await host.folder.run("reload", "--admin", "admin.sock")
        #expect(outcome.code == 0, "\(outcome.errors)")
    }

    @Test func `72.1 77.3 a hook that waits during a reload ends with its own script, and chooses`()
        async throws
    {
        let counter = Counter()
        func script(_ version: String) -> String {
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            api:configure("/a", function(c)
              c:mutate_requests(function(draft) draft.headers["X-Tenant"] = draft.partition end)
            end)
            gateway:before("/api/a", function(request)
              if request.query.wait then api:resource("/held"):request("GET"):await() end
              request.partition = "\(version)"
            end)
            """
        }
        let folder = ScriptFolder.service(at: counter.peer.baseURL, script("one"))
        let host = try await ServedScript(folder, "--admin", "admin.sock", "--no-watch")
        let waiting = try host.asking("/api/a?wait=1")
        await yielding(until: "the hook waits") { !counter.peer.requests.isEmpty }
        folder.write(
            "local rest = require 'resthost'\n"
                + "local api = rest.service { name = 'api', base_url = '\(counter.peer.baseURL)' }\n"
                + script("two"), to: "main.lua")
        await reload(host)
        #expect(try host.body("/api/a") == "1")
        counter.gate.open()
        let answer = waiting.exchange("")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        let tenants = counter.peer.requests.filter { $0.path == "/a" }.map { $0.headers["X-Tenant"] }
        #expect(tenants == ["two", "one"])
        await host.end()
    }

    @Test func `77.4 caches of partitions survive a reload and a restart, each for its own`() async throws {
        let counter = Counter()
        let folder = ScriptFolder.service(
            at: counter.peer.baseURL,
            """
            local cache = rest.cache.sqlite { path = "cache.db" }
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            api:configure("**", function(c) c.expiration_time = 3600 c.pipeline.parsing.cache = cache end)
            gateway:before("/api/**", function(request) request.partition = request.headers["X-User"] end)
            """)
        folder.write("[permissions]\nwrite = [\".\"]\nread = [\".\"]", to: "resthost.toml")
        let users = [("ada", "1"), ("bob", "2"), ("ada", "1")]
        let host = try await ServedScript(folder, "--admin", "admin.sock", "--no-watch")
        for _ in 1...2 {
            for (user, body) in users { #expect(try host.body("/api/a", "X-User: \(user)") == body) }
            await reload(host)
        }
        for (user, body) in users { #expect(try host.body("/api/a", "X-User: \(user)") == body) }
        await host.end()
        let second = try await ServedScript(folder, "--admin", "off", "--offline")
        for (user, body) in users { #expect(try second.body("/api/a", "X-User: \(user)") == body) }
        #expect(try second.get("/api/a", "X-User: cleo").hasPrefix("HTTP/1.1 503 "))
        #expect(try second.get("/api/a").hasPrefix("HTTP/1.1 503 "))
        await second.end()
        #expect(counter.peer.requests.count == 2)
    }

    @Test func `49.4 77.5 a recording answers each partition with its own credentials`() async throws {
        let counter = Counter()
        let folder = ScriptFolder.service(
            at: counter.peer.baseURL,
            """
            rest.gateway { listen = "127.0.0.1:0",
              forward = { headers = { "Authorization" }, credentials = true } }
            """)
        let (ada, bob) = ("Authorization: Basic YWRhOmFkYQ==", "Authorization: Basic Ym9iOmJvYg==")
        let live = try await ServedScript(folder, "--admin", "off", "--record", "a.har")
        #expect(try live.body("/api/me", ada) == "1")
        #expect(try live.body("/api/me", bob) == "2")
        await live.end()
        let replayed = try await ServedScript(folder, "--admin", "off", "--replay", "a.har")
        for (user, number) in [(bob, "2"), (ada, "1"), (bob, "2")] {
            #expect(try replayed.body("/api/me", user) == number)
        }
        await replayed.end()
        #expect(counter.peer.requests.count == 2)
    }
}
