import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Facts about real connections in events (rules 46).
@EngineActor
struct EventFactsTests {
    @Test func `46.2 listeners to messages learn their phases, and others have no cost`()
        async throws
    {
        let peer = LoopbackPeer { _, connection in connection.respond(text: "ok") }
        let engine = Engine(transport: CurlTransport())
        let service = try Service(engine: engine, name: "api", baseURL: peer.baseURL)
        var notified: [Tree] = []
        func ask(_ path: String) async -> Request {
            let request = service.resource(path).request(.get)
            let _: Bool? = await waiting(for: "the end of \(path)") { notified in
                request.onCompletion { _ in notified(true) }
            }
            return request
        }
        #expect(await ask("a").attempts.first?.remoteAddress == nil)
        let subscription = engine.onEvent([.attempt]) { notified.append($0.tree) }
        _ = await ask("b")
        subscription.cancel()
        #expect(await ask("c").attempts.first?.remoteAddress == nil)
        service.flushUnusedResources()
        #expect(notified.count == 1)
        let event = try #require(notified.first)
        #expect(event["remote_address"]?.string == "127.0.0.1:\(peer.port)")
        #expect(event["status"] == 200 && event["http_version"]?.string == "1.1")
        #expect(event["reused"] == true)
    }
}
