import TestSupport
import Testing

@testable import RestEngine

/// A half-open breaker waits for its probe, but not for a request that is never sent (rules 43).
@Suite(.leakChecked) @EngineActor
struct BreakerPermitTests {
    let fixture = EngineFixture()

    init() throws {
        try fixture.configure { $0.configuration.breaker = Self.policy }
        try fixture.stub(.get, "bad", .response(503))
        try fixture.stub(.get, "good", .text(200, "good"))
    }

    /// One failure opens it.
    private static var policy: BreakerPolicy {
        var policy = BreakerPolicy()
        policy.requests = 1
        return policy
    }

    private var breakers: [AttemptFacts.Breaker] { fixture.engine.attemptFacts.breakers }

    private func open() {
        fixture.resource("bad").request(.get)
        fixture.settle()
        #expect(breakers.first?.openSeconds == 5)
    }

    /// The next request is allowed, and closes the breaker.
    private func expectThatItCloses() {
        let next = fixture.resource("good").request(.get)
        fixture.settle()
        #expect(next.info?.response.entity?.text == "good" && breakers.isEmpty)
    }

    private func pipe() -> BodyPipe {
        let pipe = BodyPipe()
        pipe.write(Array("hello".utf8))
        pipe.finish()
        return pipe
    }

    @Test func `43.3: a probe whose streamed body is gone after a refresh is not waited for`() throws {
        var renew: (@EngineActor (RefreshGate.Outcome) -> Void)?
        let gate = RefreshGate()
        let decorator = gate.decorator(when: { $0.httpStatusCode == 401 }) { renew = $0 }
        try fixture.configure("a") { $0.configuration.decorators.append(decorator) }
        try fixture.stub(.post, "a", .response(401))
        let post = fixture.resource("a").request(.post, RequestOptions(body: .stream(pipe())))
        fixture.settle()
        open()
        fixture.advance(5)
        renew?(.renewed)
        fixture.settle()
        let error = try #require(post.info?.response.error)
        #expect("\(error)".contains("its body was streamed, and is gone"))
        expectThatItCloses()
    }

    @Test func `43.3: a repeated request whose body is gone is no probe either, in a limit`() throws {
        try fixture.configure("a") { $0.configuration.limits = RequestLimits(inFlight: 1) }
        try fixture.stub(.put, "a", .text(200, "ok"))
        let first = fixture.resource("a").request(.put, RequestOptions(body: .stream(pipe())))
        fixture.settle()
        #expect(first.info?.response.error == nil)
        open()
        fixture.advance(5)
        let again = first.repeated().start()
        fixture.settle()
        #expect(again.state == .completed && fixture.engine.attemptFacts.limits.first?.inFlight == 0)
        expectThatItCloses()
    }

    @Test func `43.3: a probe that this process has no descriptor for says nothing of the server`() throws {
        let shortage = TransportError(
            .connectionFailed, phase: .connect, message: "too many open files", isShortage: true)
        try fixture.stub(.get, "short", .error(shortage))
        open()
        fixture.advance(5)
        let probe = fixture.resource("short").request(.get)
        fixture.settle()
        #expect(probe.info?.response.error?.code == "connection_failed")
        #expect(breakers.count == 1 && !breakers[0].isProbed, "it is half open still")
        #expect(!fixture.log.contains { $0.text.contains("answers again") })
        expectThatItCloses()
    }

    @Test func `43.2: shortages of this process don't count among the answers`() throws {
        var breaker = CircuitBreaker()
        let shortage = TransportError(.connectionFailed, message: "too many open files", isShortage: true)
        #expect(BreakerOutcome(.failure(shortage)) == .abandoned)
        #expect(BreakerOutcome(.failure(TransportError(.internal, message: "no stub"))) == .abandoned)
        #expect(BreakerOutcome(.failure(TransportError(.tooLarge, message: "large"))) == .succeeded)
        #expect(BreakerOutcome(.failure(TransportError(.timeout, phase: .idle, message: "idle"))) == .failed)
        #expect(BreakerOutcome(.success(TransportResponse(status: 429))) == .succeeded)
        #expect(breaker.note(isFailure: true, wasProbe: false, Self.policy, at: 0) == true)
    }

    @Test(arguments: [true, false])
    func `43.3: a permit that is dropped or ends twice decides nothing more`(isDropped: Bool) {
        let origin = OriginHealth("https://a.test")
        _ = origin.breaker.note(isFailure: true, wasProbe: false, Self.policy, at: 0)
        #expect(origin.breaker.admit(at: 5) == .probe)
        var permit: BreakerPermit? = BreakerPermit(origin, Self.policy, isProbe: true)
        if isDropped {
            permit = nil
            #expect(origin.breaker.state == .halfOpen(isProbed: false))
            return
        }
        #expect(permit?.end(.succeeded, at: 5) == true && permit?.end(.failed, at: 5) == false)
        permit?.abandon()
        #expect(origin.breaker.state == .closed)
    }

    @Test func `43.3: a probe that is redirected to an origin that is left alone closes its own`() throws {
        try fixture.transport.stub(method: .get, urlGlob: "https://other.test/*", .response(503))
        let location = Headers([("Location", "https://other.test/a")])
        try fixture.stub(.get, "away", .response(302, headers: location))
        let first = fixture.resource("away").request(.get)
        fixture.settle()
        #expect(first.info?.response.error?.httpStatusCode == 503)
        open()
        fixture.advance(4)
        #expect(breakers.map(\.origin) == ["https://api.test", "https://other.test"])
        fixture.advance(1)
        fixture.resource("away").request(.get)
        fixture.settle()
        #expect(breakers.map(\.origin) == ["https://other.test"])
        let refused = fixture.resource("away").request(.get)
        fixture.settle()
        #expect(refused.info?.response.error?.code == "circuit_open")
        expectThatOther(refused)
    }

    /// The error names the origin that is refused, and not the one that redirected there.
    private func expectThatOther(_ request: Request) {
        guard case .transport(let error)? = request.info?.response.error?.cause else {
            Issue.record("no cause")
            return
        }
        #expect(error.peer == "https://other.test" && error.retryAt != nil)
    }

    @Test
    func `43.1: a redirect's target that is left alone is reported, not what failed before the redirect`()
        throws
    {
        fixture.engine.random = { 1 }
        try fixture.configure("away") { $0.configuration.retry = RetryPolicy() }
        try fixture.configure { $0.configuration.breaker?.requests = 3 }
        try fixture.transport.stub(method: .get, urlGlob: "https://other.test/*", .response(500))
        let other = fixture.watch(
            Service(engine: fixture.engine, name: "other", baseURL: try BaseURL("https://other.test")))
        other.configure { $0.breaker = Self.policy }
        other.resource("x").request(.get)
        fixture.settle()
        var replies = [
            StubReply.text(503, "first"),
            .response(302, headers: Headers([("Location", "https://other.test/a")])),
        ]
        try fixture.transport.stub(method: .get, urlGlob: "away", base: fixture.service.baseURL) { _ in
            replies.removeFirst()
        }
        let request = fixture.resource("away").request(.get)
        fixture.settle()
        fixture.advance(1)
        let error = try #require(request.info?.response.error)
        #expect(error.code == "circuit_open" && error.httpStatusCode == nil)
        #expect(error.url == "https://other.test/a" && error.attempts.map(\.status) == [503, 302])
        expectThatOther(request)
        other.flushUnusedResources()
    }
}
