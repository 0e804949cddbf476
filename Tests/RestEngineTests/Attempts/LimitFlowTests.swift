import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct LimitFlowTests {
    let fixture = EngineFixture()

    private func limit(_ limits: RequestLimits, _ glob: String? = nil) throws {
        try fixture.configure(glob) { $0.configuration.limits = limits }
    }

    private func code(_ request: Request) -> String? { request.info?.response.error?.code }

    @Test func `42.1: so many are on their way, the others wait their turn`() throws {
        try limit(RequestLimits(inFlight: 2))
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let requests = (0..<5).map { fixture.resource("\($0)").request(.get) }
        fixture.settle()
        #expect(fixture.transport.requests.count == 2)
        #expect(fixture.engine.attemptFacts.limits.first?.waiting == 3)
        fixture.advance(1)
        stub.go()
        fixture.settle()
        #expect(requests.allSatisfy { $0.state == .completed } && fixture.transport.requests.count == 5)
        #expect(
            requests[4].attempts.first?.queued == .seconds(1) && requests[0].attempts.first?.queued == .zero)
        #expect(fixture.engine.attemptFacts.limits.first?.inFlight == 0)
    }

    @Test func `a full queue, and one in which the time ends`() throws {
        var limits = RequestLimits(inFlight: 1)
        limits.queue = 1
        limits.queueTimeout = .seconds(3)
        try limit(limits)
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let requests = (0..<3).map { fixture.resource("\($0)").request(.get) }
        fixture.settle()
        #expect(code(requests[2]) == "queue_full" && requests[2].attempts.isEmpty)
        fixture.advance(3)
        #expect(code(requests[1]) == "timeout")
        guard case .transport(let error)? = requests[1].info?.response.error?.cause else {
            Issue.record("no cause")
            return
        }
        #expect(error.phase == .queue && error.message.contains("waited 3.0 s"), "\(error)")
        #expect(fixture.transport.requests.count == 1)
        stub.go()
        fixture.settle()
        #expect(requests[0].state == .completed && fixture.engine.attemptFacts.limits.first?.inFlight == 0)
    }

    @Test func `the total time ends a wait too`() throws {
        try limit(RequestLimits(inFlight: 1))
        try fixture.configure { $0.configuration.timeouts.total = .seconds(2) }
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let first = fixture.resource("1").request(.get)
        let second = fixture.resource("2").request(.get)
        fixture.advance(2)
        #expect(code(second) == "timeout")
        stub.go()
        fixture.settle()
        #expect(first.state == .completed)
    }

    @Test func `cancelling gives the place back, waiting or on its way`() throws {
        try limit(RequestLimits(inFlight: 1))
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let requests = (0..<3).map { fixture.resource("\($0)").request(.get) }
        fixture.settle()
        requests[1].cancel()
        requests[0].cancel()
        fixture.settle()
        #expect(fixture.transport.requests.map(\.url) == ["https://api.test/v1/0", "https://api.test/v1/2"])
        stub.go()
        fixture.settle()
        #expect(requests[2].state == .completed && fixture.engine.attemptFacts.limits.first?.inFlight == 0)
        #expect(fixture.scheduler.armedTimers == 0)
    }

    @Test func `a retry gives its place back while it waits`() throws {
        fixture.engine.random = { 1 }
        try limit(RequestLimits(inFlight: 1))
        try fixture.configure("bad") { $0.configuration.retry = RetryPolicy() }
        try fixture.stub(.get, "bad", .response(503))
        try fixture.stub(.get, "good", .response(204))
        let bad = fixture.resource("bad").request(.get)
        let good = fixture.resource("good").request(.get)
        fixture.settle()
        #expect(good.state == .completed && bad.state == .inProgress)
        fixture.advance(10)
        fixture.advance(10)
        #expect(bad.state == .completed && fixture.engine.attemptFacts.limits.first?.inFlight == 0)
    }

    @Test func `42.1: a slot that nobody holds any more is given back`() throws {
        let limits = RequestLimits(inFlight: 1)
        let limiter = RequestLimiter(limits, name: "test", engine: fixture.engine)
        var slot: LimitSlot? = try limiter.enter(
            limits, priority: 0, queueKey: "api", timeout: 1, now: { nil }
        ) { _ in }
        #expect(slot?.isWaiting == false && limiter.state.inFlight == 1)
        slot = nil
        #expect(limiter.state.inFlight == 0)
    }

    @Test func `redirects keep their place`() throws {
        try limit(RequestLimits(inFlight: 1))
        try fixture.stub(.get, "a", .response(302, headers: Headers([("Location", "b")])))
        try fixture.stub(.get, "b", .text(200, "b"))
        let first = fixture.resource("a").request(.get)
        let second = fixture.resource("b").request(.get)
        fixture.settle()
        #expect(first.state == .completed && second.state == .completed)
        #expect(fixture.transport.requests.map(\.url.last) == ["a", "b", "b"])
    }

    @Test func `42.5: a 429 holds back what comes, and says when to come again`() throws {
        try limit(RequestLimits(rate: .init(requests: 100)))
        try fixture.stub(.get, "a", .response(429, headers: Headers([("Retry-After", "30")])))
        try fixture.stub(.get, "b", .response(204))
        _ = fixture.resource("a").request(.get)
        fixture.settle()
        let early = fixture.resource("b").request(.get)
        fixture.settle()
        guard case .transport(let error)? = early.info?.response.error?.cause else {
            Issue.record("no cause")
            return
        }
        #expect(error.code == .rateLimited && error.retryAt == 1_000_030)
        fixture.advance(25)
        let later = fixture.resource("b").request(.get)
        fixture.settle()
        #expect(later.state == .inProgress)
        fixture.advance(5)
        #expect(later.info?.response.error == nil && later.state == .completed)
    }

    @Test func `42.1: more places for a limit let those go that wait`() throws {
        try limit(RequestLimits(inFlight: 1), "slow/*")
        try limit(RequestLimits(inFlight: 10), "fast")
        let stub = try fixture.stub(.get, "slow/*", isHeld: true, .response(204))
        try fixture.stub(.get, "fast", .response(204))
        let slow = (0..<4).map { fixture.resource("slow/\($0)").request(.get) }
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        let fast = fixture.resource("fast").request(.get)
        fixture.settle()
        #expect(fast.state == .completed && fixture.transport.requests.count == 5)
        stub.go()
        fixture.settle()
        #expect(slow.allSatisfy { $0.state == .completed })
        #expect(fixture.engine.attemptFacts.limits.first?.inFlight == 0)
    }

    @Test(arguments: [RequestLimits(inFlight: 3), nil])
    func `42.1: a reload that raises a limit, or removes it, lets go those that wait`(
        _ raised: RequestLimits?
    ) throws {
        try limit(RequestLimits(inFlight: 1, rate: .init(requests: 100)))
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let requests = (0..<4).map { fixture.resource("\($0)").request(.get) }
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        _ = fixture.service.redefine(standardTransformers: [], transport: nil)
        try limit(RequestLimits(inFlight: 2))
        if let raised { try limit(raised) } else { try fixture.configure { $0.configuration.limits = nil } }
        #expect(fixture.transport.requests.count == 1, "the definition is not complete")
        fixture.service.definitionIsComplete()
        fixture.settle()
        #expect(fixture.transport.requests.count == (raised == nil ? 4 : 3))
        #expect(fixture.engine.attemptFacts.limits.first?.waiting == (raised == nil ? 0 : 1))
        stub.go()
        fixture.settle()
        #expect(requests.allSatisfy { $0.state == .completed })
        #expect(fixture.engine.attemptFacts.limits.first?.inFlight == 0)
    }

    @Test func `42.1: a reload with an error in a block changes no limit`() throws {
        try limit(RequestLimits(inFlight: 1))
        let stub = try fixture.stub(.get, "**", isHeld: true, .response(204))
        let requests = (0..<2).map { fixture.resource("\($0)").request(.get) }
        fixture.settle()
        struct Fault: Error {}
        try fixture.configure { _ in throw Fault() }
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        #expect(fixture.engine.attemptFacts.limits.first?.mostInFlight == 1)
        stub.go()
        fixture.settle()
        #expect(requests.allSatisfy { $0.state == .completed })
    }

    @Test func `42.1: services share a host's limit, and one of a name`() throws {
        let other = Service(
            engine: fixture.engine, name: "other", baseURL: try BaseURL("https://api.test/v2/"))
        fixture.watch(other)
        try limit(RequestLimits(inFlight: 1))
        other.configure { $0.limits = RequestLimits(inFlight: 1) }
        let stub = try fixture.transport.stub(
            method: nil, urlGlob: "https://**", isHeld: true, .response(204))
        let first = fixture.resource("a").request(.get)
        let second = other.resource("a").request(.get)
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        stub.go()
        fixture.settle()
        #expect(first.state == .completed && second.state == .completed)
        other.flushUnusedResources()
    }

    @Test func `five services, three limits, 1000 requests: rates, order and no starvation`() throws {
        let limits = [
            RequestLimits(rate: .init(requests: 20, burst: 1), scope: .named("a")),
            RequestLimits(rate: .init(requests: 10, burst: 1), scope: .named("b")),
            RequestLimits(inFlight: 4, rate: .init(requests: 5, burst: 1), scope: .named("c")),
        ]
        let services = try (0..<5).map { number in
            let service = Service(
                engine: fixture.engine, name: "s\(number)",
                baseURL: try BaseURL("https://s\(number).test/"))
            service.configure {
                var limits = limits[number % 3]
                limits.queueTimeout = .seconds(100)
                $0.limits = limits
                $0.timeouts.total = nil
            }
            service.configure("/high/*") { $0.priority = 5 }
            return fixture.watch(service)
        }
        var sent: [(time: Double, url: String)] = []
        let clock = fixture.clock
        try fixture.transport.stub(method: nil, urlGlob: "https://**") { request in
            sent.append((clock.uptime, request.url))
            return .response(204, delay: .seconds(0.01))
        }
        var completed = 0
        var failed = 0
        for number in 0..<1000 {
            let path = number % 4 == 0 ? "high/\(number)" : "low/\(number)"
            services[number % 5].resource(path).request(.get).onCompletion {
                completed += 1
                if $0.response.error != nil { failed += 1 }
            }
        }
        for _ in 0..<10_100 { fixture.advance(0.01) }
        #expect(completed == 1000)
        for (place, rate) in [(0, 20.0), (1, 10.0), (2, 5.0)] {
            let times = sent.filter { Int(String($0.url.dropFirst(9).prefix(1)))! % 3 == place }.map(\.time)
            let span = try #require(times.last) - times[0]
            let measured = Double(times.count - 1) / span
            #expect(abs(measured - rate) / rate < 0.05, "\(place): \(measured) in place of \(rate)")
        }
        // The services of one limit alternate, and those of high priority go first.
        let first = sent.filter { $0.url.hasPrefix("https://s0.") || $0.url.hasPrefix("https://s3.") }
        let head = first.dropFirst().prefix(60)
        #expect(head.allSatisfy { $0.url.contains("/high/") })
        let ofFirst = head.count { $0.url.hasPrefix("https://s0.") }
        #expect(abs(ofFirst - 30) <= 2, "\(ofFirst)")
        // 5 a second are 500 in 100 s; the third limit has 200 of them.
        #expect(failed == 0, "\(failed)")
        for service in services { service.flushUnusedResources() }
    }
}
