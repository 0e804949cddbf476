import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct AttemptRulesTests {
    private nonisolated static let senseless: [(String, @Sendable (inout Configuration) -> Void)] = [
        ("retry.attempts is from 2 to 100, got 1", { $0.retry?.attempts = 1 }),
        ("retry.attempts is from 2 to 100, got 101", { $0.retry?.attempts = 101 }),
        ("retry.base is more than 0, got 0.0", { $0.retry?.base = .zero }),
        ("retry.base is more than 0, got -1.0", { $0.retry?.base = .seconds(-1) }),
        ("retry.cap (0.1) is less than .base (0.2)", { $0.retry?.cap = .milliseconds(100) }),
        ("retry.budget is a share from 0 to 1, got 1.5", { $0.retry?.budget = 1.5 }),
        ("retry.budget is a share from 0 to 1, got nan", { $0.retry?.budget = .nan }),
        ("retry.statuses has 200", { $0.retry?.statuses = [200, 503] }),
        ("retry has no effect: timeouts.total (0.2 s)", { $0.timeouts.total = .milliseconds(200) }),
        (
            "limits.queue needs in_flight or rate",
            {
                $0.limits = RequestLimits(); $0.limits?.queue = 5
            }
        ),
        (
            "limits.queue_timeout needs in_flight or rate",
            {
                $0.limits = RequestLimits()
                $0.limits?.queueTimeout = .seconds(1)
            }
        ),
        ("limits sets neither in_flight nor rate", { $0.limits = RequestLimits() }),
        ("limits.in_flight is 1 or more, got 0", { $0.limits = RequestLimits(inFlight: 0) }),
        (
            "limits.queue is 0 or more, got -1",
            {
                $0.limits = RequestLimits(inFlight: 1); $0.limits?.queue = -1
            }
        ),
        (
            "limits.queue_timeout makes no sense with queue = 0",
            {
                $0.limits = RequestLimits(inFlight: 1)
                $0.limits?.queue = 0
                $0.limits?.queueTimeout = .seconds(1)
            }
        ),
        (
            "limits.queue_timeout (200.0 s) is longer than a whole request may take",
            {
                $0.limits = RequestLimits(inFlight: 1)
                $0.limits?.queueTimeout = .seconds(200)
            }
        ),
        ("limits.rate.requests is 1 or more, got 0", { $0.limits = RequestLimits(rate: .init(requests: 0)) }),
        (
            "limits.rate.per is more than 0, got 0.0",
            { $0.limits = RequestLimits(rate: .init(requests: 1, per: .zero)) }
        ),
        (
            "limits.rate.burst is 1 or more, got 0",
            { $0.limits = RequestLimits(rate: .init(requests: 1, burst: 0)) }
        ),
        ("limits.scope has no name", { $0.limits = RequestLimits(inFlight: 1, scope: .named("")) }),
        ("breaker.ratio is more than 0 and at most 1, got 0.0", { $0.breaker?.ratio = 0 }),
        ("breaker.requests is 1 or more, got 0", { $0.breaker?.requests = 0 }),
        ("breaker.window is more than 0, got 0.0", { $0.breaker?.window = .zero }),
        ("breaker.open is more than 0, got -1.0", { $0.breaker?.open = .seconds(-1) }),
        ("stale_if_error is 0 or more", { $0.staleIfError = .seconds(-1) }),
    ]

    @Test("40.3: what makes no sense fails the block", arguments: senseless.indices)
    func senseless(index: Int) throws {
        let (message, edit) = Self.senseless[index]
        let fixture = EngineFixture()
        fixture.service.configure {
            $0.retry = RetryPolicy()
            $0.breaker = BreakerPolicy()
            edit(&$0)
        }
        let request = fixture.resource("a").load()
        fixture.settle()
        let error = try #require(request.info?.response.error)
        #expect("\(error)".contains(message), "\(error)")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `what makes sense is accepted`() throws {
        let fixture = EngineFixture()
        fixture.service.configure {
            $0.retry = RetryPolicy()
            $0.retry?.budget = 0
            $0.timeouts.total = nil
            $0.limits = RequestLimits(rate: .init(requests: 1))
            $0.limits?.queue = 5
            $0.limits?.queueTimeout = .seconds(1000)
            $0.breaker = BreakerPolicy()
        }
        #expect(fixture.resource("a").resolvedConfiguration(for: "GET").failure == nil)
    }
}
