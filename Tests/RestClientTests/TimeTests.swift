import RestClient
import TestSupport
import Testing

/// The time that a call may take, on a clock that the test moves (rules 79).
@Suite(.leakChecked) @EngineActor
struct TimeTests {
    let fixture = EngineFixture()

    private func call(_ path: Path) -> Call<Tree> { fixture.service.get(path) }

    private func outcome(_ request: Request) -> String {
        guard let info = request.info else { return request.state.rawValue }
        return info.response.error?.code ?? "success"
    }

    @Test func `79.8 a refresh, a chain and a transformer are part of the time`() throws {
        try fixture.stub(.get, "refreshed", .response(401))
        try fixture.stub(.get, "*", .json(200, "{}"))
        try fixture.stub(.get, "refreshed", .response(401))
        let gate = RefreshGate()
        fixture.service.configure("refreshed") {
            $0.decorators.append(gate.decorator(when: { $0.httpStatusCode == 401 }) { _ in })
        }
        fixture.service.configure("chained") {
            $0.decorators.append { _, request in request.chained(deciding: { _, _ in }) }
        }
        let clock = fixture.clock
        // It holds up the loop, and so the timers.
        fixture.service.configure("transformed") { $0.pipeline["model"].add(SlowTransformer(clock: clock)) }
        for path in ["refreshed", "chained", "transformed"] {
            let request = call("\(path)").timeout(.milliseconds(200)).start()
            fixture.settle()
            if path != "transformed" {
                #expect(outcome(request) == "in_progress", "\(path)")
                fixture.advance(0.2)
            }
            #expect(outcome(request) == "timeout", "\(path)")
        }
    }

    @Test func `79.8 of a timeout of zero or less nothing is sent, with a chain or without`() throws {
        try fixture.stub(.get, "**", .json(200, "{}"))
        fixture.service.configure("chained") {
            $0.decorators.append { _, request in request.chained { _ in .useThisResponse } }
        }
        for path in ["plain", "chained"] {
            for timeout in [Duration.zero, .seconds(-1), .seconds(-1e12)] {
                let request = call("\(path)").timeout(timeout).start()
                fixture.settle()
                #expect(outcome(request) == "timeout", "\(path) \(timeout)")
                let text = "\(request.info?.response.error as Any)"
                #expect(text.contains("over before it began"))
            }
        }
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `79.8 nil is no limit`() throws {
        try fixture.stub(.get, "a", .json(200, "{}", delay: .hours(100)))
        let request = call("a").timeout(.seconds(1)).timeout(nil).start()
        fixture.settle()
        fixture.advance(359_999)
        #expect(outcome(request) == "in_progress")
        fixture.advance(1)
        #expect(outcome(request) == "success")
    }

    @Test func `79.8 a deadline that is over ends the call at once, another one in time`() throws {
        try fixture.stub(.get, "*", .json(200, "{}"))
        fixture.service.configure("chained") {
            $0.decorators.append { _, request in request.chained(deciding: { _, _ in }) }
        }
        let now = ContinuousClock.now
        for path in ["plain", "chained"] {
            let late = call("\(path)").deadline(now - .seconds(1)).start()
            fixture.settle()
            #expect(outcome(late) == "timeout" && fixture.transport.requests.isEmpty, "\(path)")
        }
        let deadline = now + .seconds(1000)
        let plain = call("plain").deadline(deadline).timeout(nil).start()
        fixture.settle()
        let limit = fixture.transport.requests.last?.timeouts.total ?? .zero
        #expect(outcome(plain) == "success" && limit > .seconds(900) && limit <= .seconds(1000))
        let request = call("chained").deadline(deadline).timeout(.seconds(2000)).start()
        let hasty = call("chained").deadline(deadline).timeout(.seconds(1)).start()
        fixture.settle()
        fixture.advance(1)
        #expect(outcome(hasty) == "timeout" && outcome(request) == "in_progress")
        fixture.advance(999)
        #expect(outcome(request) == "timeout")
        #expect(call("a").deadline(now) != call("a") && call("a").deadline(now).deadline(nil) == call("a"))
    }
}

private struct SlowTransformer: Transformer {
    let clock: ManualClock
    var description: String { "slow" }

    func process(_ response: Response, _ context: PipelineContext) -> Response {
        clock.advance(by: 1.5)
        return response
    }
}
