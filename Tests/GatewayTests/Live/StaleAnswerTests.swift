import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Stale data that is sent on purpose, and attempts, as clients see them.
@Suite struct StaleAnswerTests {
    /// An upstream that answers until the test lets it fail.
    private final class Upstream: Sendable {
        let fails = Atomic<Bool>(false)

        var reply: @EngineActor @Sendable (TransportRequest) -> TransportResult {
            { _ in
                let fails = self.fails.load(ordering: .relaxed)
                return .success(.stub(fails ? #"{"message":"down"}"# : "[1]", status: fails ? 503 : 200))
            }
        }
    }

    @Test func `44.2 Old data stands in for an upstream in trouble`() async throws {
        let upstream = Upstream()
        try await World.run(automatic: upstream.reply) { world, site in
            try await world.configure("**") { $0.staleIfError = .seconds(60) }
            _ = try site.get("/github/a")
            upstream.fails.store(true, ordering: .relaxed)
            world.clock.advance(by: 40)
            let answer = try site.get("/github/a")
            #expect(answer.status == 200 && answer.body == "[1]")
            #expect(answer["Cache-Status"] == "resthost; hit; ttl=-10; detail=http_5xx")
            #expect(answer["Age"] == "40" && answer["Cache-Control"] == "max-age=30")
            world.clock.advance(by: 51)
            #expect(try site.get("/github/a").status == 503)
        }
    }

    @Test func `44.2 57.3 Old data stands in for a stream of events that can't be had`() async throws {
        try await World.run { world, site in
            try await world.configure("**") {
                $0.stream = .events
                $0.staleIfError = .seconds(60)
            }
            let first = try site.asking("/github/live")
            await world.transport.waitForRequests(1)
            await world.stream("data: [1]\n\n", beginning: true)
            #expect(try first.answer().body == "[1]")
            for (seconds, status) in [(40.0, 200), (51, 502)] {
                world.clock.advance(by: seconds)
                let known = await world.transport.requests.count
                let client = try site.asking("/github/live")
                await world.transport.waitForRequests(known + 1)
                await world.failStream()
                let answer = try client.answer()
                #expect(answer.status == status)
                guard status == 200 else { continue }
                #expect(answer["Cache-Status"] == "resthost; hit; ttl=-10; detail=connection_failed")
            }
        }
    }

    @Test func `44.1 Old data is served while it is loaded anew`() async throws {
        try await World.run(automatic: Upstream().reply) { world, site in
            try await world.configure("**") { $0.staleWhileRevalidate = .seconds(60) }
            _ = try site.get("/github/a")
            world.clock.advance(by: 40)
            let answer = try site.get("/github/a")
            #expect(answer["Cache-Status"] == "resthost; hit; ttl=-10; detail=revalidating")
            await world.transport.waitForRequests(2)
        }
    }

    @Test func `44.4 Offline it serves what it has, and nothing else`() async throws {
        try await World.run(automatic: Upstream().reply) { world, site in
            _ = try site.get("/github/a")
            await world.goOffline()
            world.clock.advance(by: 1000)
            #expect(try site.get("/github/a")["Cache-Status"] == "resthost; hit; ttl=-970; detail=offline")
            let client = try site.connect()
            try client.send("GET /github/b HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await world.waitForReads(3)
            await world.settle()
            let missing = try client.answer()
            #expect(missing.status == 503 && missing.problem("code") == "offline")
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `Server-Timing lists several attempts, but not a single one`() async throws {
        let count = Atomic<Int>(0)
        try await World.run(automatic: { _ in
            let number = count.add(1, ordering: .relaxed).newValue
            return .success(.stub("[1]", status: number == 1 ? 503 : 200))
        }) { world, site in
            try await world.configure("**") { $0.retry = RetryPolicy() }
            await world.takeRandom(0)
            let answer = try site.get("/github/a")
            #expect(answer.status == 200)
            #expect(
                answer["Server-Timing"] == "attempt-1;dur=0.0;desc=\"503\", attempt-2;dur=0.0;desc=\"200\"")
            #expect(try site.get("/github/b")["Server-Timing"] == nil)
        }
    }

    @Test(arguments: [
        (TransportError.Code.circuitOpen, 502), (.rateLimited, 503), (.offline, 503),
    ])
    func `A refusal by the host itself says when to come again`(_ code: TransportError.Code, status: Int) {
        let path = ResourcePath(service: "s", path: "", query: nil)
        let error = TransportError(code, message: "m", peer: "https://a.test", retryAt: 104.5)
        let problem = Problem(RequestError(cause: .transport(error), timestamp: 100), reading: path)
        #expect(problem.status == status && problem.code == code.rawValue)
        #expect(problem.fields["Retry-After"] == "5")
        #expect(problem.detail == "m")
    }
}

extension World {
    @EngineActor
    fileprivate func goOffline() { engine.isOffline = true }

    /// The newest stream of the API breaks before its answer.
    @EngineActor
    fileprivate func failStream() {
        transport.streamed.streams.last?.complete(
            .failure(TransportError(.connectionFailed, phase: .connect, message: "down")))
        settle()
    }

    @EngineActor
    fileprivate func takeRandom(_ random: Double) { engine.random = { random } }
}
