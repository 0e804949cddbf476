import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Observers of one host see the data of another.
@Suite(.withRedis) @EngineActor struct RedisUpdatesTests {
    @Test func `Observers of all hosts see the data that one of them loads`() async throws {
        let server = await RedisServer()
        let hosts =
            [try CoordinatedHost(server), try CoordinatedHost(server)] + (try hostsWithCaches(server))
        let events = hosts.map { _ in Journal() }
        await follow(hosts)
        for (host, events) in zip(hosts, events) {
            try host.fixture.stub("GET", "a", .text(200, "one"))
            host.fixture.resource("a").addObserver(owner: events) { [unowned events] resource, event in
                if case .newData = event { events.note(resource.latestData?.content.text ?? "nothing") }
            }
        }
        // The message is sent when the server knows the followers.
        await reach("followers", hosts) { hosts.allSatisfy { $0.client.openCommands == 0 } }
        for loader in [0, 2, 3] {
            let host = hosts[loader]
            for host in hosts { host.fixture.advance(1) }
            try host.fixture.stub("GET", "a", .text(200, "by \(loader)"))
            if loader != 0 { host.fixture.resource("a").load() }
            host.fixture.resource("a").loadIfNeeded()
            let others = loader == 0 ? hosts[0...1] : hosts[2...3]
            await reach("the data of \(loader)", hosts) {
                others.allSatisfy { $0.text("a") == "by \(loader)" }
            }
        }
        #expect(events[0].lines == ["by 0"] && events[1].lines == events[0].lines)
        #expect(events[2].lines.suffix(2) == ["by 2", "by 3"] && events[3].lines == events[2].lines)
        leave(hosts)
    }

    @Test func `A server that restarts empty learns of the followers again`() async throws {
        let server = await RedisServer()
        let hosts = [try CoordinatedHost(server), try CoordinatedHost(server)]
        let owner = Journal()
        for host in hosts { try host.fixture.stub("GET", "*", .text(200, "net")) }
        await follow(hosts)
        hosts[1].fixture.service.resource("a", partition: "ada").addObserver(owner: owner) { _, _ in }
        hosts[0].fixture.resource("b").outdate()
        await reach("an entry of the log", hosts) { hosts[0].coordination.waitingChanges == 0 }
        _ = await hosts[0].client.outcome(RedisCommand("FLUSHALL"))
        hosts[0].fixture.resource("b").outdate()
        await reach("a new log", hosts) { hosts.allSatisfy { $0.coordination.changes.missed == 2 } }
        await reach("followers", hosts) { hosts.allSatisfy { $0.client.openCommands == 0 } }
        for name in ["bob", "ada"] {
            hosts[0].fixture.service.resource("a", partition: name).loadIfNeeded()
        }
        await reach("the data of a partition", hosts) {
            hosts[1].fixture.service.resource("a", partition: "ada").latestData != nil
        }
        #expect(hosts[1].fixture.service.resource("a", partition: "bob").latestData == nil)
        #expect(hosts[1].requests == 0)
        leave(hosts)
    }
}
