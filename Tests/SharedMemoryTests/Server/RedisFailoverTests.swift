import Platform
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Real servers whose primary changes.
@Suite(.withRedis) struct RedisFailoverTests {
    private func set(_ value: String) -> RedisCommand {
        RedisCommand("SET", "k", .text(value), changesData: true)
    }

    private func text(_ client: RedisClient) async -> String? {
        guard case .success(let value) = await client.outcome(RedisCommand("GET", "k")) else {
            return "failure"
        }
        return value.text
    }

    /// Its replicas get the data at once.
    private func primary() async -> RedisServer { await RedisServer("repl-diskless-sync-delay 0") }

    private func replica(of primary: RedisServer) async -> RedisServer {
        await RedisServer("replicaof 127.0.0.1 \(primary.port)")
    }

    /// Has one server follow another, or none.
    private func follow(_ server: RedisServer, _ primary: RedisServer?) async throws {
        let words: [RedisCommand.Argument] =
            primary.map { ["127.0.0.1", .integer($0.port)] } ?? ["NO", "ONE"]
        let admin = try RedisClient.patient(server.address)
        #expect(await admin.failure(RedisCommand(["REPLICAOF"] + words)) == nil)
    }

    /// The writes so far are on the replica.
    private func replicate(_ client: RedisClient) async {
        await yielding(until: "the replica has the data") {
            await client.outcome(RedisCommand("WAIT", "1", "100"))
                == .success(.integer(1))
        }
    }

    @Test func `A replica that takes over for a killed primary is used`() async throws {
        let primary = await self.primary()
        let replica = await replica(of: primary)
        let client = try RedisClient.patient([primary.networkAddress, replica.networkAddress])
        #expect(await client.failure(set("1")) == nil)
        await replicate(client)
        primary.kill()
        await yielding(until: "the loss is known") { client.condition.failure != nil }
        // There is no primary, so commands fail and don't wait.
        #expect(await client.failure(set("2")) != nil)
        try await follow(replica, nil)
        await yielding(until: "the other server is used") { client.condition.counts.isConnected }
        #expect(await text(client) == "1")
        #expect(await client.failure(set("3")) == nil)
        #expect(client.condition.failure == nil)
    }

    @Test func `A primary that becomes a replica is left`() async throws {
        let (first, second) = (await RedisServer(), await RedisServer())
        for check in [1000, 0.02] {
            let client = try RedisClient.patient(
                [first.networkAddress, second.networkAddress], check: check)
            #expect(await client.failure(set("first")) == nil)
            try await follow(first, second)
            if check < 1 {
                // It only reads.
                await yielding(until: "the other server is used") {
                    _ = await text(client)
                    return client.condition.counts.connections == 2
                }
            }
            await yielding(until: "the other server takes a change") {
                await client.failure(set("second")) == nil
            }
            #expect(await text(try RedisClient.patient(second.address)) == "second")
            try await follow(first, nil)
        }
    }

    @Test func `A sentinel leads to the primary, and after a failover to the next`() async throws {
        let primary = await self.primary()
        let replica = await replica(of: primary)
        // A sentinel learns of later replicas after ten seconds.
        await replicate(try RedisClient.patient(primary.address))
        let sentinel = await RedisServer.sentinel(of: primary, name: "main")
        let address = "redis+sentinel://127.0.0.1:\(sentinel.port)/main"
        let client = try RedisClient.patient([address])
        #expect(await client.failure(set("1")) == nil)
        #expect(await text(try RedisClient.patient(primary.address)) == "1")
        await replicate(client)
        let admin = try RedisClient.patient(sentinel.networkAddress)
        await yielding(until: "the failover begins") {
            await admin.failure(RedisCommand("SENTINEL", "FAILOVER", "main")) == nil
        }
        let question = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
        await yielding(until: "the sentinel names the replica") {
            guard case .success(let value) = await admin.outcome(question) else { return false }
            return value.elements?.last?.integer == Int64(replica.port)
        }
        // Without the loss the sentinel would make it a replica, after some seconds.
        primary.kill()
        await yielding(until: "the next primary takes a change") { await client.failure(set("2")) == nil }
        #expect(await text(try RedisClient.patient(replica.address)) == "2")
    }
}
