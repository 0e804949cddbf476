import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Streams of events over sockets (rules 57).
@EngineActor
struct EventStreamTests {
    @Test func `57.4 events come as they are sent, and a cut stream goes on from its last id`() async throws {
        let sent = Gate()
        let peer = LoopbackPeer { request, connection in
            let id = request.headers["last-event-id"] ?? ""
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            guard id.isEmpty else {
                connection.send("data: behind \(id)\r\n\r\n")
                return connection.stall()
            }
            connection.send(Array("retry: 0\nid: 7\ndata: first\n\n".utf8), inPiecesOf: 1)
            sent.wait()
            connection.send("data: second\n\ndata: nev")
            connection.close()
        }
        let engine = Engine(transport: CurlTransport())
        let service = Service(engine: engine, name: "api", baseURL: try BaseURL(peer.baseURL))
        service.configure { $0.stream = .events }
        let resource = service.resource("live")
        let owner = Watched()
        var texts: [String] = []
        let (first, last) = (Gate(), Gate())
        resource.addObserver(owner: owner) { resource, event in
            guard event == .newData(.network) else { return }
            texts.append(resource.text)
            if texts.count == 1 { first.open() }
            if texts.count == 3 { last.open() }
        }
        await first.opened()
        #expect(texts == ["first"])
        sent.open()
        await last.opened()
        #expect(texts == ["first", "second", "behind 7"])
        resource.removeObservers(ownedBy: owner)
        await yielding(until: "no stream is open") { engine.openStreams == 0 }
        #expect(peer.requests.map { $0.headers["accept"] } == ["text/event-stream", "text/event-stream"])
    }

    private final class Watched {}
}
