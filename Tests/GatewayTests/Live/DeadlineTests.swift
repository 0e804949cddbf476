import RestEngine
import Testing

@testable import Gateway

@Suite struct DeadlineTests {
    @Test func `A request that nobody answers is ended by the gateway, its connection goes on`() async throws
    {
        try await World.run({ $0.limits.requestTimeout = 10 }) { world, site in
            let client = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            await site.gateway.sweep(times: 13)
            let answer = try client.answer()
            #expect(answer.status == 504)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.problem("code") == "gateway_timeout")
            // The load goes on, and the next request gets its result.
            await world.reply("[1]")
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let next = try client.answer()
            #expect(next.status == 200)
            #expect(next.body == "[1]")
        }
    }

    @Test func `Without a time of its own the gateway waits twice the configuration's`() async throws {
        try await World.run({ $0.threads = 1 }) { world, site in
            try await world.configure("quick/*") { $0.timeouts.total = .seconds(5) }
            try await world.configure("endless") { $0.timeouts.total = nil }
            let usual = try site.asking("/github/a")
            let endless = try site.asking("/github/endless")
            let quick = try site.asking("/github/quick/a")
            await world.waitForReads(3)
            // The engine has reported its times before this.
            _ = try site.get("/-/services")
            await site.gateway.sweep(times: 13)
            #expect(try quick.answer().problem("code") == "gateway_timeout")
            await site.gateway.sweep(times: 200)
            let late = try site.asking("/github/late")
            await world.waitForReads(4)
            await site.gateway.sweep(times: 40)
            #expect(try usual.answer().status == 504)
            #expect(try endless.answer().status == 504)
            await world.reply("[1]")
            await world.reply("[2]")
            await world.reply("[3]")
            await world.reply("[4]")
            #expect(try late.answer().body == "[4]")
        }
    }

    @Test func `Another time holds from the update on`() async throws {
        try await World.run { world, site in
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            update.limits.requestTimeout = 1
            await site.gateway.commit(try site.gateway.prepare(update))
            let client = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            await site.gateway.sweep(times: 4)
            #expect(try client.answer().status == 504)
        }
    }

    @Test func `A client that does not take its answer is closed, whatever it sends`() async throws {
        let body = String(repeating: "x", count: 16 << 20)
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
            .success(.stub(body, type: "application/octet-stream"))
        }
        try await World.run({ $0.threads = 1 }, automatic: reply) { _, site in
            let client = try Client(port: site.port, receiveBuffer: 64 << 10)
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.takeSome() > 0)
            // The answer goes out in pieces until the kernel's buffers are full. The number of sweeps that
            // see progress depends on the machine. After the last progress it takes sixty sweeps.
            await #expect(throws: Client.Failure.self) {
                for _ in 0..<100 {
                    try client.send("GET ")
                    _ = try site.get("/-/nothing")
                    await site.gateway.sweep(times: 11)
                }
            }
            #expect(try site.get("/-/nothing").status == 404)
        }
    }

    @Test func `A client that takes its answer very slowly is closed`() async throws {
        let body = String(repeating: "x", count: 16 << 20)
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.minAnswerRate = 1 << 20
        }
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
            .success(.stub(body, type: "application/octet-stream"))
        }
        try await World.run(set, automatic: reply) { _, site in
            let client = try Client(port: site.port, receiveBuffer: 64 << 10)
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for round in 1...7 {
                while try client.takeSome() < round * 100_000 {}
                await site.gateway.sweep(times: 11)
            }
            #expect(throws: Client.Failure.self) { try client.answer() }
        }
    }
}
