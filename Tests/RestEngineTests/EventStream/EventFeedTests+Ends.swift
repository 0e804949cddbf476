import TestSupport
import Testing

@testable import RestEngine

/// The end of event streams, and its effects on requests.
extension EventFeedTests {
    @Test func `57.5 204 leaves what the last event said, and a load that waits ends with that`() {
        let stream = observe()
        stream.send("data: last\n\n")
        stream.end()
        settle()
        _ = watcher.take()
        advance(3)
        streams[1].open(204, type: nil)
        streams[1].end()
        settle()
        #expect(watcher.take().isEmpty && resource.latestData?.text == "last" && engine.openStreams == 0)
        var outcomes: [String] = []
        resource.load().onCompletion { outcomes.append("\($0.isNew) \($0.response.entity?.text ?? "")") }
        settle()
        streams[2].open(204, type: nil)
        streams[2].end()
        settle()
        #expect(outcomes == ["false last"])
        #expect(watcher.take() == ["requested last", "not_modified last"])
        close()
    }

    @Test(arguments: [500, 204, 200, 0])
    func `57.1 a stream that nobody wants any more is the end of the work, however it ended`(status: Int) {
        var ends = 0
        engine.onQuiet = { [unowned engine] in
            if engine.openStreams == 0, engine.openRequests == 0 { ends += 1 }
        }
        resource.load()
        settle()
        let failure = TransportError(.connectionFailed, message: "refused")
        streams[0].complete(
            status == 0 ? .failure(failure) : .success(TransportResponse(status: status)))
        settle()
        #expect(ends > 0 && engine.openStreams == 0)
        close()
    }

    @Test func `57.1 the last observer may leave between two connections, and that is the end of the work`() {
        var ends = 0
        engine.onQuiet = { ends += 1 }
        observe().end()
        settle()
        #expect(engine.openStreams == 1)
        ends = 0
        resource.removeObservers(ownedBy: watcher)
        settle()
        #expect(ends == 1 && engine.openStreams == 0)
        close()
    }

    @Test func `57.1 204 is the end of the work, although somebody observes`() {
        var ends = 0
        resource.addObserver(watcher)
        settle()
        engine.onQuiet = { [unowned engine] in if engine.openStreams == 0 { ends += 1 } }
        streams[0].open(204, type: nil)
        streams[0].end()
        settle()
        #expect(ends > 0)
        close()
    }

    @Test(arguments: [("1", 1.0), ("0", 0.1), ("7200", 3600), ("soon", 4.5)])
    func `57.5 a Retry-After is the wait, within bounds`(field: String, wait: Double) {
        resource.addObserver(watcher)
        settle()
        streams[0].complete(
            .success(TransportResponse(status: 503, headers: Headers([("Retry-After", field)]))))
        settle()
        advance(wait - 0.01)
        #expect(streams.count == 1)
        advance(0.02)
        #expect(streams.count == 2)
        close()
    }

    @Test func `57.9 43.1 a stream counts once for a breaker, and as a probe at its beginning`() {
        var policy = BreakerPolicy()
        policy.requests = 3
        policy.ratio = 0.5
        service.configure { $0.breaker = policy }
        let stream = observe()
        stream.complete(.failure(TransportError(.connectionFailed, message: "cut")))
        settle()
        let other = service.resource("b")
        for count in 1...2 {
            let request = other.request(.get)
            settle()
            streams[count].complete(.success(TransportResponse(status: 500)))
            settle()
            #expect(request.state == .completed)
        }
        #expect(engine.attemptFacts.breakers.count == 1, "two failures of three answers, not two of four")
        advance(5)
        #expect(streams.count == 4, "the stream is the probe")
        streams[3].open()
        settle()
        #expect(engine.attemptFacts.breakers.isEmpty)
        streams[3].end()
        settle()
        close()
    }

    private var down: TransportResult { .failure(TransportError(.connectionFailed, message: "down")) }

    /// Reads the resource, and notes the text.
    private func read(_ texts: Journal) {
        resource.read { texts.note((try? $0.get().text) ?? "failed") }
        settle()
    }

    @Test func `44.2 57.3 old data stands in for a stream that can't be had`() {
        service.configure { $0.staleIfError = .seconds(60) }
        let texts = Journal()
        read(texts)
        streams[0].open()
        streams[0].send("data: old\n\n")
        settle()
        #expect(texts.lines == ["old"] && streams[0].isCancelled)
        advance(40)
        read(texts)
        #expect(texts.lines.count == 1 && streams.count == 2)
        streams[1].complete(down)
        settle()
        #expect(texts.lines.last == "old" && resource.latestError?.code == "connection_failed")
        // Within the retry time no request is sent.
        read(texts)
        #expect(texts.lines == ["old", "old", "old"] && streams.count == 2)
        advance(5)
        read(texts)
        streams[2].open(200, type: "text/html")
        settle()
        #expect(texts.lines.last == "old" && resource.latestError?.code == "decoding_failed")
        advance(5)
        read(texts)
        streams[3].complete(.success(TransportResponse(status: 404)))
        settle()
        #expect(texts.lines.count == 5 && texts.lines.last == "failed", "what the server refuses it refuses")
        advance(45)
        read(texts)
        streams[4].complete(down)
        settle()
        #expect(texts.lines.count == 6 && texts.lines.last == "failed", "95 s after it came it is too old")
        #expect(engine.openStreams == 0 && !resource.isLoading && resource.latestData?.text == "old")
        close()
    }

    @Test func `44.2 57.5 observers have data and error, and readers meanwhile get the data`() {
        service.configure {
            $0.staleIfError = .seconds(60)
            $0.timeouts.total = .seconds(10)
        }
        let stream = observe()
        stream.send("data: old\n\n")
        settle()
        stream.end()
        settle()
        _ = watcher.take()
        advance(3)
        streams[1].complete(down)
        settle()
        #expect(watcher.take() == ["error old"] && resource.latestError?.code == "connection_failed")
        advance(28)
        // The connection that was requested since then also serves the load.
        let texts = Journal()
        read(texts)
        #expect(streams.count == 3 && texts.lines.isEmpty)
        streams[2].complete(down)
        settle()
        #expect(texts.lines == ["old"] && watcher.take() == ["requested old", "error old"])
        advance(9)
        #expect(streams.count == 4)
        streams[3].open()
        read(texts)
        advance(9)
        #expect(texts.lines == ["old"], "it waits for an event")
        advance(2)
        #expect(texts.lines == ["old", "old"] && resource.latestError?.code == "timeout")
        #expect(!streams[3].isCancelled)
        streams[3].send("data: new\n\n")
        settle()
        read(texts)
        #expect(texts.lines.last == "new" && resource.latestError == nil && !resource.isLoading)
        close()
    }
}
