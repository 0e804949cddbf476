import RestEngine
import Testing

@testable import Gateway

@Suite struct DrainTests {
    @Test func `67.3 A stopping gateway finishes what is under way and closes the rest`() async throws {
        try await World.run { world, site in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            async let stopped: Void = site.gateway.stop(drain: 30)
            #expect(try idle.isClosed())
            #expect(throws: Client.Failure.self) { try site.connect() }
            await world.reply("[1]")
            let answer = try waiting.answer()
            #expect(answer.body == "[1]")
            #expect(answer["Connection"] == "close")
            #expect(try waiting.isClosed())
            await stopped
        }
    }

    @Test func `When the time is up everything is closed`() async throws {
        try await World.run { world, site in
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            await site.gateway.stop(drain: 0.01)
            #expect(try waiting.isClosed())
            await world.reply("[1]")
        }
    }
}
