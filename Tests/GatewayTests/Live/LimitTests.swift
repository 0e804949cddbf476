import RestEngine
import Testing

@testable import Gateway

@Suite struct LimitTests {
    @Test func `A client that is slow to send its request is told so and closed`() async throws {
        try await World.run({ $0.limits.headerTimeout = 0.02 }) { _, site in
            let client = try site.connect()
            try client.send("GET /github/a HTT")
            #expect(try client.answer().status == 408)
            #expect(try client.isClosed())
        }
    }

    @Test func `An idle connection is closed without a word`() async throws {
        try await World.run({ $0.limits.idleTimeout = 0.02 }) { _, site in
            let fresh = try site.connect()
            #expect(try fresh.isClosed())
            let used = try site.asking("/-/nothing")
            #expect(try used.answer().status == 404)
            #expect(try used.isClosed())
        }
    }

    @Test func `Waiting for the engine is not idling`() async throws {
        try await World.run({
            $0.limits.idleTimeout = 0.02
            $0.limits.headerTimeout = 0.02
        }) { world, site in
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            // Opened later, closed for idling: so the first one was swept as often.
            #expect(try site.connect().isClosed())
            await world.reply("[1]")
            #expect(try waiting.answer().status == 200)
        }
    }

    @Test func `One connection too many is told to come back`() async throws {
        try await World.run({ $0.limits.maxConnections = 2 }) { _, site in
            let first = try site.asking("/-/services")
            let second = try site.asking("/-/services")
            #expect(try first.answer().status == 200)
            #expect(try second.answer().status == 200)
            let third = try site.connect()
            let refusal = try third.answer()
            #expect(refusal.status == 503)
            #expect(refusal["Retry-After"] == "1")
            #expect(try third.isClosed())
        }
    }
}
