import RestEngine
import TestSupport
import Testing

/// Bodies that a request delivers to a receiver, with decorators, retries and repeats.
@Suite(.leakChecked) @EngineActor
struct BodyDestinationTests {
    let fixture = EngineFixture()

    @Test func `56.1 a request that decorators wrap gives its body away, after a failure too`() throws {
        try fixture.stub("GET", "a", .text(200, "body"))
        try fixture.configure { draft in
            draft.configuration.decorators.append({ _, request in request.chained { _ in .useThisResponse } })
        }
        let receiver = PiecesReceiver()
        let request = fixture.resource("a").request(.get)
        var outcome: Response?
        request.onCompletion { outcome = $0.response }
        #expect(request.giveBody(to: receiver))
        fixture.settle()
        #expect(receiver.bytes == Array("body".utf8) && receiver.heads.map(\.status) == [200])
        guard case .bytes(let rest)? = outcome?.entity?.content else {
            Issue.record("there is a content")
            return
        }
        #expect(rest.isEmpty)
        #expect(!request.giveBody(to: receiver))
    }

    @Test func `56.6 a request of which nothing has come is sent again`() throws {
        try fixture.configure { $0.configuration.retry = RetryPolicy() }
        let broken = TransportError(.connectionFailed, phase: .receive, message: "cut")
        try fixture.stub("GET", "a", .error(broken))
        let receiver = PiecesReceiver()
        let request = fixture.resource("a").request(.get)
        #expect(request.giveBody(to: receiver))
        for _ in 0..<10 { fixture.advance(20) }
        #expect(fixture.transport.requests.count == 3 && receiver.heads.isEmpty)
    }

    @Test func `56.1 what the transport doesn't give away stays the content`() throws {
        let transport = StreamTransport()
        let engine = Engine(transport: transport, scheduler: fixture.scheduler)
        let service = Service(engine: engine, name: "other", baseURL: try BaseURL("https://api.test"))
        let request = service.resource("a").request(.get)
        fixture.settle()
        let receiver = PiecesReceiver()
        #expect(!request.giveBody(to: receiver))
        transport.streams[0].complete(.success(TransportResponse(status: 200, body: Array("body".utf8))))
        fixture.settle()
        #expect(receiver.heads.isEmpty)
        guard case .bytes(let content)? = request.info?.response.entity?.content else {
            Issue.record("there is a content")
            return
        }
        #expect(content == Array("body".utf8))
    }
}
