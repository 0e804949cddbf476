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

    @Test func `70.4 a collector that isn't there is told, and holds nobody up`() async {
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

    /// Bodies that a peer's threads got.
    private final class Bodies: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])

        var all: [[UInt8]] { bodies.withLock { $0 } }

        func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
    }
}
