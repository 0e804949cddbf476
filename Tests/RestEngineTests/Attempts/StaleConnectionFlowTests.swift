import TestSupport
import Testing

@testable import RestEngine

/// Messages whose connection was closed while it was idle (rule 41.10).
@Suite(.leakChecked) @EngineActor
struct StaleConnectionFlowTests {
    let fixture = EngineFixture()

    private let stale = TransportError(
        .connectionFailed, phase: .firstByte, message: "it broke", isStaleConnection: true)

    /// Adds answers in this order; the last one is repeated.
    private func answers(_ method: RestEngine.Method = .get, _ replies: StubReply...) throws {
        var left = replies[...]
        try fixture.transport.stub(method: method, urlGlob: "**", base: fixture.service.baseURL) { _ in
            left.count > 1 ? left.removeFirst() : left[left.startIndex]
        }
    }

    private var sent: [TransportRequest] { fixture.transport.requests }

    @Test func `41.10 it goes out once more, at once and on a fresh connection`() throws {
        try answers(.get, .error(stale), .text(200, "a"))
        var notified: [Int] = []
        fixture.engine.onEvent([.attempt]) { event in
            if case .attempt(let attempt) = event.detail { notified.append(attempt.number) }
        }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.info?.response.error == nil && notified == [1, 2])
        #expect(sent.map(\.wantsFreshConnection) == [false, true])
        #expect(request.attempts.map(\.waitedSeconds) == [0, 0])
        #expect(request.attempts.map(\.reason) == [nil, .failure("connection_failed")])
    }

    @Test func `41.10 a second time it is an error, and the total time goes on`() throws {
        try answers(.get, .error(stale), .error(stale), .text(200, "a"))
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        #expect(request.info?.response.error?.attempts.count == 2 && sent.count == 2)
        #expect(request.info?.response.error?.attempt == 2)
    }

    @Test func `41.10 what may not be sent twice isn't`() throws {
        try answers(.post, .error(stale))
        let post = fixture.resource("a").request(.post, RequestOptions(body: .bytes([1])))
        fixture.settle()
        #expect(post.info?.response.error?.code == "connection_failed" && sent.count == 1)
    }

    @Test func `41.6 41.10 a retry policy decides, without a wait`() throws {
        var when: [Int] = []
        try fixture.configure {
            $0.configuration.retry = RetryPolicy()
            $0.configuration.retry?.attempts = 2
            $0.configuration.retry?.when = { _, attempt in
                when.append(attempt)
                return .usual
            }
        }
        try answers(.get, .error(stale), .error(stale), .text(200, "a"))
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        #expect(request.info?.response.error?.attempts.count == 2 && sent.count == 2 && when == [1])
        // The origin has only the retries that each origin gets.
        for number in 0..<10 {
            try answers(.get, .error(stale))
            _ = fixture.resource("b\(number)").request(.get)
            fixture.settle()
        }
        #expect(sent.count == 11 + 2 + 3, "a fifth of the requests, and three")
    }

    @Test func `43.2 41.10 a breaker counts what came of it in the end`() throws {
        try fixture.configure {
            $0.configuration.breaker = BreakerPolicy()
            $0.configuration.breaker?.requests = 2
            $0.configuration.breaker?.open = .seconds(5)
        }
        try answers(.get, .error(stale), .text(200, "a"), .error(stale), .text(200, "a"), .response(500))
        for path in ["a", "b", "c"] {
            _ = fixture.resource(path).request(.get)
            fixture.settle()
        }
        #expect(fixture.engine.attemptControl.facts.breakers.isEmpty, "one of three failed")
        _ = fixture.resource("d").request(.get)
        fixture.settle()
        #expect(fixture.engine.attemptControl.facts.breakers.count == 1)
        // Its probe is still a probe when it is sent again.
        try answers(.get, .error(stale), .text(200, "a"))
        fixture.advance(6)
        let probe = fixture.resource("e").request(.get)
        fixture.settle()
        #expect(probe.info?.response.error == nil && probe.attempts.count == 2)
        #expect(fixture.engine.attemptControl.facts.breakers.isEmpty)
    }

    @Test func `42.1 41.10 it keeps its place in a limit`() throws {
        try fixture.configure {
            $0.configuration.limits = RequestLimits()
            $0.configuration.limits?.inFlight = 1
        }
        try answers(.get, .error(stale), .text(200, "a"))
        let requests = ["a", "b"].map { fixture.resource($0).request(.get) }
        fixture.settle()
        #expect(requests.allSatisfy { $0.info?.response.error == nil })
        #expect(sent.map { $0.url.hasSuffix("/a") } == [true, true, false])
    }

    @Test func `41.10 a redirect behind it is followed, on any connection, and may break as well`() throws {
        try answers(
            .get, .error(stale), .response(302, headers: Headers([("Location", "b")])), .error(stale),
            .text(200, "b"))
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        #expect(request.attempts.map(\.status) == [nil, 302, nil, 200])
        #expect(sent.map(\.wantsFreshConnection) == [false, true, false, true])
    }

    @Test(arguments: [RestEngine.Method.get, .post])
    func `41.10 48.1 49.1 a recording has each attempt, and a replay sends again what was sent again`(
        _ method: RestEngine.Method
    ) throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.har"
        func outcome(_ fixture: EngineFixture) throws -> [String] {
            let request = fixture.resource("a").request(method)
            fixture.settle()
            let response = try #require(request.info?.response)
            let attempts = request.attempts.map {
                "\($0.number) \($0.status ?? 0) \($0.reason?.description ?? "first")"
            }
            return [response.error?.code ?? response.entity?.text ?? ""] + attempts
        }
        try answers(method, .error(stale), .text(200, "a"))
        let recorder = try TrafficRecorder(path, version: "1", bodyLimit: 1000)
        recorder.listen(to: fixture.engine)
        let first = try outcome(fixture)
        try recorder.finish()
        let isRepeated = method == .get
        #expect(first.first == (isRepeated ? "a" : "connection_failed"))
        let document = try Tree(json: try WholeFile.read(path, limit: 1 << 20))
        #expect(HARSchema.faults(document) == [])
        let entries = Array((document["log"]?["entries"] ?? .null).elements)
        #expect(entries.map { $0["response"]?["status"]?.int } == (isRepeated ? [0, 200] : [0]))
        #expect(entries.map { $0["_attempt"]?.int } == (isRepeated ? [1, 2] : [1]))

        let replayed = EngineFixture()
        replayed.transport.replay(RecordedAnswers(try HARReader.read(path), path: path))
        #expect(try outcome(replayed) == first)
        let fresh = replayed.transport.requests.map(\.wantsFreshConnection)
        #expect(fresh == (isRepeated ? [false, true] : [false]))
    }

    @Test func `41.5 a file that changed is not sent where a redirect leads`() throws {
        let folder = TemporaryFolder()
        folder.write("body", "one")
        let path = folder.path + "/body"
        try fixture.transport.stub(method: .put, urlGlob: "**", base: fixture.service.baseURL) { request in
            folder.write("body", "another")
            return request.url.hasSuffix("/a")
                ? .response(307, headers: Headers([("Location", "b")])) : .text(200, "b")
        }
        let request = fixture.resource("a").request(.put, RequestOptions(body: .file(path: path)))
        fixture.settle()
        let error = try #require(request.info?.response.error)
        #expect(sent.count == 1 && error.code == "invalid_url" && error.httpStatusCode == 307)
        #expect("\(error)".contains("a file of its body has changed meanwhile"))
    }
}
