import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Metrics while somebody sets the clock.
@Suite struct ClockTests {
    private struct ClockSetter: Transformer {
        let clock: TestClock
        var description: String { "sets the clock back" }

        func process(_ response: Response, _ context: PipelineContext) -> Response {
            clock.set(by: -1000)
            clock.advance(by: 2)
            return response
        }
    }

    @Test func `65.4 D43 A pipeline took as long as it took, however the clock is set`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let setter = ClockSetter(clock: world.clock)
            try await world.configure("**") { $0.pipeline[.model].add(setter) }
            _ = try site.get("/-/metrics")
            #expect(try site.get("/github/a").status == 200)
            let text = try PrometheusText(try site.get("/-/metrics").body)
            #expect(text["resthost_transform_seconds_sum{service=\"github\"}"] == 2)
        }
    }
}
