import Platform
import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// `resthost run --workers`, as its users see it.
struct WorkerTests {
    private static let gateway = """
        local gateway = rest.gateway { listen = "127.0.0.1:0" }
        gateway:route("GET", "/who", function() return { worker = rest.worker.number, version = VERSION } end)
        """

    @Test func `all workers serve, and one answer speaks for all`() async throws {
        let host = try await WorkerHost("VERSION = 1 " + Self.gateway)
        #expect(try host.workers() == [1, 2, 3])
        #expect(try host.body("/-/health")["status"]?.string == "ok")
        let status = try host.status()
        #expect(status["workers"]?.elements.compactMap { $0["number"]?.int } == [1, 2, 3])
        #expect(status["pid"]?.int == Int64(host.program.id))
        let metrics = try host.get("/-/metrics")
        for number in 1...3 {
            #expect(metrics.contains("resthost_generation{worker=\"\(number)\"} 1\n"), "\(metrics)")
        }
        host.program.signal(SIGTERM)
        let end = await host.program.end()
        #expect(end.code == 0, "\(end.errors)")
    }

    @Test func `the latest requests are those of all workers`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.respond(headers: [("Content-Type", "text/plain")], text: "net")
        }
        let host = try await WorkerHost(
            """
            local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            gateway:route("GET", "/who", function()
              return { worker = rest.worker.number, text = api:resource("/a" .. rest.worker.number):get() }
            end)
            """, "--inspect")
        #expect(try host.workers() == [1, 2, 3])
        let events = try #require(try host.admin("history")["events"]?.elements)
        let attempts = events.filter { $0["kind"]?.string == "attempt" }
        #expect(Set(attempts.compactMap { $0["worker"]?.int }) == [1, 2, 3])
        #expect(events.compactMap { $0["time"]?.double } == events.compactMap { $0["time"]?.double }.sorted())
        for attempt in attempts {
            let worker = try #require(attempt["worker"]?.int)
            let request = try #require(attempt["request"]?.int)
            let exchanges = try host.admin("exchanges?request=\(request)&worker=\(worker)")["exchanges"]
            #expect(exchanges?[0]?["url"]?.string?.hasSuffix("/a\(worker)") == true)
        }
        #expect(try host.admin("exchanges?request=1&worker=9")["code"]?.string == "busy")
        var clients = Tree.null
        try await yielding(until: "requests of clients of all workers are kept") {
            clients = try host.admin("clients?after=0")
            return Set((clients["requests"] ?? .null).elements.compactMap { $0["worker"]?.int }) == [1, 2, 3]
        }
        let last = try #require(clients["last"]?.string)
        #expect(last.split(separator: ",").count == 3)
        #expect(try host.admin("clients?after=\(last)")["requests"] == [])
    }

    @Test func `a killed worker has a successor, and requests go on`() async throws {
        let host = try await WorkerHost("VERSION = 1 " + Self.gateway)
        let victim = try #require(host.processes.dropFirst().first)
        kill(victim, SIGKILL)
        // Until it has ended it may still accept a connection, which then is cut.
        #expect(await host.program.hasReported("worker 2 was ended by signal 9 (SIGKILL): a new one starts"))
        for _ in 0..<20 { #expect(try host.body("/who")["version"]?.int == 1) }
        #expect(await host.program.hasReported("worker 2 serves again"))
        #expect(try host.workers() == [1, 2, 3])
        #expect(!host.processes.contains(victim))
    }

    @Test func `a bad version is refused once by all, and a successor has the good one`() async throws {
        let host = try await WorkerHost("VERSION = 1 " + Self.gateway)
        host.folder.write("local rest = require 'resthost'\nx x\n", to: "main.lua")
        #expect(await host.program.hasReported("generation 1 goes on in all workers"))
        #expect(host.program.errors.ranges(of: "syntax error").count == 1, "\(host.program.errors)")
        #expect(try host.body("/-/health")["status"]?.string == "degraded")
        kill(try #require(host.processes.first), SIGKILL)
        #expect(await host.program.hasReported("worker 1 serves again"))
        #expect(try host.workers() == [1, 2, 3])
        #expect(try host.body("/who")["version"]?.int == 1)
    }

    @Test func `a reload changes all workers, and tells who asked for it`() async throws {
        let host = try await WorkerHost("VERSION = 1 " + Self.gateway, "--no-watch")
        host.folder.write(
            "local rest = require 'resthost'\nVERSION = 2 " + Self.gateway + "\n", to: "main.lua")
        let reload = await host.command("reload")
        #expect(reload.code == 0 && reload.output.contains("generation 2"), "\(reload)")
        for _ in 0..<6 { #expect(try host.body("/who")["version"]?.int == 2) }
        #expect(try host.workers() == [1, 2, 3])
        host.folder.write("error('no')\n", to: "main.lua")
        let failed = await host.command("reload")
        #expect(failed.code == 2 && failed.errors.contains("main.lua:1"), "\(failed)")
    }

    @Test func `jobs of the main file run in the first worker and its successor`() async throws {
        let host = try await WorkerHost(
            """
            VERSION = 1
            rest.spawn(function() print("job", rest.worker.number) end)
            rest.after(0, { each_worker = true }, function() print("timer", rest.worker.number) end)
            rest.every(1000, function() end)
            rest.every("@daily", { each_worker = true }, function() end)
            \(Self.gateway)
            """)
        for number in 1...3 { #expect(await host.program.hasWritten("timer\t\(number)\n")) }
        #expect(host.program.output.ranges(of: "job\t").count == 1)
        let jobs = try host.status()["workers"]?.elements.compactMap { $0["jobs"]?.int }
        #expect(jobs == [2, 1, 1])
        kill(try #require(host.processes.first), SIGKILL)
        #expect(await host.program.hasReported("worker 1 serves again"))
        await yielding(until: "the job runs again") {
            host.program.output.ranges(of: "job\t1\n").count == 2
        }
    }

    @Test func `a wipe reaches all workers`() async throws {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("x".utf8))
        }
        let host = try await WorkerHost(
            """
            local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
            api:configure("**", function(c) c.expiration_time = 1000 end)
            \(Self.gateway)
            """)
        for _ in 0..<60 where peer.requests.count < 3 { _ = try host.get("/api/a") }
        #expect(peer.requests.count == 3)
        let wipe = await host.command("wipe", "api")
        #expect(wipe.code == 0 && wipe.output.contains("3"), "\(wipe)")
        for _ in 0..<60 where peer.requests.count < 6 { _ = try host.get("/api/a") }
        #expect(peer.requests.count == 6)
    }

    @Test func `events of all workers are told, each with its worker`() async throws {
        let host = try await WorkerHost(
            """
            rest.after(0, { each_worker = true }, function() print("alive", rest.worker.number) end)
            \(Self.gateway)
            local api = rest.service { name = "api", base_url = "http://127.0.0.1:1" }
            """)
        for number in 1...3 { #expect(await host.program.hasWritten("alive\t\(number)\n")) }
        let follower = try LoopbackClient(port: host.port)
        follower.send("GET /-/events?kinds=request HTTP/1.1\r\nHost: localhost\r\n\r\n")
        var text = ""
        var asked = 0
        // The streams of the other workers begin a moment after the client's own.
        while !(1...3).allSatisfy({ text.contains("{\"worker\":\($0),") }), asked < 600 {
            // One of each worker, so that there is something to receive.
            for _ in 0..<3 { _ = try host.get("/api/\(asked)") }
            asked += 3
            if let part = follower.receive() { text += String(decoding: part, as: UTF8.self) }
        }
        for number in 1...3 { #expect(text.contains("{\"worker\":\(number),"), "\(text.suffix(2000))") }
    }

    @Test func `the log of all workers is told, each entry with one number`() async throws {
        let script = "rest.after(0.2, { each_worker = true }, function() rest.log.info('hello') end)\n"
        let host = try await WorkerHost(script + Self.gateway, "--log-format", "json")
        #expect(await host.program.hasReported("\"message\":\"hello\"", times: 3))
        let follower = try host.followed("/-/events?kinds=log")
        var text = ""
        while !(1...3).allSatisfy({ text.contains("{\"worker\":\($0),\"time\":") }) {
            text += String(decoding: try #require(follower.receive(), "\(text)"), as: UTF8.self)
        }
        for line in text.split(separator: "\n") { #expect(line.ranges(of: "\"worker\"").count <= 1) }
        for line in host.program.errors.split(separator: "\n") where line.contains("hello") {
            #expect(line.ranges(of: "\"worker\":").count == 1)
        }
    }

    @Test func `a check names limits of which some workers get nothing`() async throws {
        let folder = ScriptFolder(
            """
            local api = rest.service { name = "api", base_url = "http://127.0.0.1:1" }
            api:configure("**", function(c) c.limits = { in_flight = 3 } end)
            rest.gateway { listen = "127.0.0.1:0", limits = { per_client = { in_flight = 2, streams = 4 } } }
            """)
        #expect(await !folder.run("check", "main.lua").errors.contains("workers"))
        folder.write("[host]\nworkers = 4\n", to: "resthost.toml")
        let check = await folder.run("check", "main.lua")
        #expect(check.code == 0)
        #expect(
            check.errors.contains(
                "main.lua:2: warning: limits.in_flight = 3 is divided among 4 workers: 1 of them refuse all"),
            "\(check.errors)")
        #expect(
            check.errors.contains(
                "main.lua:4: warning: limits.per_client.in_flight = 2 is divided among 4 workers: 2 of them"))
        #expect(!check.errors.contains("limits.per_client.streams"))
    }

    @Test(arguments: [nil, "off"]) func `workers ask each other without a path for commands`(
        admin: String?
    ) async throws {
        let runtime = RuntimeFolder()
        let folder = ScriptFolder(Self.gateway)
        let program = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--workers", "2"] + (admin.map { ["--admin", $0] } ?? []),
            in: folder.path, environment: ["XDG_RUNTIME_DIR": runtime.path])
        try #require(await program.hasReported("2 workers serve main.lua"), "\(program.errors)")
        let line = program.output.split(separator: "\n").first { $0.hasPrefix("listening on ") }
        let port = try #require(line.flatMap { Int($0.split(separator: ":").last ?? "") })
        let metrics = try LoopbackClient(port: port).exchange(
            "GET /-/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for number in 1...2 { #expect(metrics.contains("resthost_generation{worker=\"\(number)\"} 1\n")) }
        let own = (1...2).map { "\(program.id).worker-\($0).sock" }
        #expect(runtime.sockets.sorted() == (admin == nil ? ["\(program.id).sock"] + own : own))
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
        #expect(runtime.sockets.isEmpty, "\(runtime.sockets)")
    }

    @Test func `a script that can't be loaded is one error`() async {
        let folder = ScriptFolder("x x")
        let end = await folder.run("run", "main.lua", "--workers", "3", "--admin", "off")
        #expect(end.code == 2)
        #expect(end.errors.ranges(of: "syntax error").count == 1, "\(end.errors)")
    }

    @Test func `several workers write no recording`() async {
        let folder = ScriptFolder("")
        let end = await folder.run("run", "main.lua", "--workers", "2", "--record", "a.har")
        #expect(end.code == 2 && end.errors.contains("run one worker"), "\(end.errors)")
    }

    @Test(arguments: ["0", "257", "some", "-1"])
    func `a number of workers that makes no sense is refused`(text: String) async {
        let folder = ScriptFolder("")
        #expect(await folder.run("run", "main.lua", "--workers=\(text)").code == 2)
    }

    @Test func `the file of settings gives their number`() throws {
        let file = try SettingsFile("[host]\nworkers = 4\n", path: "resthost.toml", folder: ".")
        #expect(file.workers == .count(4))
        #expect(try SettingsFile("[host]\nworkers = \"auto\"\n", path: "", folder: ".").workers == .auto)
        #expect(throws: Diagnostic.self) {
            try SettingsFile("[host]\nworkers = 1000\n", path: "resthost.toml", folder: ".")
        }
    }
}
