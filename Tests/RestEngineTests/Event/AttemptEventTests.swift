import TestSupport
import Testing

@testable import RestEngine

/// Events of attempts, breakers and limits (rule 46.2).
@Suite(.leakChecked) @EngineActor
struct AttemptEventTests {
    let fixture = EngineFixture()

    private func lines(_ kinds: Set<EngineEvent.Kind>) -> Journal {
        let journal = Journal()
        fixture.engine.onEvent(kinds) { event in
            switch event.detail {
            case .breaker(let change):
                journal.note(
                    "\(change.origin) \(change.state.rawValue) \(change.retryAt.map { $0 - event.time } ?? 0)"
                )
            case .limit(let action):
                journal.note(
                    "\(action.scope) \(action.action.rawValue) \(action.waited) \(action.waiting) \(action.inFlight)"
                )
            case .attempt(let attempt):
                journal.note("\(attempt.number) \(attempt.isCancelled) \(attempt.seconds)")
                if attempt.isCancelled { #expect("\(event.tree)".contains("request_cancelled")) }
            default: break
            }
        }
        return journal
    }

    @Test func `46.2 a breaker's changes are reported`() throws {
        fixture.service.configure { $0.breaker = BreakerPolicy() }
        let journal = lines([.breaker])
        let stub = try fixture.stub("GET", "a", .response(500))
        for _ in 0..<20 {
            fixture.resource("a").load()
            fixture.settle()
        }
        #expect(journal.take() == ["https://api.test open 5.0"])
        fixture.advance(5)
        fixture.resource("a").load()
        fixture.settle()
        #expect(journal.take() == ["https://api.test half_open 0.0", "https://api.test open 5.0"])
        fixture.advance(5)
        try fixture.stub("GET", "a", .response())
        fixture.resource("a").load()
        fixture.settle()
        #expect(journal.take() == ["https://api.test half_open 0.0", "https://api.test closed 0.0"])
        #expect(stub.requests.count == 21, "each probe was one request")
    }

    @Test func `46.2 D43 a message took as long as it took, however the clock is set meanwhile`() throws {
        let journal = lines([.attempt])
        try fixture.stub("GET", "a", .response(delay: .seconds(2)))
        fixture.resource("a").load()
        fixture.settle()
        fixture.clock.advance(by: -1000)
        fixture.advance(2)
        #expect(journal.take() == ["1 false 2.0"])
    }

    @Test func `46.2 what a limit does is reported`() throws {
        fixture.service.configure {
            $0.limits = RequestLimits(inFlight: 1)
            $0.limits?.queue = 2
            $0.limits?.queueTimeout = .seconds(4)
        }
        let journal = lines([.limit])
        let stub = try fixture.stub("GET", "**", isHeld: true, .response())
        for path in ["a", "b", "c", "d"] { fixture.resource(path).load() }
        fixture.settle()
        let scope = "https://api.test"
        #expect(
            journal.take() == [
                "\(scope) queued 0.0 1 1", "\(scope) queued 0.0 2 1", "\(scope) refused 0.0 2 1",
            ])
        fixture.advance(1)
        stub.go()
        fixture.settle()
        #expect(journal.take() == ["\(scope) released 1.0 1 1", "\(scope) released 1.0 0 1"])
        try fixture.stub("GET", "**", isHeld: true, .response())
        for path in ["e", "f"] { fixture.resource(path).load() }
        fixture.advance(4)
        #expect(journal.take() == ["\(scope) queued 0.0 1 1", "\(scope) refused 4.0 0 1"])
        fixture.service.wipeResources()
        fixture.settle()
    }

    @Test func `46.2 a message without a waiting request is reported as cancelled`() throws {
        let journal = lines([.attempt])
        try fixture.stub("GET", "a", isHeld: true, .response())
        let request = fixture.resource("a").load()
        fixture.advance(2)
        request.cancel()
        fixture.settle()
        #expect(journal.take() == ["1 true 2.0"])
    }
}
