import InMemoryTracing
import RestEngine
import RestTracing
import TestSupport
import Testing
import Tracing

/// Messages as spans of a tracer.
@Suite(.leakChecked) @EngineActor
struct TracingTests {
    let fixture = EngineFixture()
    let tracer = InMemoryTracer()

    /// Runs code in the span of a caller, and gives the ID of that span.
    @discardableResult
    private func calling(_ body: () -> Void) -> String {
        tracer.withSpan("caller") { span in
            body()
            return span.spanID
        }
    }

    /// The spans of messages, in the order of their ends.
    private var spans: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .client } }

    private func attribute(_ name: String, of span: FinishedInMemorySpan) -> SpanAttribute? {
        span.attributes[name]?.toSpanAttribute()
    }

    private func headers(_ name: String) -> [String?] {
        fixture.transport.requests.map { $0.headers[name] }
    }

    @Test func `a message is a client span with the names of the conventions, secrets masked`() throws {
        try fixture.stub(.get, "users/*", .json(200, "{}", delay: .milliseconds(250)))
        fixture.engine.trace(with: tracer) { $0.path.hasPrefix("/v1/users/") ? "/users/{login}" : nil }
        let caller = calling { fixture.resource("users/octocat?access_token=secret").load() }
        fixture.watch(fixture.service.resource(absoluteURL: "https://api.test/v1/users/o?access_token=s"))
            .load()
        fixture.settle()
        fixture.advance(0.25)
        let last = try #require(spans.last)
        #expect(last.operationName == "GET /users/{login}" && last.parentSpanID == nil)
        #expect(attribute("url.full", of: last) == "https://api.test/v1/users/o?access_token=***")
        #expect(attribute("url.template", of: last) == "/users/{login}")
        #expect(attribute("http.request.method", of: last) == "GET")
        #expect(attribute("http.response.status_code", of: last) == 200)
        #expect(attribute("server.address", of: last) == "api.test")
        #expect(attribute("server.port", of: last) == 443)
        #expect(attribute("network.protocol.version", of: last) == "1.1")
        #expect(attribute("resthost.service", of: last) == "api")
        #expect(attribute("http.request.resend_count", of: last) == nil)
        #expect(attribute("error.type", of: last) == nil && last.status == nil)
        #expect(last.startInstant.nanosecondsSinceEpoch == 1_000_000_000_000_000)
        #expect(last.endInstant.nanosecondsSinceEpoch == 1_000_000_250_000_000)
        #expect(spans.first?.parentSpanID == caller)
    }

    @Test func `the tracer's fields go to the server, in place of the engine's own`() throws {
        try fixture.stub(.get, "a", .response())
        fixture.service.configure { $0.isTraced = true }
        let registration = fixture.engine.trace(with: tracer)
        fixture.resource("a").load()
        fixture.settle()
        #expect(headers(InMemoryTracer.spanIDKey) == [spans[0].spanID])
        #expect(headers("traceparent") == [nil])
        registration.cancel()
        fixture.resource("a").load()
        fixture.settle()
        #expect(headers(InMemoryTracer.spanIDKey).last == .some(nil))
        #expect(headers("traceparent").last??.hasPrefix("00-") == true)
        #expect(spans.count == 1)
    }

    @Test func `retry × span: each message has its own, below the caller, after the wait too`() throws {
        var statuses = [503, 200]
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(statuses.removeFirst())
        }
        fixture.service.configure { $0.retry = RetryPolicy() }
        fixture.engine.trace(with: tracer)
        let caller = calling { fixture.resource("a").load() }
        fixture.settle()
        fixture.advance(10)
        #expect(spans.map(\.parentSpanID) == [caller, caller])
        #expect(spans.map { attribute("http.request.resend_count", of: $0) } == [nil, 1])
        #expect(spans.map { attribute("error.type", of: $0) } == ["503", nil])
        #expect(spans.map { $0.status?.code } == [.error, nil])
        #expect(headers(InMemoryTracer.spanIDKey) == spans.map(\.spanID))
    }

    @Test func `redirect × span: each message has its own, and another origin gets no fields`() throws {
        try fixture.stub(.get, "a", .response(302, headers: Headers([("Location", "b")])))
        try fixture.stub(
            .get, "b", .response(302, headers: Headers([("Location", "https://other.test:81/c")])))
        try fixture.stub(.get, "https://other.test:81/c", .response())
        fixture.engine.trace(with: tracer)
        fixture.resource("a").load()
        fixture.settle()
        #expect(spans.map { attribute("http.request.resend_count", of: $0) } == [nil, 1, 2])
        #expect(spans.map { attribute("http.response.status_code", of: $0) } == [302, 302, 200])
        #expect(attribute("server.address", of: spans[2]) == "other.test")
        #expect(attribute("server.port", of: spans[2]) == 81)
        #expect(headers(InMemoryTracer.spanIDKey) == [spans[0].spanID, spans[1].spanID, nil])
    }

    @Test func `refresh × span parent: refresh and repeat are below the caller that was refused`()
        async throws
    {
        var isRenewed = false
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(isRenewed ? 200 : 401)
        }
        try fixture.stub(.post, "login", .response())
        let (gate, service, tracer) = (RefreshGate(), fixture.service, tracer)
        var contexts: [String?] = []
        service.configure("/a") { [weak service] in
            $0.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) {
                    contexts.append(ServiceContext.current?.inMemorySpanContext?.spanID)
                    _ = try await service?.resource("login").request(.post).entity()
                    try await tracer.withSpan("inner") { _ in
                        _ = try await service?.resource("login").request(.post).entity()
                    }
                    isRenewed = true
                })
        }
        fixture.engine.trace(with: tracer)
        var request: Request?
        let caller = calling { request = fixture.resource("a").load() }
        await yielding(until: "the request ends") {
            fixture.settle()
            return request?.state == .completed
        }
        fixture.settle()
        let inner = try #require(tracer.finishedSpans.first { $0.operationName == "inner" })
        #expect(contexts == [caller] && inner.parentSpanID == caller)
        #expect(spans.map(\.operationName) == ["GET", "POST", "POST", "GET"])
        #expect(spans.map(\.parentSpanID) == [caller, caller, inner.spanID, caller])
        #expect(spans.map { attribute("http.request.resend_count", of: $0) } == [nil, nil, nil, 1])
    }

    @Test func `queue × span parent: a request that waits for a slot is below its own caller`() throws {
        let stub = try fixture.stub(.get, "*", isHeld: true, .response())
        fixture.service.configure { $0.limits = RequestLimits(inFlight: 1) }
        fixture.engine.trace(with: tracer)
        let callers = ["a", "b"].map { path in calling { fixture.resource(path).load() } }
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        stub.go()
        fixture.settle()
        #expect(spans.map(\.parentSpanID) == callers)
    }

    @Test func `hooks, chains and timers are at the place of the code that made them`() throws {
        for path in ["a", "b", "c", "d"] { try fixture.stub(.get, path, .response()) }
        let fixture = fixture
        fixture.engine.trace(with: tracer)
        let caller = calling {
            fixture.resource("a").load().onCompletion { _ in fixture.resource("b").load() }
            _ = fixture.resource("a").request(.get).chained { _ in
                .passTo(fixture.resource("c").request(.get))
            }
            fixture.scheduler.after(.seconds(1)) { fixture.resource("d").load() }
        }
        fixture.settle()
        fixture.advance(1)
        #expect(spans.count == 5 && spans.allSatisfy { $0.parentSpanID == caller })
    }

    @Test func `joined load × span: one span below the first caller, with links to the others`() throws {
        let stub = try fixture.stub(.get, "a", isHeld: true, .response())
        fixture.engine.trace(with: tracer)
        let resource = fixture.resource("a")
        let first = calling { resource.loadIfNeeded() }
        fixture.settle()
        let others = (0..<2).map { _ in calling { resource.read { _ in } } }
        resource.read { _ in }
        stub.go()
        fixture.settle()
        #expect(spans.map(\.parentSpanID) == [first])
        #expect(spans[0].links.map { $0.context.inMemorySpanContext?.spanID } == others)
    }

    @Test func `callers that join before the message is sent are linked too`() throws {
        let stub = try fixture.stub(.get, "*", isHeld: true, .response())
        fixture.service.configure { $0.limits = RequestLimits(inFlight: 1) }
        fixture.engine.trace(with: tracer)
        fixture.resource("first").load()
        let resource = fixture.resource("a")
        let callers = (0..<2).map { _ in calling { resource.loadIfNeeded() } }
        stub.go()
        fixture.settle()
        #expect(spans[1].parentSpanID == callers[0])
        #expect(spans[1].links.map { $0.context.inMemorySpanContext?.spanID } == [callers[1]])
    }

    @Test(arguments: ["cancel", "time out", "fail"])
    func `a span ends with its message, in any way`(way: String) throws {
        let stub = try fixture.stub(.get, "a", isHeld: true, .response())
        fixture.engine.trace(with: tracer)
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(tracer.activeSpans.count == 1)
        switch way {
        case "cancel": request.cancel()
        case "fail": fixture.transport.endAll(with: TransportError(.connectionFailed, message: "refused"))
        default: fixture.transport.endAll(with: TransportError(.timeout, message: "too late"))
        }
        fixture.settle()
        #expect(tracer.activeSpans.isEmpty && stub.requests.count == 1)
        let type = ["cancel": "request_cancelled", "fail": "connection_failed"][way] ?? "timeout"
        #expect(spans.map { attribute("error.type", of: $0) } == [.string(type)])
        #expect(spans.map { $0.status?.code } == [way == "cancel" ? nil : .error])
    }

    @Test func `a method that the conventions don't know is in an attribute of its own`() throws {
        try fixture.stub("PURGE", "a", .response())
        fixture.engine.trace(with: tracer)
        fixture.resource("a").request("PURGE")
        fixture.settle()
        #expect(spans.map(\.operationName) == ["HTTP"])
        #expect(attribute("http.request.method", of: spans[0]) == "_OTHER")
        #expect(attribute("http.request.method_original", of: spans[0]) == "PURGE")
    }

    @Test func `a second tracer replaces the first, and another engine has its own`() throws {
        let (other, second) = (EngineFixture(), InMemoryTracer())
        for fixture in [fixture, other] { try fixture.stub(.get, "*", isHeld: true, .response()) }
        let first = fixture.engine.trace(with: tracer)
        var requests = [fixture.resource("a").load()]
        fixture.settle()
        fixture.engine.trace(with: second)
        // It is no longer installed, so this changes nothing.
        first.cancel()
        requests += [fixture.resource("b").load(), other.resource("a").load()]
        for request in requests { request.cancel() }
        fixture.settle()
        other.settle()
        #expect(tracer.finishedSpans.count == 1 && second.finishedSpans.count == 1)
        #expect(other.transport.requests.allSatisfy { !$0.headers.contains(InMemoryTracer.spanIDKey) })
    }

    @Test func `work that goes on for all who observe a resource is below no caller`() throws {
        try fixture.stub(.get, "a", .response())
        fixture.service.configure { $0.refreshSeconds = 10 }
        fixture.engine.trace(with: tracer)
        let resource = fixture.resource("a")
        let caller = calling {
            resource.addObserver(owner: fixture) { _, _ in }
            resource.load()
        }
        fixture.settle()
        fixture.advance(11)
        #expect(spans.map(\.parentSpanID) == [caller, nil])
        resource.removeObservers(ownedBy: fixture)
    }

    @Test func `the tracer of the program is used if none is given`() throws {
        try fixture.stub(.get, "a", .response())
        fixture.engine.trace()
        withTracer(tracer) {
            calling { fixture.resource("a").load() }
            fixture.settle()
        }
        #expect(spans.count == 1 && headers(InMemoryTracer.spanIDKey) == [spans[0].spanID])
    }
}
