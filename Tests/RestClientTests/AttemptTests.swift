import RestClient
import Testing

/// Retries, limits and breakers of calls.
struct AttemptTests {
    @Test func `a call is sent again as its level says, and tells of each attempt`() async throws {
        let api = try await StubbedService()
        await EngineActor.run { api.service.engine.random = { 0 } }
        let users = try api.service.endpoint("users") {
            Configure {
                $0.retry = RetryPolicy()
                $0.limits = RequestLimits(inFlight: 1)
                $0.breaker = BreakerPolicy()
            }
        }
        try await api.stub("GET", "users/1", .response(503))
        let error = try #require(
            await #expect(throws: RequestError.self) { try await users.get("1", as: Void.self)() })
        #expect(error.attempt == 3 && error.attempts.map(\.status) == [503, 503, 503])
        try await api.stub("GET", "users/2", .text(200, "two"))
        let response = try await users.get("2", as: String.self).response()
        #expect(response.value == "two" && response.attempts.map(\.status) == [200])
    }

    @Test func `settings that make no sense fail the call, with the place`() async throws {
        let api = try await StubbedService()
        let call = api.service.get("a", as: Void.self) {
            Configure {
                $0.retry = RetryPolicy(); $0.retry?.budget = 2
            }
        }
        let error = try #require(await #expect(throws: RequestError.self) { try await call() })
        #expect("\(error)".contains("retry.budget is a share from 0 to 1"), "\(error)")
        #expect(await api.sent.isEmpty)
    }
}
