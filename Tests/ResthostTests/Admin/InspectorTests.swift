import Platform
import RestEngine
import TestSupport
import Testing

/// The requests, errors and figures of a running host for its inspector (rules 76).
struct InspectorTests {
    private let script = """
        api:configure("/fails/**", function(c)
          c.pipeline.model:add(function(content) error("an [odd] (message)") end)
        end)
        rest.gateway { listen = "127.0.0.1:0" }
        """

    /// Runs the script; the body gets functions that ask its gateway and its admin socket.
    private func run(
        _ arguments: String...,
        body: (_ client: (String) throws -> String, _ admin: (String) async throws -> Tree) async throws ->
            Void
    ) async throws {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("hello".utf8))
        }
        let folder = ScriptFolder.service(at: peer.baseURL, script)
        defer { withExtendedLifetime((folder, peer)) {} }
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--admin", "a.sock"] + arguments, in: folder.path)
        #expect(await child.hasWritten("state of the host"))
        let address = try #require(
            child.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") })
        let port = try #require(Int(address.split(separator: ":")[2]))
        func head(_ target: String) -> String {
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        }
        try await body(
            { try LoopbackClient(port: port).exchange(head($0)) },
            { target in
                let answer = try LoopbackClient(path: folder.path + "/a.sock").exchange(head("/-/" + target))
                let json = try #require(answer.firstRange(of: "\r\n\r\n"))
                return try Tree(json: Array(answer[json.upperBound...].utf8))
            })
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
    }

    /// The requests of clients, when there are this many.
    private func clients(_ count: Int, _ admin: (String) async throws -> Tree) async throws -> [Tree] {
        var found: [Tree] = []
        try await yielding(until: "\(count) requests of clients are kept") {
            found = Array((try await admin("clients")["requests"] ?? .null).elements)
            return found.count >= count
        }
        return found
    }

    @Test func `76.1 76.3 with an inspector requests are kept from the start`() async throws {
        try await run("--inspect") { client, admin in
            for _ in 0..<2 { _ = try client("/api/a") }
            let found = try await clients(2, admin)
            #expect(found.map { $0["outcome"]?.string } == ["fetched", "hit"])
            #expect(found[0]["target"]?.string == "/api/a" && found[0]["status"]?.int == 200)
            let events = try await admin("history")["events"]
            #expect(events?[1]?["kind"]?.string == "attempt")
            let exchange = try await admin("exchanges?request=1")["exchanges"]?[0]
            #expect(exchange?["answer"]?["body"]?["text"]?.string == "hello")
        }
    }

    @Test func `76.1 otherwise the first look begins it, for clients too`() async throws {
        try await run { client, admin in
            _ = try client("/api/a")
            #expect(try await admin("history")["events"] == [])
            _ = try client("/api/b")
            let found = try await clients(1, admin)
            #expect(found.map { $0["target"]?.string } == ["/api/b"])
        }
    }

    @Test func `76.7 an error has the script's line, whatever is around it`() async throws {
        try await run("--inspect") { client, admin in
            _ = try client("/api/fails/a(1)%5B2%5D.lua:9")
            let events = Array((try await admin("history")["events"] ?? .null).elements)
            let ended = try #require(events.last)
            #expect(ended["file"]?.string == "main.lua" && ended["line"]?.int == 4, "\(ended)")
            let source = try await admin("source?file=main.lua&line=4")
            #expect("\(source)".contains("an [odd] (message)"))
        }
    }

    @Test func `the status has CPU time, memory and evictions`() async throws {
        try await run { _, admin in
            let status = try await admin("status")
            #expect((status["cpu"]?["process"]?.double ?? 0) > 0)
            #expect(status["cpu"]?["lua"] != nil)
            #expect((status["memory"]?["resident"]?.int ?? 0) > 1 << 20)
            #expect(status["services"]?[0]?["evicted"]?["count"]?.int == 0)
        }
    }
}
