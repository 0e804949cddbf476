import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RequestAttemptTests {
    let fixture = EngineFixture()

    @Test func `40.1: a request without trouble has one attempt`() throws {
        try fixture.stub(.get, "a", .text(200, "a", delay: .seconds(2)))
        let request = fixture.resource("a").load()
        #expect(request.attempts.isEmpty, "nothing has ended")
        fixture.settle()
        fixture.advance(2)
        let attempt = try #require(request.attempts.first)
        #expect(request.attempts.count == 1 && attempt.number == 1 && attempt.reason == nil)
        #expect(attempt.status == 200 && attempt.error == nil && attempt.began == 1_000_000)
        #expect(attempt.method == "GET" && attempt.url == "https://api.test/v1/a")
    }

    @Test func `40.1: redirects have an attempt each, with one number`() throws {
        try fixture.stub(.post, "a", .response(303, headers: Headers([("Location", "b")])))
        try fixture.stub(.get, "b", .text(200, "b"))
        let request = fixture.resource("a").request(.post)
        fixture.settle()
        #expect(request.attempts.map(\.number) == [1, 1])
        #expect(request.attempts.map(\.status) == [303, 200])
        #expect(request.attempts.map(\.method) == ["POST", "GET"])
        #expect(request.attempts.map(\.reason) == [nil, .redirect(303)])
        #expect(
            "\(request.attempts[1])" == "1. GET https://api.test/v1/b because of redirect: 200 OK in 0 ms")
    }

    @Test func `40.2: an error has the attempts of its request`() throws {
        let refused = TransportError(.connectionFailed, phase: .connect, message: "cannot connect")
        try fixture.stub(.get, "a", .error(refused, delay: .seconds(0.5)))
        try fixture.stub(.get, "b", .text(404, "no"))
        let resource = fixture.resource("a")
        resource.load()
        let other = fixture.resource("b").load()
        fixture.settle()
        fixture.advance(0.5)
        let error = try #require(resource.latestError)
        #expect(error.attempt == 1 && error.attempts.count == 1)
        #expect(error.attempts.first?.error == refused && error.attempts.first?.status == nil)
        #expect(error.attempts.first?.timings.totalSeconds == 0.5)
        #expect(other.info?.response.error?.attempts.map(\.status) == [404])
        let again = other.repeated().start()
        fixture.settle()
        #expect(again.info?.response.error?.attempt == 2 && again.attempts.map(\.number) == [2])
    }

    @Test func `40.2: a chain has the attempts of the request that it waited for last`() throws {
        try fixture.stub(.get, "a", .text(500, "no"))
        let request = fixture.resource("a").request(.get)
        let chain = request.chained { _ in .useThisResponse }
        chain.start()
        fixture.settle()
        #expect(chain.attempts.map(\.status) == [500])
        #expect(chain.info?.response.error?.attempts.map(\.status) == [500])
    }

    @Test func `40.2: what was never sent has none`() throws {
        let request = fixture.service.resource(absoluteURL: "a b").load()
        fixture.settle()
        #expect(request.attempts.isEmpty && request.info?.response.error?.attempts.isEmpty == true)
        #expect(request.info?.response.error?.attempt == 1)
    }
}
