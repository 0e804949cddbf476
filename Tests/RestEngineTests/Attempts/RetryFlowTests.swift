import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct RetryFlowTests {
    let fixture = EngineFixture()

    init() throws {
        fixture.engine.random = { 1 }
        try fixture.configure { $0.configuration.retry = RetryPolicy() }
    }

    /// Adds answers in this order; the last one is repeated.
    private func answers(_ path: String, _ method: RestEngine.Method = .get, _ replies: StubReply...) throws {
        var left = replies[...]
        try fixture.transport.stub(method: method, urlGlob: path, base: fixture.service.baseURL) { _ in
            left.count > 1 ? left.removeFirst() : left[left.startIndex]
        }
    }

    private let refused = TransportError(.connectionFailed, phase: .connect, message: "cannot connect")

    @Test func `41.1: hooks, observers and pipeline see the last attempt only`() throws {
        try answers("a", .get, .text(503, "busy"), .error(refused), .json(200, "{\"a\":1}"))
        var events: [String] = []
        let resource = fixture.resource("a")
        resource.addObserver(owner: fixture) { _, event in events.append(event.name) }
        let request = resource.load()
        var outcomes = 0
        request.onCompletion { _ in outcomes += 1 }
        fixture.settle()
        #expect(fixture.transport.requests.count == 1 && resource.isLoading && outcomes == 0)
        fixture.advance(0.19)
        #expect(fixture.transport.requests.count == 1)
        fixture.advance(0.01)
        #expect(fixture.transport.requests.count == 2)
        fixture.advance(0.4)
        #expect(resource.latestData?.content.tree?["a"] == 1 && outcomes == 1)
        #expect(events == ["observer_added", "requested", "new_data(network)"])
        #expect(request.attempts.map(\.number) == [1, 2, 3])
        #expect(request.attempts.map(\.status) == [503, nil, 200])
        #expect(request.attempts.map(\.reason) == [nil, .status(503), .failure("connection_failed")])
        #expect(request.attempts.map(\.waitedSeconds) == [0, 0.2, 0.4])
        resource.removeObservers(ownedBy: fixture)
    }

    @Test func `the last failure is the request's, with its number`() throws {
        try answers("a", .get, .text(503, "busy"), .text(500, "no"), .text(502, "gate"))
        let request = fixture.resource("a").load()
        fixture.settle()
        fixture.advance(10)
        fixture.advance(10)
        let error = try #require(request.info?.response.error)
        #expect(
            error.httpStatusCode == 502 && error.attempt == 3
                && error.attempts.map(\.status) == [503, 500, 502])
        #expect("\(error)".hasSuffix("(attempt 3)"))
        let again = request.repeated().start()
        fixture.settle()
        #expect(again.attempts.first?.number == 4)
        again.cancel()
        fixture.settle()
    }

    @Test(
        arguments: [(.post, 1), (.patch, 1), (.put, 3), (.delete, 3), (.head, 3)]
            as [(RestEngine.Method, Int)])
    func `41.4: only what means the same twice is sent twice`(method: RestEngine.Method, sent: Int) throws {
        try fixture.stub(method, "a", .response(503))
        let request = fixture.resource("a").request(method)
        fixture.settle()
        fixture.advance(10)
        fixture.advance(10)
        #expect(request.state == .completed && fixture.transport.requests.count == sent)
    }

    @Test func `41.4: an idempotency key lets any method be sent again, with the same key`() throws {
        try answers("a", .post, .response(503), .response(201))
        var options = RequestOptions(body: .text("x", charset: "utf-8"))
        options.idempotencyKey = "mine"
        let request = fixture.resource("a").request(.post, options)
        fixture.settle()
        fixture.advance(10)
        #expect(request.info?.response.error == nil)
        #expect(fixture.transport.requests.map { $0.headers["Idempotency-Key"] } == ["mine", "mine"])
        #expect(fixture.transport.requests.map(\.body) == [Array("x".utf8), Array("x".utf8)])
    }

    @Test func `41.5: a file that changed meanwhile is not sent again`() throws {
        let folder = TemporaryFolder()
        folder.write("body", "one")
        try fixture.stub(.put, "a", .response(503))
        let options = RequestOptions(body: .file(path: folder.path + "/body"))
        let same = fixture.resource("a").request(.put, options)
        fixture.settle()
        fixture.advance(0.2)
        #expect(fixture.transport.requests.count == 2)
        folder.write("body", "other")
        fixture.advance(0.4)
        fixture.advance(10)
        #expect(fixture.transport.requests.count == 3, "it was the same when the wait began")
        #expect(same.state == .completed)
        let changed = fixture.resource("a").request(.put, options)
        folder.write("body", "a third")
        fixture.settle()
        fixture.advance(10)
        #expect(changed.state == .completed && fixture.transport.requests.count == 4)
    }

    @Test func `41.8: the total time is for all attempts and waits`() throws {
        try fixture.configure { $0.configuration.timeouts.total = .seconds(2) }
        try fixture.stub(
            .get, "a", .response(503, headers: Headers([("Retry-After", "1")]), delay: .seconds(0.6)))
        let request = fixture.resource("a").load()
        for _ in 0..<40 { fixture.advance(0.1) }
        #expect(request.state == .completed)
        #expect(fixture.transport.requests.count == 2, "after 2.2 s there is no time for a third")
        let totals = fixture.transport.requests.map(\.timeouts.totalSeconds)
        #expect(totals[0] == 2 && abs(totals[1] - 0.4) < 0.11, "\(totals)")
    }

    @Test func `41.9: cancelling ends a wait at once`() throws {
        try fixture.stub(.get, "a", .response(503))
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(fixture.scheduler.armedTimers == 1)
        request.cancel()
        #expect(request.state == .completed && request.isCancelled && fixture.scheduler.armedTimers == 0)
        fixture.advance(100)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a certificate that can't be trusted is never tried again`() throws {
        try fixture.stub(.get, "a", .error(TransportError(.tlsFailed, phase: .tls, message: "expired")))
        try fixture.configure { $0.configuration.retry?.when = { _, _ in .retry } }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.state == .completed && fixture.transport.requests.count == 1)
        #expect(request.info?.response.error?.code == "tls_failed")
    }

    @Test func `41.7: the function sees error and attempt, and says when`() throws {
        try answers("a", .get, .text(404, "soon"), .text(404, "sooner"), .text(200, "now"))
        var asked: [String] = []
        try fixture.configure {
            $0.configuration.retry?.when = { error, attempt in
                asked.append("\(error.httpStatusCode ?? 0) \(attempt) \(error.text) \(error.attempt)")
                return attempt == 1 ? .after(.seconds(60)) : .retry
            }
        }
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        fixture.advance(59)
        #expect(fixture.transport.requests.count == 1)
        fixture.advance(1)
        fixture.advance(10)
        #expect(request.info?.response.entity?.content.text == "now")
        // The pipeline has not processed the error's body yet.
        #expect(asked.map { $0.split(separator: " ").first } == ["404", "404"])
    }

    @Test func `41.7: what the function throws is the error`() throws {
        struct Refusal: Error {}
        try fixture.stub(.get, "a", .response(503))
        try fixture.configure { $0.configuration.retry?.when = { _, _ in throw Refusal() } }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.info?.response.error?.underlying is Refusal)
    }

    @Test func `41.11: the GET that 303 makes of a POST is sent again, not the POST`() throws {
        try fixture.stub(.post, "a", .response(303, headers: Headers([("Location", "b")])))
        try answers("b", .get, .response(503), .text(200, "b"))
        let request = fixture.resource("a").request(.post)
        fixture.settle()
        fixture.advance(10)
        #expect(request.info?.response.entity?.content.text == "b")
        #expect(fixture.transport.requests.map(\.method) == ["POST", "GET", "GET"])
        #expect(request.attempts.map(\.number) == [1, 1, 2])
        #expect(request.attempts.map(\.reason) == [nil, .redirect(303), .status(503)])
    }

    @Test func `41.11: another attempt begins at the request's URL, whatever the first was led to`() throws {
        var targets = ["b", "c"]
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(302, headers: Headers([("Location", targets.removeFirst())]))
        }
        try answers("b", .get, .response(503))
        try answers("c", .get, .text(200, "c"))
        try fixture.configure { $0.configuration.redirects.max = 1 }
        let events = Journal()
        fixture.engine.onEvent([.attempt]) { event in
            guard case .attempt(let attempt) = event.detail else { return }
            events.note("\(attempt.number) \(attempt.reason ?? "first")")
            #expect(event.tree["http_version"]?.string == "1.1")
        }
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        fixture.advance(10)
        #expect(request.info?.response.entity?.text == "c")
        #expect(fixture.transport.requests.map(\.url.last) == ["a", "b", "a", "c"])
        #expect(request.attempts.map(\.number) == [1, 1, 2, 2])
        #expect(request.attempts.map(\.reason) == [nil, .redirect(302), .status(503), .redirect(302)])
        #expect(request.attempts.map(\.httpVersion) == ["1.1", "1.1", "1.1", "1.1"])
        #expect(events.take() == ["1 first", "1 redirect", "2 503", "2 redirect"], "the same numbers")
    }

    @Test func `9.1: a token refresh sees only the last attempt, and repeats the whole`() throws {
        try answers("a", .get, .response(503), .response(401), .text(200, "in"))
        var refreshes = 0
        try fixture.configure {
            $0.configuration.decorators.append { _, request in
                request.chained { info in
                    guard info.response.error?.httpStatusCode == 401 else { return .useThisResponse }
                    refreshes += 1
                    return .passTo(request.repeated())
                }
            }
        }
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        fixture.advance(10)
        #expect(resource.latestData?.content.text == "in" && refreshes == 1)
    }

    @Test func `41.6: 2000 requests of which 30 in a hundred fail are sent again as the budget says`() throws
    {
        var random = SeededRandom(seed: 30)
        var failed = 0
        try fixture.transport.stub(method: .get, urlGlob: "n/*", base: fixture.service.baseURL) { _ in
            let fails = random.int(below: 10) < 3
            if fails { failed += 1 }
            return .response(fails ? 503 : 204)
        }
        var completed = 0
        for number in 0..<2000 {
            fixture.resource("n/\(number)").request(.get).onCompletion { _ in completed += 1 }
            fixture.advance(0.01)
        }
        fixture.advance(20)
        #expect(completed == 2000)
        let retries = fixture.transport.requests.count - 2000
        #expect(retries <= 400 + 63 && retries > 400, "\(retries) of \(failed) failures")
    }

    @Test func `41.6: requests that may not be sent again add nothing to the budget`() throws {
        try fixture.stub(.post, "a", .response(201))
        try fixture.stub(.get, "a", .response(503))
        for _ in 0..<100 { fixture.resource("a").request(.post) }
        fixture.settle()
        for _ in 0..<10 { fixture.resource("a").request(.get) }
        for _ in 0..<20 { fixture.advance(0.01) }
        fixture.advance(0.2)
        // A fifth of ten requests, and the three of each second.
        #expect(fixture.transport.requests.count == 110 + 5)
        fixture.advance(10)
        fixture.advance(10)
    }

    @Test func `nothing is done when nothing is configured`() throws {
        let plain = EngineFixture()
        try plain.stub(.get, "a", .response(503))
        let request = plain.resource("a").load()
        plain.settle()
        #expect(request.state == .completed && plain.transport.requests.count == 1)
        #expect(plain.resource("a").configuration(for: .get).retry == nil)
    }
}
