import Gateway
import Platform
import TestSupport
import Testing

@testable import resthost

/// The time between a signal and the end of a host (rules 75).
struct DrainTests {
    /// A peer that answers when the test says so.
    private final class LatePeer {
        let gate = Gate()
        private(set) lazy var peer = LoopbackPeer { [gate] _ in
            gate.wait()
            return PeerConnection.response(
                headers: [("Content-Type", "text/plain")], body: Array("late".utf8))
        }

        deinit { gate.open() }
    }

    private func port(_ program: ChildProcess) throws -> Int {
        let line = program.output.split(separator: "\n").first { $0.hasPrefix("listening on ") }
        return try #require(line.flatMap { Int($0.split(separator: ":").last ?? "") })
    }

    private func get(_ target: String, _ port: Int) throws -> String {
        try LoopbackClient(port: port).exchange(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }

    private static let gateway = """
        local gateway = rest.gateway { listen = "127.0.0.1:0" }
        gateway:route("GET", "/now", function() return { ok = true } end)
        gateway:route("GET", "/never", function() io.stderr:write("asked\\n") rest.sleep(1000) end)
        """

    @Test func `75.1 after a signal it isn't ready, and still serves for the delay`() async throws {
        let folder = ScriptFolder(Self.gateway)
        folder.write("[run]\ndrain-delay = 0.5", to: "resthost.toml")
        let program = folder.start("run", "main.lua", "--admin", "off", "--drain-delay", "1.5")
        #expect(await program.hasWritten("state of the host"))
        let port = try port(program)
        #expect(try get("/-/ready", port).hasPrefix("HTTP/1.1 200 "))
        program.signal(SIGTERM)
        #expect(await program.hasReported("not ready any more; the host serves for 1.5 s more"))
        let ready = try get("/-/ready", port)
        #expect(ready.hasPrefix("HTTP/1.1 503 ") && ready.hasSuffix(#"{"status":"leaving"}"#), "\(ready)")
        #expect(try get("/-/health", port).hasPrefix("HTTP/1.1 200 "))
        #expect(try get("/now", port).hasPrefix("HTTP/1.1 200 "))
        let end = await program.end()
        #expect(end.code == 0 && !end.errors.contains("cut off"), "\(end.errors)")
    }

    @Test func `75.1 a second signal ends it in the delay`() async {
        let folder = ScriptFolder(Self.gateway)
        folder.write("[run]\ndrain-delay = 600", to: "resthost.toml")
        let program = folder.start("run", "main.lua", "--admin", "off")
        #expect(await program.hasWritten("state of the host"))
        program.signal(SIGTERM)
        #expect(await program.hasReported("serves for 600 s more"))
        program.signal(SIGTERM)
        #expect(await program.end().code == 128 + SIGTERM)
    }

    @Test func `75.2 it says what it cut off`() async throws {
        let late = LatePeer()
        let folder = ScriptFolder.service(
            at: late.peer.baseURL,
            Self.gateway + "\nrest.spawn(function() api:resource('x'):get() end)\nrest.every(1000, print)")
        let program = folder.start("run", "main.lua", "--admin", "off", "--drain", "0.3")
        #expect(await program.hasWritten("state of the host"))
        let port = try port(program)
        let request = try LoopbackClient(port: port)
        request.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await program.hasReported("asked"))
        let stream = try LoopbackClient(port: port)
        stream.send("GET /-/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(stream.receive() != nil)
        await yielding(until: "the job waits for its answer") { !late.peer.requests.isEmpty }
        program.signal(SIGTERM)
        let end = await program.end()
        #expect(end.errors.contains("the end cut off 1 request, 1 stream and 1 job\n"), "\(end.errors)")
        withExtendedLifetime((request, stream)) {}
    }

    @Test func `75.2 nothing is said about what ended by itself`() {
        #expect(RunSession.account(.init(), jobs: 0) == nil)
        var cut = GatewayCut()
        cut.requests = 2
        #expect(RunSession.account(cut, jobs: 3) == "2 requests and 3 jobs")
    }

    @Test func `75.3 a job's request has the drain time`() async throws {
        let late = LatePeer()
        let folder = ScriptFolder.service(
            at: late.peer.baseURL,
            "rest.spawn(function() print('got ' .. api:resource('x'):get()) end)\n" + Self.gateway)
        let program = folder.start("run", "main.lua", "--admin", "off", "--drain", "600")
        #expect(await program.hasWritten("state of the host"))
        await yielding(until: "the job waits for its answer") { !late.peer.requests.isEmpty }
        program.signal(SIGTERM)
        let port = try port(program)
        // The gateway has stopped, so that only the job is waited for.
        await yielding(until: "it has stopped") { (try? LoopbackClient(port: port)) == nil }
        late.gate.open()
        let end = await program.end()
        #expect(end.code == 0 && end.output.contains("got late"), "\(end.output)\(end.errors)")
    }

    @Test func `75.3 a job that sleeps doesn't hold up the end`() async {
        let folder = ScriptFolder(
            "rest.spawn(function() while true do rest.sleep(1000) end end)\n" + Self.gateway)
        let program = folder.start("run", "main.lua", "--admin", "off", "--drain", "600")
        #expect(await program.hasWritten("state of the host"))
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }
}
