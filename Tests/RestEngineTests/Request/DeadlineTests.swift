import TestSupport
import Testing

@testable import RestEngine

/// The total timeout covers a call as its caller sees it (rules 41.8, 10.13).
@Suite(.leakChecked) @EngineActor
struct DeadlineTests {
    let fixture = EngineFixture()
    let journal = Journal()

    /// Ends the running refresh.
    @EngineActor
    private final class Renewal {
        var done: (@EngineActor (RefreshGate.Outcome) -> Void)?
        var count = 0
        var isIn = false
    }

    private func total(_ seconds: Double, _ glob: String? = nil) throws {
        try fixture.configure(glob) { $0.configuration.timeouts.totalSeconds = seconds }
    }

    private func code(_ request: Request) -> String? {
        guard let error = request.info?.response.error else { return request.state.rawValue }
        guard case .transport(let cause) = error.cause else { return error.code }
        return "\(error.code) \(cause.phase?.rawValue ?? "")"
    }

    private func guarded() throws -> Renewal {
        let (gate, renewal) = (RefreshGate(), Renewal())
        let decorator = gate.decorator(when: { $0.httpStatusCode == 401 }) {
            renewal.count += 1
            renewal.done = $0
        }
        try fixture.configure { $0.configuration.decorators.append(decorator) }
        return renewal
    }

    @Test func `10.13: a refresh that takes longer than a request may is waited for no longer, and goes on`()
        throws
    {
        try total(2)
        try total(100, "patient")
        let renewal = try guarded()
        try fixture.transport.stub(method: .get, urlGlob: "*", base: fixture.service.baseURL) { _ in
            renewal.isIn ? .text(200, "in") : .response(401)
        }
        let hasty = ["a", "b"].map { fixture.resource($0).request(.get) }
        let patient = fixture.resource("patient").request(.get)
        fixture.settle()
        fixture.advance(1.5)
        #expect(hasty.map(code) == ["in_progress", "in_progress"] && renewal.count == 1)
        fixture.advance(0.5)
        #expect(hasty.map(code) == ["timeout total", "timeout total"])
        let error = try #require(hasty[0].info?.response.error)
        #expect("\(error)".contains("the request did not end within 2 seconds"))
        #expect(error.url == "https://api.test/v1/a" && error.attempts.map(\.status) == [401])
        renewal.isIn = true
        renewal.done?(.renewed)
        fixture.settle()
        #expect(patient.info?.response.entity?.text == "in" && renewal.count == 1)
        #expect(fixture.transport.requests.count == 4, "nobody sends what nobody waits for")
        #expect(fixture.scheduler.armedTimers == 0)
    }

    @Test func `10.13: a chained request has the remaining time, its attempts too`() throws {
        fixture.engine.random = { 1 }
        try total(2)
        try fixture.configure {
            $0.configuration.retry = RetryPolicy()
            $0.configuration.retry?.base = .seconds(1)
        }
        try fixture.stub(.get, "a", .response(401, delay: .seconds(1.5)))
        let request = fixture.resource("a").request(.get)
        let chain = request.chained { _ in
            .passTo(self.fixture.resource("b").request(.get).repeated())
        }
        try fixture.stub(.get, "b", .response(503))
        fixture.settle()
        fixture.advance(1.5)
        fixture.settle()
        let last = try #require(fixture.transport.requests.last)
        #expect(last.url == "https://api.test/v1/b" && abs(last.timeouts.totalSeconds - 0.5) < 0.01)
        // Another attempt would begin after the deadline.
        #expect(code(chain) == "http_5xx")
        fixture.advance(10)
        fixture.advance(10)
    }

    @Test func `10.13: a chain sees that the time of its request is over, and may say something else`() throws
    {
        try total(2)
        let late = TransportError(.timeout, phase: .total, message: "late")
        try fixture.stub(.get, "a", .error(late, delay: .seconds(2)))
        let request = fixture.resource("a").request(.get)
        let substitute = request.chained { info in
            let entity = Entity(content: .text("other"), timestamp: 0)
            return info.response.error == nil
                ? .useThisResponse : .useResponse(ResponseInfo(.success(entity)))
        }
        var isAsked = false
        let slow = request.chained(deciding: { _, _ in isAsked = true })
        let again = request.chained { _ in .passTo(request.repeated()) }
        fixture.settle()
        fixture.advance(2)
        #expect(substitute.info?.response.entity?.text == "other")
        #expect(isAsked && code(slow) == "timeout total" && code(again) == "timeout total")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `10.13: a request that somebody else started goes on without the chain`() throws {
        try total(2)
        try total(0, "long")
        let stub = try fixture.stub(.get, "long", isHeld: true, .text(200, "late"))
        try fixture.stub(.get, "a", .response(401))
        let long = fixture.resource("long").request(.get)
        let chain = fixture.resource("a").request(.get).chained { _ in .passTo(long) }
        let endless = long.chained { _ in .useThisResponse }
        fixture.settle()
        fixture.advance(2)
        #expect(code(chain) == "timeout total" && long.state == .inProgress)
        stub.go()
        fixture.settle()
        #expect(long.info?.response.entity?.text == "late")
        #expect(endless.info?.response.entity?.text == "late", "0 is any time")
    }

    @Test func `10.13: a chain that is cancelled or repeated begins its time anew`() throws {
        try total(2)
        _ = try guarded()
        try fixture.stub(.get, "a", .response(401))
        let request = fixture.resource("a").request(.get)
        fixture.advance(1)
        request.cancel()
        fixture.settle()
        #expect(fixture.scheduler.armedTimers == 0)
        let again = request.repeated().start()
        fixture.settle()
        fixture.advance(1.5)
        #expect(again.state == .inProgress)
        fixture.advance(0.5)
        #expect(code(again) == "timeout total")
    }

    @Test func `10.13: work of a custom request in a chain ends with the chain`() throws {
        try total(2)
        let custom = NeverEnding()
        let chain = fixture.resource("a").request(.get).chained { _ in
            .passTo(Request(engine: self.fixture.engine, custom: custom))
        }
        try fixture.stub(.get, "a", .response(401))
        fixture.settle()
        fixture.advance(2)
        #expect(code(chain) == "timeout total" && custom.isCancelled)
    }

    @Test func `41.8: transformers on other threads have the time that is left; what they make is dropped`()
        throws
    {
        try total(2)
        let executor = HeldExecutor(fixture, journal)
        try fixture.configure { $0.configuration.pipeline[.model].add(executor.transformer("A")) }
        try fixture.stub(.get, "*", .text(200, "x", delay: .seconds(1.5)))
        let resource = fixture.resource("a")
        let (load, quick) = (resource.load(), fixture.resource("b").request(.get))
        fixture.advance(1.5)
        fixture.settle()
        #expect(executor.waiting.count == 2)
        executor.go(1)
        fixture.settle()
        #expect(quick.info?.response.entity?.text == "xA")
        fixture.advance(0.5)
        #expect(code(load) == "timeout total" && resource.latestData == nil)
        #expect(executor.waiting.isEmpty && journal.take() == ["A", "cancelled"])
        #expect(fixture.engine.offloadedWork == 0 && fixture.scheduler.armedTimers == 0)
    }

    @Test func `41.8: a failed request keeps its error if its transformers take too long`() throws {
        try total(2)
        let executor = HeldExecutor(fixture, journal)
        try fixture.configure {
            $0.configuration.pipeline[.model].add(executor.transformer("A", errors: true))
        }
        try fixture.stub(.get, "a", .response(404))
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        fixture.advance(2)
        #expect(code(request) == "http_4xx")
    }

    @Test func `41.8: behind a redirect that came at the deadline nothing more is sent`() throws {
        try total(2)
        try fixture.stub(.get, "a", .response(302, headers: Headers([("Location", "b")]), delay: .seconds(2)))
        try fixture.stub(.get, "b", .response(204))
        let request = fixture.resource("a").request(.get)
        fixture.settle()
        fixture.advance(2)
        #expect(code(request) == "timeout total" && fixture.transport.requests.count == 1)
    }
}

@EngineActor
private final class NeverEnding: CustomRequest {
    private var completion: RequestCompletion?
    private(set) var isCancelled = false

    func start(_ completion: RequestCompletion) { self.completion = completion }

    func cancel() {
        isCancelled = true
        completion = nil
    }
}
