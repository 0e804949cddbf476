import TestSupport
import Testing

@testable import RestEngine

/// Resources that streams of events keep up to date (rules 57).
@Suite(.leakChecked) @EngineActor
struct EventFeedTests {
    let transport = StreamTransport()
    let clock = ManualClock()
    let engine: Engine
    let service: Service
    let resource: Resource
    let watcher = Watcher()

    @EngineActor
    final class Watcher: ResourceObserver {
        var events: [String] = []
        func changed(_ resource: Resource, _ event: ResourceEvent) {
            let text = resource.latestData?.text ?? resource.latestError?.code ?? ""
            events.append(event == .observerAdded ? event.name : "\(event.name) \(text)")
        }
        func take() -> [String] {
            defer { events = [] }
            return events
        }
    }

    init() {
        engine = Engine(transport: transport, scheduler: Scheduler(clock: clock))
        engine.movesLargeContent = false
        engine.random = { 1 }
        service = Service(engine: engine, name: "api", baseURL: try? BaseURL("https://api.test"))
        service.configure { $0.stream = .events }
        resource = service.resource("a")
        for object in [engine, service, resource, transport] as [AnyObject] {
            LeakList.current?.watch(object)
        }
    }

    func settle() { while engine.scheduler.runTick() {} }

    func advance(_ seconds: Double) {
        clock.advance(by: seconds)
        settle()
    }

    var streams: [StreamTransport.Stream] { transport.streams }

    func observe() -> StreamTransport.Stream {
        resource.addObserver(watcher)
        settle()
        streams[0].open()
        return streams[0]
    }

    func close() {
        resource.removeObservers(ownedBy: watcher)
        settle()
        transport.end()
        settle()
        #expect(engine.openStreams == 0 && engine.openRequests == 0)
    }

    @Test func `57.1 57.2 observers get each event as content, and the stream ends with the last one`() {
        let stream = observe()
        #expect(streams.count == 1 && engine.openStreams == 1)
        #expect(stream.request.headers["Accept"] == "text/event-stream")
        #expect(stream.request.timeouts.totalSeconds == 0)
        stream.send("event: greeting\nid: 4\ndata: hello\n\ndata: [DONE]\n\ndata: {\"n\":1}\n\n")
        settle()
        #expect(
            watcher.take() == [
                "observer_added", "new_data(network) hello", "new_data(network) [DONE]", "new_data(network) ",
            ])
        #expect(resource.latestData?.content.tree?["n"] == 1)
        #expect(resource.latestData?.contentType == "application/json")
        #expect(resource.latestData?.headers["Last-Event-ID"] == "4")
        #expect(resource.latestData?.headers["Event-Type"] == "message")
        let other = Watcher()
        resource.addObserver(other)
        resource.removeObservers(ownedBy: watcher)
        settle()
        #expect(!stream.isCancelled)
        resource.removeObservers(ownedBy: other)
        settle()
        #expect(stream.isCancelled && !resource.isRequesting)
        close()
    }

    @Test func `57.3 a load ends with the next event, and the connection with it when nobody observes`() {
        var texts: [String] = []
        for _ in 0..<2 { resource.load().onSuccess { texts.append($0.text) } }
        settle()
        #expect(streams.count == 1 && resource.isLoading)
        streams[0].open()
        streams[0].send("data: a\n\ndata: b\n\n")
        settle()
        #expect(texts == ["a", "a"] && streams[0].isCancelled && !resource.isLoading)
        #expect(resource.loadIfNeeded() == nil, "fresh for the expiration time")
        advance(31)
        resource.loadIfNeeded()
        settle()
        #expect(streams.count == 2)
        resource.cancelLoadIfUnobserved()
        settle()
        #expect(streams[1].isCancelled)
        close()
    }

    @Test func `57.3 a load has its time, and joins the stream that is there`() {
        let stream = observe()
        stream.send("data: a\n\n")
        settle()
        var codes: [String] = []
        resource.load().onFailure { codes.append($0.code) }
        advance(121)
        #expect(codes == ["timeout"] && streams.count == 1 && !stream.isCancelled)
        close()
    }

    @Test func `57.7 the last event of a live stream stays up to date`() {
        let stream = observe()
        #expect(!resource.isUpToDate)
        stream.send("data: a\n\n")
        settle()
        advance(1000)
        #expect(resource.isUpToDate && resource.loadIfNeeded() == nil)
        stream.end()
        settle()
        #expect(!resource.isUpToDate)
        close()
    }

    @Test func `57.4 57.5 a stream that ends is asked for again, after the server's time, from its last id`()
    {
        observe().send("retry: 500\nid: é7\ndata: a\n\nid: 8\ndata: never complete")
        settle()
        streams[0].end()
        settle()
        _ = watcher.take()
        advance(0.49)
        #expect(streams.count == 1)
        advance(0.02)
        #expect(streams.count == 2 && streams[1].request.headers["Last-Event-ID"] == "é7")
        // The cut of a stream that had begun is no failure either.
        streams[1].open()
        streams[1].complete(.failure(TransportError(.timeout, phase: .idle, message: "idle")))
        settle()
        advance(0.6)
        #expect(streams.count == 3 && watcher.take().isEmpty && resource.latestError == nil)
        close()
    }

    @Test func `57.5 while it fails, the waits grow`() {
        resource.addObserver(watcher)
        settle()
        for (count, wait) in [4.5, 9, 18, 36, 72, 90, 90].enumerated() {
            #expect(streams.count == count + 1)
            streams[count].complete(.failure(TransportError(.connectionFailed, message: "refused")))
            settle()
            advance(wait - 0.01)
            #expect(streams.count == count + 1)
            advance(0.02)
        }
        #expect(watcher.take().dropFirst().allSatisfy { $0 == "error connection_failed" })
        var headers = Headers()
        headers.set("Retry-After", "600")
        streams[7].complete(.success(TransportResponse(status: 503, headers: headers)))
        settle()
        advance(599)
        #expect(streams.count == 8)
        advance(2)
        #expect(streams.count == 9)
        streams[8].open()
        streams[8].end()
        settle()
        advance(3)
        #expect(streams.count == 10, "one that was there counts anew")
        close()
    }

    @Test func `57.5 204 ends it, until somebody loads`() {
        resource.addObserver(watcher)
        settle()
        streams[0].open(204, type: nil)
        streams[0].end()
        settle()
        advance(10_000)
        #expect(streams.count == 1)
        resource.load()
        settle()
        #expect(streams.count == 2)
        close()
    }

    @Test(arguments: [(200, "text/html"), (200, nil), (201, "text/event-stream")])
    func `57.6 what is no stream of events fails`(status: Int, type: String?) {
        resource.addObserver(watcher)
        var codes: [String] = []
        resource.load().onFailure { codes.append("\($0)") }
        settle()
        streams[0].open(status, type: type)
        streams[0].send("data: a\n\n")
        settle()
        #expect(codes.count == 1 && codes[0].contains("stream of events: \(StatusPhrase.line(status)) with"))
        #expect(streams[0].isCancelled && resource.latestError?.code == "decoding_failed")
        close()
    }

    @Test(arguments: 0...3)
    func `57.2 57.6 an event that is too large fails after earlier ones, and the stream goes on`(count: Int) {
        service.configure { $0.maxBodyBytes = 100 }
        let stream = observe()
        let events = (0..<count).map { "data: \($0)\n\n" }.joined()
        stream.send(events + "data: \(String(repeating: "x", count: 200))")
        settle()
        let notified = watcher.take().dropFirst().map { $0.prefix { $0 != " " } }
        #expect(notified == (0..<count).map { _ in "new_data(network)" } + ["error"])
        #expect(stream.isCancelled && resource.latestError?.code == "too_large")
        advance(5)
        streams[1].open()
        streams[1].send("data: b\n\n")
        settle()
        #expect(resource.latestData?.text == "b" && resource.latestError == nil)
        close()
    }

    @Test func `57.2 the server waits when events come faster than they are taken`() {
        let stream = observe()
        let many = (1...70).map { "data: \($0)\n\n" }.joined()
        #expect(!stream.send(many))
        settle()
        #expect(stream.resumptions == 1 && resource.latestData?.text == "70")
        #expect(watcher.take().count == 71)
        close()
    }

    @Test func `57.2 an event that the pipeline refuses is an error, and the stream goes on`() {
        service.configure {
            $0.pipeline[.model].add(Shouting())
        }
        let stream = observe()
        stream.send("data: a\n\ndata: bad\n\ndata: c\n\n")
        settle()
        #expect(watcher.take().dropFirst() == ["new_data(network) A", "error A", "new_data(network) C"])
        close()
    }

    @Test func `57.8 a wipe begins anew, and so does a reload`() {
        observe().send("id: 3\ndata: a\n\n")
        settle()
        resource.wipe()
        settle()
        #expect(streams[0].isCancelled)
        advance(3)
        #expect(streams.count == 2 && streams[1].request.headers["Last-Event-ID"] == nil)
        streams[1].open()
        streams[1].send("id: 4\ndata: b\n\n")
        settle()
        service.configure { $0.headers.set("X-Version", "2") }
        engine.reconnectStreams()
        settle()
        #expect(streams[1].isCancelled && streams.count == 3)
        #expect(streams[2].request.headers["X-Version"] == "2")
        #expect(streams[2].request.headers["Last-Event-ID"] == "4")
        close()
    }

    @Test func `57.1 a stream that is configured away ends with its next event`() {
        let stream = observe()
        service.configure { $0.stream = nil }
        stream.send("data: a\n\n")
        settle()
        #expect(stream.isCancelled && resource.latestData == nil)
        close()
    }

    @Test func `57.9 an open stream takes no place in a limit, and closes a breaker`() throws {
        service.configure { $0.limits = RequestLimits(inFlight: 1) }
        let stream = observe()
        let other = service.resource("b")
        other.load()
        settle()
        #expect(streams.count == 2, "the place is free")
        #expect(!stream.isCancelled)
        for load in other.loadRequests { load.cancel() }
        close()
    }
}

private struct Shouting: Transformer {
    let description = "shouting"
    func process(_ response: Response, _ context: PipelineContext) -> Response {
        guard case .success(var entity) = response, let text = entity.content.text else { return response }
        if text == "bad" { return .failure(RequestError(userMessage: "no", timestamp: context.now)) }
        entity.content = .text(text.uppercased())
        return .success(entity)
    }
}
