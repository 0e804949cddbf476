import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import resthost

/// `run --traces` (rules 70).
struct TraceCommandTests {
    @Test func `70.1 the first requests of a script have spans too`() async throws {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() api:resource(\"/a\"):load():await() end)")
        let outcome = await folder.run("run", "main.lua", "--admin", "off", "--traces", peer.baseURL)
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        withExtendedLifetime(peer) {}
        let text = String(decoding: try #require(bodies.all.first), as: UTF8.self)
        #expect(text.contains("\"GET api\"") && text.contains("\"kind\":3"), "\(text)")
    }

    @Test func `70.4 a missing collector is reported, and delays nothing`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response(body: []) }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() api:resource(\"/a\"):load():await() end)")
        let outcome = await folder.run(
            "run", "main.lua", "--admin", "off", "--traces", "http://127.0.0.1:1")
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("the collector of traces can't be reached"), "\(outcome.errors)")
        let wrong = await folder.run("run", "main.lua", "--traces", "ftp://x")
        #expect(wrong.code == 2 && wrong.errors.contains("--traces"), "\(wrong.errors)")
    }

    @Test func `70.6 requests of clients are spans, over those that they led to`() async throws {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let folder = ScriptFolder.service(at: peer.baseURL, "rest.gateway { listen = \"127.0.0.1:0\" }")
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--admin", "off", "--traces", peer.baseURL],
            in: folder.path)
        #expect(await child.hasWritten("state of the host"))
        let address = try #require(
            child.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") })
        let port = try #require(Int(address.split(separator: ":")[2]))
        _ = try LoopbackClient(port: port).exchange(
            "GET /api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        withExtendedLifetime((folder, peer)) {}
        var spans: [Tree] = []
        for body in bodies.all {
            let found = try Tree(json: body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]
            spans += Array(found?.elements ?? Tree.null.elements)
        }
        func span(_ kind: Int64) -> Tree? { spans.first { $0["kind"]?.int == kind } }
        let (served, request, message) = (span(2), span(1), span(3))
        #expect(spans.count == 3 && served?["parentSpanId"] == nil)
        #expect(request?["parentSpanId"] == served?["spanId"] && request?["traceId"] == served?["traceId"])
        #expect(message?["parentSpanId"] == request?["spanId"])
    }

    /// Bodies that a peer's threads received.
    private final class Bodies: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])

        var all: [[UInt8]] { bodies.withLock { $0 } }

        func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
    }
}
