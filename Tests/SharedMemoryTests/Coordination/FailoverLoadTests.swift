import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Hosts that load while their server goes away, or while its replies are cut.
@Suite(.withRedis) @EngineActor struct FailoverLoadTests {
    private func expectData(_ hosts: [TimedHost], count: Int, lease seconds: Double) {
        for host in hosts {
            #expect(host.failures.isEmpty)
            #expect(host.texts.count == count && host.texts.allSatisfy { $0 == "net" })
            // A holder that died, its successor, and commands without an answer. A busy machine gets more.
            let most = 2 * seconds + 3 * TimedHost.timeout + TimedHost.answerSeconds
            #expect(host.longestWait < most + 20, "a read waited \(host.longestWait) s")
        }
    }

    @Test func `Loads go on while a replica takes over for a killed primary`() async throws {
        let lease = 0.5
        let primary = await RedisServer("repl-diskless-sync-delay 0")
        let replica = await RedisServer("replicaof 127.0.0.1 \(primary.port)")
        let addresses = [primary.networkAddress, replica.networkAddress]
        let hosts = try (0..<3).map { _ in try TimedHost(addresses, lease: lease) }
        await running(hosts, until: "a place in the log") { hosts.allSatisfy(\.coordination.isFollowing) }
        for number in 0..<60 {
            for host in hosts { host.read("r\(number)") }
            if number == 20 { primary.kill() }
            if number == 40 {
                let admin = try RedisClient.patient(replica.address)
                #expect(await admin.failure(RedisCommand("REPLICAOF", "NO", "ONE")) == nil)
            }
            await running(hosts, until: "room for more reads") { hosts.allSatisfy { $0.openReads < 5 } }
        }
        await running(hosts, until: "data everywhere") { hosts.allSatisfy { $0.openReads == 0 } }
        expectData(hosts, count: 60, lease: lease)
        // The hosts share loads again.
        await running(hosts, until: "the new primary") {
            hosts.allSatisfy { $0.client.condition.counts.isConnected && $0.coordination.isFollowing }
        }
        let stub = try hosts[0].fixture.stub("GET", "last", isHeld: true, .text(200, "shared"))
        hosts[0].read("last")
        await running(hosts, until: "a request") {
            hosts[0].fixture.transport.requests.last?.url.hasSuffix("last") ?? false
        }
        hosts[1].read("last")
        await running(hosts, until: "a wait") { hosts[1].coordination.waitingLoads == 1 }
        stub.go()
        await running(hosts, until: "data of the other host") { hosts[1].texts.last == "shared" }
        for host in hosts { host.leave() }
    }

    /// Two hosts load the same resources, through a proxy that cuts all replies at the same byte. Returns the
    /// most bytes that came through a connection.
    private func load(_ name: String, from port: Int, cut limit: Int) async throws -> Int {
        let lease = 0.05
        let proxy = CuttingProxy(to: port)
        proxy.limit = limit
        let hosts = try (0..<2).map { _ in try TimedHost([proxy.address], lease: lease) }
        let paths = ["\(name)a", "\(name)b"]
        for path in paths {
            for host in hosts { host.read(path) }
            await running(hosts, until: "data in spite of a cut at \(limit)") {
                hosts.allSatisfy { $0.openReads == 0 }
            }
        }
        expectData(hosts, count: paths.count, lease: lease)
        for host in hosts { host.leave() }
        return proxy.mostPassed
    }

    @Test func `Replies that are cut at any byte cost no load`() async throws {
        let server = await RedisServer()
        let port = server.port
        // The server learns the scripts, and then sends the same replies each time.
        _ = try await load("first", from: port, cut: .max)
        let whole = try await load("whole", from: port, cut: .max)
        #expect(whole > 100)
        let limits = WholeRun.part(Array(0...whole), oneIn: 32)
        // The hosts wait most of the time, so several pairs run at once.
        for start in stride(from: 0, to: limits.count, by: 8) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for limit in limits[start..<min(start + 8, limits.count)] {
                    group.addTask {
                        let passed = try await load("cut\(limit)", from: port, cut: limit)
                        #expect(passed <= limit)
                    }
                }
                try await group.waitForAll()
            }
        }
        withExtendedLifetime(server) {}
    }
}
