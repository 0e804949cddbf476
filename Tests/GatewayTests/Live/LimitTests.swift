import RestEngine
import Testing

@testable import Gateway

@Suite struct LimitTests {
    @Test func `A client that is slow to send its request gets 408 and is closed`() async throws {
        try await World.run({ $0.threads = 1 }) { _, site in
            let client = try site.connect()
            try client.send("GET /github/a HTT")
            // The gateway has these bytes when it has answered a later client.
            _ = try site.get("/-/nothing")
            await site.gateway.sweep(times: 9)
            try client.send("P/1.1\r\nHost:")
            _ = try site.get("/-/nothing")
            await site.gateway.sweep(times: 3)
            #expect(try client.answer().status == 408)
            #expect(try client.isClosed())
        }
    }

    @Test func `An idle connection is closed without a word`() async throws {
        try await World.run({ $0.threads = 1 }) { _, site in
            let fresh = try site.connect()
            let used = try site.asking("/-/nothing")
            #expect(try used.answer().status == 404)
            await site.gateway.sweep(times: 62)
            #expect(try fresh.isClosed())
            #expect(try used.isClosed())
        }
    }

    @Test func `The limits work by themselves`() async throws {
        try await World.run({ $0.limits.idleTimeout = 0.02 }) { _, site in
            let client = try site.connect()
            #expect(try client.isClosed())
        }
    }

    @Test func `Waiting for the engine is not idling`() async throws {
        try await World.run { world, site in
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            await site.gateway.sweep(times: 200)
            await world.reply("[1]")
            #expect(try waiting.answer().status == 200)
        }
    }

    @Test func `A client that takes a long answer slowly is not idle`() async throws {
        // More bytes than the system keeps for a connection.
        let body = String(repeating: "x", count: 8 << 20)
        try await World.run(automatic: { _ in .success(.stub(body, type: "application/octet-stream")) }) {
            _, site in
            let client = try Client(port: site.port, receiveBuffer: 64 << 10)
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            // Together these are more sweeps than the limit. Only a few run at once, so that the gateway can
            // write in between.
            for round in 1...7 {
                while try client.takeSome() < round << 20 {}
                await site.gateway.sweep(times: 11)
            }
            #expect(try client.answer().body.utf8.count == body.utf8.count)
            #expect(try client.isClosed())
        }
    }
}
