import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct BreakerFlowTests {
    let fixture = EngineFixture()

    private func code(_ request: Request) -> String? { request.info?.response.error?.code }

    @Test func `43.1: an open breaker fails at once, and its probe is one request`() throws {
        try fixture.configure { $0.configuration.breaker = BreakerPolicy() }
        try fixture.stub(.get, "bad/*", .response(500))
        try fixture.stub(.get, "good*", .response(204))
        for number in 0..<20 {
            fixture.resource("bad/\(number)").request(.get)
            fixture.settle()
        }
        #expect(fixture.log.contains { $0.category == .warning && $0.text.contains("fails too often") })
        let refused = fixture.resource("good").request(.get)
        fixture.settle()
        guard case .transport(let error)? = refused.info?.response.error?.cause else {
            Issue.record("no cause")
            return
        }
        #expect(error.code == .circuitOpen && error.retryAt == 1_000_005 && refused.attempts.isEmpty)
        #expect(fixture.transport.requests.count == 20 && fixture.engine.attemptFacts.breakers.count == 1)
        fixture.advance(5)
        let probes = (0..<10).map { fixture.resource("good\($0)").request(.get) }
        fixture.settle()
        #expect(fixture.transport.requests.count == 21, "one request")
        #expect(probes.map { code($0) }.filter { $0 == "circuit_open" }.count == 9)
        #expect(probes[0].info?.response.error == nil && fixture.engine.attemptFacts.breakers.isEmpty)
    }

    @Test func `43.3: a probe that is cancelled leaves its place to the next`() throws {
        try fixture.configure { $0.configuration.breaker = BreakerPolicy() }
        try fixture.stub(.get, "bad/*", .response(500))
        let held = try fixture.stub(.get, "good", isHeld: true, .response(204))
        for number in 0..<20 { fixture.resource("bad/\(number)").request(.get) }
        fixture.settle()
        fixture.advance(5)
        let probe = fixture.resource("good").request(.get)
        fixture.settle()
        probe.cancel()
        let next = fixture.resource("good").request(.get)
        held.go()
        fixture.settle()
        #expect(next.info?.response.error == nil && next.state == .completed)
    }

    @Test func `43.2: a client's mistakes open no breaker`() throws {
        try fixture.configure { $0.configuration.breaker = BreakerPolicy() }
        try fixture.stub(.get, "a", .response(404))
        try fixture.stub(.get, "b", .response(429))
        for _ in 0..<30 {
            fixture.resource("a").request(.get)
            fixture.resource("b").request(.get)
        }
        fixture.settle()
        #expect(fixture.transport.requests.count == 60)
    }

    @Test func `a retry behind an open breaker is not sent: the failure before it stands`() throws {
        fixture.engine.random = { 1 }
        try fixture.configure {
            $0.configuration.retry = RetryPolicy()
            $0.configuration.breaker = BreakerPolicy()
        }
        try fixture.stub(.get, "a/*", .response(503))
        let requests = (0..<20).map { fixture.resource("a/\($0)").request(.get) }
        fixture.settle()
        fixture.advance(1)
        #expect(requests.allSatisfy { $0.info?.response.error?.httpStatusCode == 503 })
        #expect(fixture.transport.requests.count == 20)
    }
}
