import CoreMetrics
import MetricsTestKit
import RestEngine
import RestMetrics
import TestSupport
import Testing

/// The metrics of an engine.
@Suite(.leakChecked) @EngineActor
struct MetricsTests {
    let fixture = EngineFixture()
    let metrics = TestMetrics()

    private final class Server { var status = 500 }

    private func count(_ name: String, _ labels: [(String, String)]) -> Int64 {
        metrics.counterTotal(label: name, dimensions: labels)
    }

    private var inFlight: Double? { metrics.meters(label: "resthost_open_requests").first?.lastValue }

    @Test func `requests and messages are counted by service, method and outcome`() throws {
        var statuses = [503, 200]
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(statuses.removeFirst(), delay: .milliseconds(250))
        }
        try fixture.stub(.post, "b", .response(404))
        fixture.service.configure { $0.retry = RetryPolicy() }
        fixture.engine.random = { 0 }
        fixture.engine.recordMetrics(to: metrics)
        fixture.resource("a").load()
        fixture.resource("b").request(.post)
        fixture.settle()
        for _ in 0..<20 { fixture.advance(0.25) }
        let requests = "resthost_upstream_requests_total"
        #expect(count(requests, [("service", "api"), ("method", "GET"), ("outcome", "2xx")]) == 1)
        #expect(count(requests, [("service", "api"), ("method", "POST"), ("outcome", "http_4xx")]) == 1)
        let messages = metrics.counters(label: "resthost_upstream_messages_total")
        #expect(
            Set(messages.map { $0.dimensions.map(\.1).joined(separator: " ") }) == [
                "api GET first 5xx", "api GET 503 2xx", "api POST first 4xx",
            ])
        let timer = try metrics.expectTimer("resthost_upstream_request_seconds", [("service", "api")])
        #expect(timer.values.count == 2 && timer.values.allSatisfy { $0 <= 5_000_000_000 })
        #expect(timer.values.contains { $0 >= 500_000_000 })
        let transforms = try metrics.expectTimer("resthost_transform_seconds", [("service", "api")])
        #expect(transforms.values == [0])
        #expect(inFlight == 0)
    }

    @Test(arguments: ["cancel", "time out", "end"])
    func `requests in flight are counted until they end in any way`(way: String) throws {
        let stub = try fixture.stub(.get, "a", isHeld: true, .response())
        fixture.engine.recordMetrics(to: metrics)
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(inFlight == 1)
        switch way {
        case "cancel": request.cancel()
        case "end": stub.go()
        default: fixture.transport.endAll(with: TransportError(.timeout, message: "too late"))
        }
        fixture.settle()
        #expect(inFlight == 0)
        let outcomes = metrics.counters(label: "resthost_upstream_requests_total").map { $0.dimensions[2].1 }
        #expect(outcomes == [["cancel": "request_cancelled", "end": "2xx"][way] ?? "timeout"])
    }

    @Test func `a request that was in flight before is not counted as one less`() throws {
        let stub = try fixture.stub(.get, "a", isHeld: true, .response())
        fixture.resource("a").load()
        fixture.settle()
        fixture.engine.recordMetrics(to: metrics)
        stub.go()
        fixture.settle()
        #expect(inFlight == nil)
        #expect(metrics.counters(label: "resthost_upstream_requests_total").count == 1)
    }

    @Test func `a breaker's changes are counted, and a gauge says whether it is open`() throws {
        let server = Server()
        try fixture.transport.stub(method: .get, urlGlob: "*", base: fixture.service.baseURL) { _ in
            .response(server.status)
        }
        fixture.service.configure { $0.breaker = BreakerPolicy() }
        fixture.engine.recordMetrics(to: metrics)
        let origin = ("origin", "https://api.test")
        func open() throws -> Double? { try metrics.expectMeter("resthost_breaker_open", [origin]).lastValue }
        for number in 0..<20 { fixture.resource("\(number)").request(.get) }
        fixture.settle()
        #expect(try open() == 1)
        fixture.resource("a").request(.get)
        fixture.settle()
        let refused = [("service", "api"), ("method", "GET"), ("outcome", "circuit_open")]
        #expect(count("resthost_upstream_requests_total", refused) == 1)
        server.status = 200
        fixture.advance(5)
        fixture.resource("a").request(.get)
        fixture.settle()
        #expect(try open() == 0)
        for state in ["open", "half_open", "closed"] {
            #expect(count("resthost_breaker_changes_total", [origin, ("state", state)]) == 1)
        }
    }

    @Test func `a limit's waits and refusals are counted, and the time of the waits`() throws {
        let stub = try fixture.stub(.get, "*", isHeld: true, .response())
        fixture.service.configure {
            $0.limits = RequestLimits(inFlight: 1, scope: .service)
            $0.limits?.queue = 1
        }
        fixture.engine.recordMetrics(to: metrics)
        for path in ["a", "b", "c"] { fixture.resource(path).request(.get) }
        fixture.settle()
        fixture.advance(2)
        stub.go()
        fixture.settle()
        let limit = ("limit", "service api")
        for action in ["queued", "released", "refused"] {
            #expect(count("resthost_limit_actions_total", [limit, ("action", action)]) == 1, "\(action)")
        }
        let waits = try metrics.expectTimer("resthost_limit_wait_seconds", [limit])
        #expect(waits.values.max() == 2_000_000_000)
    }

    @Test func `hits and misses of caches are counted`() throws {
        try fixture.stub(.get, "a", .json(200, "{}"))
        let cache = MemoryCache()
        try fixture.configure { $0.configuration.pipeline["model"].cache = cache }
        fixture.engine.recordMetrics(to: metrics)
        for _ in 0..<2 {
            fixture.resource("a").loadIfNeeded()
            fixture.settle()
            fixture.service.flushUnusedResources()
        }
        let results = metrics.counters(label: "resthost_cache_operations_total").map {
            $0.dimensions.map(\.1).suffix(2).joined(separator: " ")
        }
        #expect(Set(results).isSuperset(of: ["read miss", "write done", "read hit"]), "\(results)")
    }

    @Test func `handlers are made once for each set of labels, and their number has a limit`() throws {
        try fixture.stub(.get, "a", .response())
        fixture.engine.recordMetrics(to: metrics)
        for _ in 0..<3 {
            fixture.resource("a").load()
            fixture.settle()
        }
        #expect(metrics.counters(label: "resthost_upstream_requests_total").map(\.values) == [[1, 1, 1]])
        for number in 0..<600 {
            let change = EngineEvent.BreakerChange(origin: "https://\(number).test", state: .open)
            fixture.engine.notify(.breaker, EngineEvent(time: 0, service: "api", .breaker(change)))
        }
        let changes = metrics.counters(label: "resthost_breaker_changes_total")
        #expect(changes.count == 501)
        #expect(
            count("resthost_breaker_changes_total", [("origin", "other"), ("state", "other")]) == 100)
    }

    @Test func `a second recording replaces the first, and two engines add up`() throws {
        let other = EngineFixture()
        for fixture in [fixture, other] { try fixture.stub(.get, "a", isHeld: true, .response()) }
        let first = TestMetrics()
        fixture.engine.recordMetrics(to: first)
        let early = fixture.resource("a").load()
        fixture.settle()
        fixture.engine.recordMetrics(to: metrics)
        #expect(first.meters.first?.lastValue == 0)
        other.engine.recordMetrics(to: metrics)
        var requests = [fixture.resource("b").load(), other.resource("a").load()]
        #expect(inFlight == 2)
        requests.append(early)
        for request in requests { request.cancel() }
        fixture.settle()
        other.settle()
        #expect(inFlight == 0 && first.counters.isEmpty)
        let cancelled = [("service", "api"), ("method", "GET"), ("outcome", "request_cancelled")]
        #expect(count("resthost_upstream_requests_total", cancelled) == 3)
    }

    @Test func `the factory of the task is used if none is given`() throws {
        try fixture.stub(.get, "a", .response())
        withMetricsFactory(metrics) { _ = fixture.engine.recordMetrics() }
        fixture.resource("a").load()
        fixture.settle()
        #expect(metrics.counters(label: "resthost_upstream_requests_total").count == 1)
    }
}
