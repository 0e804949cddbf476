import Platform
import TestSupport
import Testing

/// A host that may have few file descriptors.
struct DescriptorTests {
    private func start(_ folder: ScriptFolder, descriptors: (soft: Int, hard: Int)) async throws -> (
        ChildProcess, Int
    ) {
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--listen", "127.0.0.1:0", "--gateway-threads", "1"],
            in: folder.path, descriptors: descriptors)
        #expect(await child.hasWritten("/-/health"))
        let line = try #require(child.output.split(separator: "\n").first)
        return (child, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
    }

    private func get(_ target: String, _ port: Int) throws -> String {
        try LoopbackClient(port: port).exchange(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    }

    private let peer = LoopbackPeer { request, connection in
        if request.target.hasPrefix("/stall") { return connection.stall() }
        connection.send(
            PeerConnection.response(
                headers: [("Content-Type", "text/plain"), ("Connection", "close")],
                body: Array("fine".utf8)))
        connection.close()
    }

    @Test func `idle clients don't end the service`() async throws {
        let folder = ScriptFolder.service(at: peer.baseURL)
        defer { withExtendedLifetime(folder) {} }
        let (child, port) = try await start(folder, descriptors: (96, 96))
        #expect(try get("/api/a", port).hasSuffix("fine"))
        let idle = try (0..<200).map { _ in try LoopbackClient(port: port) }
        #expect(try get("/-/health", port).contains("\"ok\""))
        #expect(try get("/api/a", port).hasSuffix("fine"))
        withExtendedLifetime(idle) {}
        child.signal(SIGTERM)
        let run = await child.end()
        #expect(run.code == 0)
        let lines = run.errors.split(separator: "\n").filter { $0.contains("24 clients are connected") }
        #expect(lines.count == 1, "\(run.errors)")
    }

    @Test func `the soft limit is raised to the hard one`() async throws {
        let folder = ScriptFolder.service(at: peer.baseURL)
        defer { withExtendedLifetime(folder) {} }
        let (child, port) = try await start(folder, descriptors: (64, 1024))
        let idle = try (0..<200).map { _ in try LoopbackClient(port: port) }
        #expect(try get("/-/health", port).contains("\"ok\""))
        #expect(!idle[0].hasAnswer)
        child.signal(SIGTERM)
        #expect(await child.end().errors.isEmpty)
    }

    @Test func `requests of its own leave a host descriptors for its clients`() async throws {
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            "rest.spawn(function() for i = 1, 150 do api:resource('/stall/' .. i):load_if_needed() end end)")
        defer { withExtendedLifetime(folder) {} }
        let (child, port) = try await start(folder, descriptors: (96, 96))
        // The job's requests begin in several passes, so some of ours may still be answered.
        var number = 0
        var held: [LoopbackClient] = []
        defer { withExtendedLifetime(held) {} }
        try await yielding(until: "no further connection is opened") {
            number += 1
            let answer = try get("/api/a/\(number)", port)
            if answer.contains("this host can open no further connection") { return true }
            // The connection of an answered request is idle, and would answer all further ones.
            let client = try LoopbackClient(port: port)
            client.send("GET /api/stall/own\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            held.append(client)
            return false
        }
        for other in 0..<20 {
            // Each request has its own connection.
            #expect(try get("/-/health", port).hasPrefix("HTTP/1.1 200 "))
            #expect(try get("/api/b/\(other)", port).hasPrefix("HTTP/1.1 503 "))
        }
        #expect(try get("/api/stall/1?query=1&limit=1", port).contains("too many open files"))
        peer.close()
        child.signal(SIGTERM)
        #expect(await !child.end().errors.contains("out of file descriptors"))
    }
}
