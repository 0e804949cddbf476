import NIOCore
import Platform
import RestEngine
import Synchronization
import Testing

@testable import Gateway

/// More clients than the limit.
@Suite struct CrowdTests {
    @Test func `One client more closes those that have been idle longest`() async throws {
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.maxConnections = 3
        }
        try await World.run(set) { world, site in
            let idle = try site.asking("/-/services")
            #expect(try idle.answer().status == 200)
            await site.gateway.sweep(times: 1)
            let later = try site.asking("/-/services")
            #expect(try later.answer().status == 200)
            let waiting = try site.asking("/github/a")
            await world.transport.waitForRequests(1)

            let one = try site.asking("/-/services")
            #expect(try one.answer().status == 200)
            #expect(try idle.isClosed())
            try later.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try later.answer().status == 200)
            await world.reply("[1]")
            #expect(try waiting.answer().status == 200)
            #expect(site.gateway.connections == 3)
        }
    }

    @Test func `A request that does not get on gives way as well`() async throws {
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.maxConnections = 1
        }
        try await World.run(set) { _, site in
            let slow = try site.connect()
            try slow.send("GET /-/serv")
            // The gateway has these bytes when it has answered a later client.
            _ = try site.get("/-/health")
            await site.gateway.sweep(times: 2)
            #expect(try site.get("/-/services").status == 200)
            #expect(try slow.isClosed())
        }
    }

    @Test func `When all are busy, one more gets 503, except for health`() async throws {
        let notified = Mutex<[GatewayShortage]>([])
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.maxConnections = 2
            $0.onShortage = { shortage in notified.withLock { $0.append(shortage) } }
        }
        try await World.run(set) { world, site in
            let busy = [try site.asking("/github/a"), try site.asking("/github/b")]
            await world.transport.waitForRequests(2)
            for _ in 0..<20 {
                let third = try site.asking("/github/a")
                let refusal = try third.answer()
                #expect(refusal.status == 503)
                #expect(refusal.problem("code") == "too_many_connections")
                #expect(refusal["Retry-After"] == "1")
                #expect(refusal["Connection"] == "close")
                #expect(try third.isClosed())
            }
            for target in ["/-/health", "/-/ready"] {
                let asking = try site.asking(target)
                #expect(try asking.answer().status == 200)
                #expect(try asking.isClosed())
            }
            #expect(notified.withLock { $0 } == [.connections(limit: 2)])
            #expect(site.gateway.shortages == [.connections(limit: 2)])
            world.clock.advance(by: 61)
            #expect(try site.get("/github/a").status == 503)
            #expect(notified.withLock { $0.count } == 2)
            await world.reply("[1]")
            await world.reply("[2]")
            #expect(try busy.map { try $0.answer().body } == ["[1]", "[2]"])
            #expect(site.gateway.connections == 2)
            #expect(try site.get("/-/services").status == 200)
        }
    }

    @Test func `Silent surplus clients are refused, and the newest are heard`() async throws {
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.maxConnections = 1
        }
        try await World.run(set) { world, site in
            let busy = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            let silent = try (0..<9).map { _ in try site.connect() }
            #expect(try site.get("/-/health").status == 200)
            #expect(try silent[0].isClosed())
            #expect(try silent[1].isClosed())
            await site.gateway.sweep(times: 4)
            #expect(try silent[8].answer().status == 503)
            await world.reply("[1]")
            #expect(try busy.answer().status == 200)
        }
    }

    @Test(arguments: [(64, 8), (96, 24), (256, 144), (1024, 720), (20_000, 10_000)])
    func `There are fewer connections than descriptors`(_ descriptors: Int, connections: Int) {
        #expect(ConnectionRoom(GatewayConfiguration(), descriptors: descriptors).limit == connections)
    }

    @Test func `A client that can't be accepted is reported once a minute, with advice`() {
        let notified = Mutex<[GatewayShortage]>([])
        let clock = TestClock()
        var configuration = GatewayConfiguration()
        configuration.uptime = { clock.uptime }
        configuration.onShortage = { shortage in notified.withLock { $0.append(shortage) } }
        let room = ConnectionRoom(configuration)
        let full = IOError(errnoCode: EMFILE, reason: "accept")
        // The reserve allows it, and is empty afterwards.
        #expect(room.noteRefusal(full))
        #expect(!room.noteRefusal(full))
        #expect(!room.noteRefusal(IOError(errnoCode: ENFILE, reason: "accept")))
        #expect(room.noteRefusal(IOError(errnoCode: ECONNABORTED, reason: "accept")))
        #expect(
            notified.withLock { $0 } == [.descriptors(limit: DescriptorLimit.current), .systemDescriptors])
        #expect(room.enter())
        #expect(room.noteRefusal(full))
        clock.advance(by: 60)
        _ = room.noteRefusal(full)
        #expect(notified.withLock { $0.count } == 3)
        let text = GatewayShortage.descriptors(limit: 256).description
        #expect(text.contains("may have 256") && text.contains("LimitNOFILE"))
    }
}
