import TestSupport
import Testing

@testable import RestEngine

/// Recordings of bodies that go to a receiver as they arrive, and their replay (rules 48.5, 49.8).
@Suite(.leakChecked) @EngineActor
struct DeliveredBodyTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/a.har" }
    private let text = String(repeating: "0123456789", count: 5000)

    private func recorded(
        by live: EngineFixture, limit: Int = TrafficRecorder.replayedBytes,
        _ run: @EngineActor () async throws -> Void
    ) async throws -> [Tree] {
        let recorder = try TrafficRecorder(path, version: "1", bodyLimit: limit)
        recorder.listen(to: live.engine)
        try await run()
        try recorder.finish()
        #expect(live.engine.copiedBytes == 0)
        let document = try Tree(json: try WholeFile.read(path, limit: 1 << 20))
        #expect(HARSchema.faults(document) == [])
        return Array((document["log"]?["entries"] ?? .null).elements)
    }

    private func replaying() throws -> EngineFixture {
        let fixture = EngineFixture()
        fixture.transport.replay(RecordedAnswers(try HARReader.read(path), path: path))
        return fixture
    }

    /// The text that a request delivers, and its end.
    private func streamed(_ fixture: EngineFixture, _ path: String = "a") -> (String, Response?) {
        let receiver = PiecesReceiver()
        let request = fixture.resource(path).request(.get)
        #expect(request.giveBody(to: receiver))
        fixture.settle()
        return (String(decoding: receiver.bytes, as: UTF8.self), request.info?.response)
    }

    @Test func `48.5 49.8 a body that was given away is recorded, through a redirect, and given away again`()
        async throws
    {
        let live = EngineFixture()
        try live.stub("GET", "a", .response(302, headers: ["Location": "b"]))
        try live.stub("GET", "b", .text(200, text))
        let entries = try await recorded(by: live) { #expect(streamed(live).0 == text) }
        #expect(entries.count == 2)
        #expect(entries[1]["response"]?["content"]?["text"]?.string == text)
        #expect(entries[1]["response"]?["content"]?["size"]?.int == 50000)
        let replayed = try replaying()
        let (again, response) = streamed(replayed)
        #expect(again == text && response?.entity?.status == 200)
        // The same with the replay as another engine's transport.
        let transport = ReplayTransport(
            RecordedAnswers(try HARReader.read(path), path: path), scheduler: replayed.scheduler)
        let engine = Engine(transport: transport, scheduler: replayed.scheduler)
        let service = Service(engine: engine, name: "api", baseURL: replayed.service.baseURL)
        let receiver = PiecesReceiver()
        let request = service.resource("a").request(.get)
        #expect(request.giveBody(to: receiver))
        replayed.settle()
        #expect(receiver.bytes == Array(text.utf8) && receiver.calls > 1)
    }

    @Test func `48.5 one that is longer than what is kept says so, and is an error at its replay`()
        async throws
    {
        let live = EngineFixture()
        try live.stub("GET", "a", .text(200, text))
        let entries = try await recorded(by: live, limit: 49999) { #expect(streamed(live).0 == text) }
        let content = entries[0]["response"]?["content"]
        #expect(content?["_truncated"]?.bool == true && content?["size"]?.int == 50000)
        #expect(content?["text"] == nil)
        let (bytes, response) = streamed(try replaying())
        #expect(bytes.isEmpty)
        let notified = response?.error.map { "\($0)" } ?? ""
        #expect(notified.contains("longer than what was recorded"))
    }

    @Test
    func `48.5 69.2 a body with its coding is left out with the reason, since no secret is masked in it`()
        async throws
    {
        let live = EngineFixture()
        for (path, coding) in [("a", "gzip"), ("b", "identity")] {
            try live.stub(
                "GET", path, .response(200, headers: ["Content-Encoding": coding], body: Array(text.utf8)))
        }
        let entries = try await recorded(by: live) {
            #expect(streamed(live, "a").0 == text && streamed(live, "b").0 == text)
        }
        let contents = entries.map { $0["response"]?["content"] }
        #expect(contents[0]?["text"] == nil && contents[0]?["_truncated"] == nil)
        #expect(contents[0]?["comment"]?.string?.contains("encoded as gzip") == true)
        #expect(contents[1]?["text"]?.string == text)
        let (bytes, response) = streamed(try replaying())
        #expect(bytes.isEmpty)
        #expect(response?.error.map { "\($0)" }?.contains("its body was not recorded") == true)
    }

    @Test func `48.5 nothing is copied where nobody records`() throws {
        let fixture = EngineFixture()
        try fixture.stub("GET", "a", .text(200, text))
        let receiver = PiecesReceiver()
        let subscription = fixture.engine.onEvent([.attempt]) { _ in }
        receiver.onPiece = { #expect(fixture.engine.copiedBytes == 0) }
        let request = fixture.resource("a").request(.get)
        #expect(request.giveBody(to: receiver))
        fixture.settle()
        #expect(receiver.bytes.count == 50000)
        subscription.cancel()
        receiver.onPiece = nil
    }

    @Test func `49.8 a body that was cut is cut at its replay`() async throws {
        let live = EngineFixture()
        var reply = StubReply.text(200, text)
        reply.ending = .failure(TransportError(.connectionFailed, phase: .receive, message: "cut"))
        try live.stub("GET", "a", reply)
        let entries = try await recorded(by: live) {
            let (bytes, response) = streamed(live)
            #expect(bytes == text && response?.error?.code == "connection_failed")
        }
        #expect(entries[0]["response"]?["status"]?.int == 200)
        #expect(entries[0]["response"]?["_error"]?.string == "connection_failed")
        let (bytes, response) = streamed(try replaying())
        #expect(bytes == text && response?.error?.code == "connection_failed")
    }

    @Test func `49.8 a stream of events is recorded until it is left, and replayed it stays open`()
        async throws
    {
        func events(_ fixture: EngineFixture) throws -> [String] {
            try fixture.configure { $0.configuration.stream = .events }
            let resource = fixture.resource("events")
            let watcher = fixture.watch(Watcher())
            resource.addObserver(watcher)
            fixture.settle()
            fixture.advance(60)
            #expect(fixture.transport.transfersInFlight == 1)
            resource.removeObservers(ownedBy: watcher)
            fixture.settle()
            #expect(fixture.transport.transfersInFlight == 0)
            return watcher.texts
        }
        let live = EngineFixture()
        var reply = StubReply.text(
            200, "data: one\n\ndata: {\"token\":\"canary\"}\n\n", type: "text/event-stream")
        reply.ending = .never
        try live.stub("GET", "events", reply)
        let entries = try await recorded(by: live) { _ = try events(live) }
        #expect(entries.count == 1 && !entries.description.contains("canary"))
        #expect(entries[0]["response"]?["_error"]?.string == "request_cancelled")
        #expect(try events(try replaying()) == ["one", #"{"token":"***"}"#])
        // A request for the whole doesn't get a part.
        let plain = try replaying()
        let request = plain.resource("events").request(.get)
        plain.settle()
        let error = try #require(request.info?.response.error)
        #expect("\(error)".contains("the beginning of this body"))
    }

    @EngineActor
    private final class Watcher: ResourceObserver {
        var texts: [String] = []
        func changed(_ resource: Resource, _ event: ResourceEvent) {
            guard case .newData = event, let data = resource.latestData else { return }
            texts.append(data.text.isEmpty ? "\(data.json.description)" : data.text)
        }
    }

    @Test func `49.8 a file that was gone on with after a cut is written again from the recording`()
        async throws
    {
        func download(_ fixture: EngineFixture) async throws -> (String?, Int64?) {
            let file = folder.path + "/out"
            let resource = fixture.resource("file")
            let request = resource.start(RequestPlan(method: "GET", destination: .file(file)))
            fixture.settle()
            await fixture.engine.offloadedWorkEnds()
            fixture.settle()
            let bytes = try? WholeFile.read(file, limit: 1 << 20)
            folder.remove("out")
            #expect(request.info?.response.error == nil)
            guard case .value(let content)? = request.info?.response.entity?.content else {
                return (nil, nil)
            }
            return (bytes.map { String(decoding: $0, as: UTF8.self) }, content["bytes"]?.int)
        }
        let live = EngineFixture()
        var first = StubReply.response(
            200, headers: ["Content-Length": "50000", "ETag": "\"1\""], body: Array(text.utf8.prefix(20000)))
        first.ending = .failure(TransportError(.connectionFailed, phase: .receive, message: "cut"))
        let rest = StubReply.response(
            206,
            headers: [
                "Content-Range": "bytes 20000-49999/50000", "Content-Length": "30000", "ETag": "\"1\"",
            ],
            body: Array(text.utf8.dropFirst(20000)))
        var replies = [first, rest]
        try live.transport.stub(method: "GET", urlGlob: "file", base: live.service.baseURL) { _ in
            replies.removeFirst()
        }
        let entries = try await recorded(by: live) {
            let (whole, bytes) = try await download(live)
            #expect(whole == text && bytes == 50000)
        }
        #expect(entries.map { $0["response"]?["status"]?.int } == [200, 206])
        let (whole, bytes) = try await download(try replaying())
        #expect(whole == text && bytes == 50000)
    }

    @Test func `49.8 a replay that is cancelled in its middle gives nothing further`() async throws {
        let live = EngineFixture()
        try live.stub("GET", "a", .text(200, text))
        _ = try await recorded(by: live) { _ = streamed(live) }
        let replayed = try replaying()
        let receiver = PiecesReceiver()
        let request = replayed.resource("a").request(.get)
        #expect(request.giveBody(to: receiver))
        receiver.onPiece = { [weak request] in request?.cancel() }
        replayed.settle()
        #expect(receiver.calls == 1 && request.isCancelled && replayed.transport.transfersInFlight == 0)
        receiver.onPiece = nil
    }

    @Test func `49.1 an engine that is offline asks no recording`() async throws {
        let live = EngineFixture()
        try live.stub("GET", "a", .text(200, text))
        _ = try await recorded(by: live) { _ = streamed(live) }
        let replayed = try replaying()
        replayed.engine.isOffline = true
        #expect(streamed(replayed).1?.error?.code == "offline")
        #expect(replayed.transport.requests.isEmpty)
    }

    @Test func `49.2 a body that somebody writes meanwhile is read to its end, and matches one as it came`()
        async throws
    {
        let text =
            #"{"log":{"entries":[{"request":{"method":"POST","url":"https://api.test/v1/up","bodySize":-1,"postData":{"mimeType":"text/plain","text":"","comment":"sent as it came"}},"response":{"status":200,"content":{"text":"taken"}}}]}}"#
        let fixture = EngineFixture()
        let transport = ReplayTransport(
            RecordedAnswers(try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har"),
            scheduler: fixture.scheduler)
        let pipe = BodyPipe()
        var results: [TransportResult] = []
        _ = transport.send(
            TransportRequest(method: "POST", url: "https://api.test/v1/up", upload: .stream(pipe))
        ) { results.append($0) }
        fixture.settle()
        #expect(results.isEmpty)
        _ = pipe.write(Array("body".utf8))
        pipe.finish()
        // Runs after the pipe's messages to the loop.
        let _: Bool? = await waiting(for: "a pass of the loop") { notified in
            EngineLoop.shared.submit { notified(true) }
        }
        fixture.settle()
        #expect(try results.first?.get().body == Array("taken".utf8))
    }
}
