import Platform
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

@Suite(.withRedis) struct RedisServerTests {
    private func set(_ value: String) -> RedisCommand {
        RedisCommand("SET", "k", .text(value), changesData: true)
    }

    private static let get = RedisCommand("GET", "k")

    private func text(_ client: RedisClient) async -> String? {
        guard case .success(let value) = await client.outcome(Self.get) else { return "failure" }
        return value.text
    }

    @Test func `It works over both kinds of sockets`() async throws {
        let server = await RedisServer()
        for address in [server.address, server.networkAddress + "/2"] {
            let client = try RedisClient.patient(address)
            #expect(await client.failure(set("1")) == nil)
            #expect(await text(client) == "1")
            #expect(client.condition.counts.version == 3)
        }
    }

    @Test func `A killed server costs nothing, and a new one is found`() async throws {
        let server = await RedisServer()
        let client = try RedisClient.patient(server.address)
        #expect(await client.failure(set("1")) == nil)
        server.kill()
        await yielding(until: "the loss is known") { !client.condition.counts.isConnected }
        #expect(await client.failure(Self.get) == .unreachable)
        #expect(client.condition.failure?.contains("can't be reached") == true)
        await server.start()
        await yielding(until: "the client is connected") { client.condition.counts.isConnected }
        #expect(await text(client) == nil)
        #expect(client.condition.failure == nil)
    }

    @Test func `A paused server costs one timeout, and goes on`() async throws {
        let server = await RedisServer()
        let client = try RedisClient.patient(server.address)
        #expect(await client.failure(set("1")) == nil)
        server.pause()
        #expect(await client.failure(Self.get, timeout: 0.05) == .timedOut)
        #expect(client.condition.failure?.contains("is too slow") == true)
        // Others fail at once.
        #expect(await client.failure(Self.get) != nil)
        await yielding(until: "the server is left") { !client.condition.counts.isConnected }
        server.go()
        await yielding(until: "the client is connected") { client.condition.counts.isConnected }
        #expect(await text(client) == "1")
    }

    @Test func `A full server takes no changes, and is read`() async throws {
        let server = await RedisServer("maxmemory 1mb", "maxmemory-policy noeviction")
        let client = try RedisClient.patient(server.address)
        let kind = await client.failure(set(String(repeating: "x", count: 1 << 20)))
        let next = await client.failure(set("1"))
        #expect(kind == .full || next == .full)
        #expect(client.condition.failure?.contains("is full") == true)
        #expect(await client.failure(Self.get) == nil)
    }

    @Test func `A password is needed`() async throws {
        let server = await RedisServer("requirepass secret-word")
        let with = try RedisClient.patient("unix://:secret-word@\(server.socket)")
        #expect(await with.failure(set("1")) == nil)
        for login in ["", "//:wrong-word@"] {
            let without = try RedisClient.patient("unix:\(login)\(server.socket)")
            #expect(await without.failure(Self.get) == .refused)
            #expect(without.condition.failure?.contains("wrong-word") == false)
        }
    }

    @Test func `A replica without its master takes no changes`() async throws {
        let server = await RedisServer("replicaof 127.0.0.1 \(LoopbackPeer.unusedPort())")
        let client = try RedisClient.patient(server.address)
        #expect(await client.failure(set("1")) == .readOnly)
    }
}
