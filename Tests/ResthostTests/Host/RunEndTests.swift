import Platform
import TestSupport
import Testing

/// The end of a run that something holds up.
struct RunEndTests {
    /// A named pipe without a reader.
    private final class DeafPipe {
        private let descriptor: Int32

        init(_ path: String) {
            #expect(mkfifo(path, 0o600) == 0)
            descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        }

        deinit { close(descriptor) }
    }

    private func start(_ folder: ScriptFolder, _ command: String) -> ChildProcess {
        ChildProcess(["/bin/sh", "-c", command, BuiltProgram.path], in: folder.path)
    }

    private func get(_ target: String, _ port: Int) throws -> String {
        try LoopbackClient(port: port).exchange(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    }

    @Test func `SIGTERM ends a host whose engine hangs, and says what was cut`() async {
        // This run serves no clients. It would wait for the reader of its output, which never reads.
        let folder = ScriptFolder(
            """
            io.stderr:write("begins\\n")
            rest.spawn(function() while true do print(("x"):rep(1000)) end end)
            """)
        let pipe = DeafPipe(folder.path + "/pipe")
        let child = start(folder, "exec \"$0\" run main.lua --drain 0.2 >pipe")
        #expect(await child.hasReported("begins"))
        child.signal(SIGTERM)
        let end = await child.end()
        #expect(end.code == 1)
        #expect(
            end.errors.contains("resthost: error: stopped by force 1.2 s after the signal: the engine hangs"),
            "\(end.errors)")
        withExtendedLifetime(pipe) {}
    }

    @Test func `a reader of standard error that stops holds no client`() async throws {
        let folder = ScriptFolder(
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            gateway:route("GET", "/x", function() rest.log.info(("y"):rep(9000)) return { ok = true } end)
            """)
        let pipe = DeafPipe(folder.path + "/pipe")
        let child = start(folder, "exec \"$0\" run main.lua --drain 0.2 2>pipe")
        #expect(await child.hasWritten("/-/health"))
        let port = try #require(
            child.output.split(separator: "\n").first?.split(separator: ":").last.flatMap { Int($0) })
        // A pipe holds 64 KiB, and 4 MiB wait.
        for _ in 0..<600 {
            #expect(try get("/x", port).hasPrefix("HTTP/1.1 200 "))
        }
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        withExtendedLifetime(pipe) {}
    }

    @Test(arguments: [">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
    func `a host that was started with closed descriptors serves`(closed: String) async throws {
        let folder = ScriptFolder(
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            gateway:route("GET", "/x", function() rest.log.warn("a line") print("p") return { ok = true } end)
            """)
        // The admin socket reports its port.
        let runtime = RuntimeFolder()
        let child = ChildProcess(
            [
                "/bin/sh", "-c", "exec \"$0\" run main.lua --drain 0.2 --admin admin.sock \(closed)",
                BuiltProgram.path,
            ],
            in: folder.path, environment: ["XDG_RUNTIME_DIR": runtime.path])
        var status = await folder.run("status", "--admin", "admin.sock", "--json")
        await yielding(until: "the host serves") {
            if status.code == 0 { return true }
            status = await folder.run("status", "--admin", "admin.sock", "--json")
            return status.code == 0
        }
        let port = try #require(
            status.output.ranges(of: "127.0.0.1:").first.flatMap { range in
                Int(status.output[range.upperBound...].prefix { $0.isNumber })
            })
        for _ in 0..<3 {
            #expect(try get("/x", port).hasPrefix("HTTP/1.1 200 "))
        }
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
    }

    @Test(arguments: [
        ("ulimit -n 16", "'run' needs 44 file descriptors, and this process may have 16"),
        (
            "ulimit -v 400000",
            "this command needs 464 MiB of address space, and this process may have 390 MiB"
        ),
    ])
    func `limits of the system that are too low are a sentence`(limit: String, message: String) async {
        let folder = ScriptFolder("rest.gateway { listen = \"127.0.0.1:0\" }")
        let end = await start(folder, "\(limit) && exec \"$0\" run main.lua --gateway-threads 1").end()
        #expect(end.code == 1)
        #expect(
            end.errors
                == "resthost: error: \(message); raise the limits of this process (ulimit -a shows them)\n")
    }

    @Test func `a store that the disk doesn't take at the end is an error`() async {
        let folder = ScriptFolder(
            """
            local store = rest.store.open("state.db")
            store:set("a", 1)
            store:set("large", ("x"):rep(400000))
            """)
        let end = await start(folder, "ulimit -f 200 && exec \"$0\" run main.lua").end()
        #expect(end.code == 1)
        #expect(end.errors.contains("error the last changes of the store '"), "\(end.errors)")
        #expect(end.errors.contains("state.db' are lost: "), "\(end.errors)")
    }

    @Test func `an orderly end leaves files that are whole without their logs`() async {
        let peer = LoopbackPeer { _, connection in
            connection.send(
                PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("fine".utf8)))
        }
        let folder = ScriptFolder(
            """
            local store, cache = rest.store.open("state.db"), rest.cache.sqlite { path = "cache.db" }
            local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
            api:configure(function(c) c.pipeline.model.cache = cache end)
            store:set("a", "kept")
            rest.spawn(function() print(api:resource("/x"):get()) end)
            """)
        let end = await folder.run("run", "main.lua")
        #expect(end.code == 0 && end.output == "fine\n", "\(end)")
        for name in ["state.db", "cache.db"] {
            #expect(folder.names.contains(name))
            #expect((folder.text(of: "\(name)-wal") ?? "").isEmpty, "\(folder.names)")
        }
    }
}
