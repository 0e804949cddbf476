import Platform
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

@Suite(.withRedis) @EngineActor struct RedisCacheTests {
    private func cache(
        _ fixture: EngineFixture, _ client: RedisClient, prefix: String = "test", most: Int = 8 << 20,
        compresses: Bool = false, user: @escaping @EngineActor () -> String? = { "" }
    ) throws -> RedisCache {
        var settings = RedisCache.Settings(try #require(RedisKeys(prefix: prefix)))
        settings.mostEntryBytes = most
        settings.compresses = compresses
        return RedisCache(engine: fixture.engine, client: client, settings, user: user)
    }

    /// The text of an entity, `none`, or `failed`.
    private func read(_ cache: RedisCache, _ fixture: EngineFixture, _ path: String) async throws -> String {
        let key = try #require(try cache.key(for: fixture.resource(path), stage: "model"))
        let result = await waiting(for: "an entity") { done in cache.read(key) { done($0) } }
        guard case .success(let entity) = result else { return "failed" }
        guard case .text(let text) = entity?.content else { return "none" }
        return text
    }

    private func write(
        _ text: String, _ cache: RedisCache, _ fixture: EngineFixture, _ path: String
    ) async throws -> Bool {
        let key = try #require(try cache.key(for: fixture.resource(path), stage: "model"))
        let failure = await waiting(for: "a write") { done in
            cache.write(Entity(content: .text(text), timestamp: 1), for: key) {
                done($0.map { "\($0)" } ?? "")
            }
        }
        return failure == ""
    }

    @Test(arguments: [false, true])
    func `22.2 it does what the engine asks of a cache`(compresses: Bool) async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let client = try RedisClient.patient(server.address)
        var user = ""
        let cache = try cache(fixture, client, compresses: compresses) { user }
        #expect(
            await EntityCacheConformance.check(cache, on: fixture.engine, keepsLatestTime: true) { user = $0 }
                == [])
        #expect(fixture.engine.offloadedWork == 0)
        #expect(fixture.log.isEmpty)
    }

    @Test func `Entries of a service are removed by their URLs, and others stay`() async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let cache = try cache(fixture, RedisClient.patient(server.address))
        for number in 0..<1200 { #expect(try await write("x", cache, fixture, "/old/\(number)")) }
        #expect(try await write("kept", cache, fixture, "/new"))
        let failure = await waiting(for: "the removal") { done in
            cache.removeAll(of: "api") { _, url in
                url.contains("/old/")
            } completion: {
                done($0.map { "\($0)" } ?? "")
            }
        }
        #expect(failure == "")
        #expect(try await read(cache, fixture, "/old/7") == "none")
        #expect(try await read(cache, fixture, "/old/1199") == "none")
        #expect(try await read(cache, fixture, "/new") == "kept")
    }

    @Test func `Another prefix has other entries`() async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let client = try RedisClient.patient(server.address)
        let one = try cache(fixture, client, prefix: "one")
        let two = try cache(fixture, client, prefix: "two")
        #expect(try await write("one", one, fixture, "/a"))
        #expect(try await read(two, fixture, "/a") == "none")
        #expect(try await read(one, fixture, "/a") == "one")
    }

    @Test func `Damaged and foreign entries are missing, with one warning`() async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let client = try RedisClient.patient(server.address)
        let cache = try cache(fixture, client)
        #expect(try await write("x", cache, fixture, "/a"))
        guard case .success(let keys) = await client.outcome(RedisCommand("KEYS", "test:*")),
            let key = keys.elements?.first?.text
        else {
            Issue.record("no key")
            return
        }
        for command in [
            RedisCommand("SETRANGE", .text(key), "30", "damage"), RedisCommand("SET", .text(key), "foreign"),
            RedisCommand("DEL", .text(key)), RedisCommand("LPUSH", .text(key), "list"),
        ] {
            #expect(await client.failure(command) == nil)
            #expect(try await read(cache, fixture, "/a") == "none")
        }
        #expect(fixture.log.count == 1)
        #expect(client.condition.counts.unreadable == 3)
        #expect(client.condition.failure == nil)
        #expect(try await write("new", cache, fixture, "/a") == true)
        #expect(try await read(cache, fixture, "/a") == "new")
    }

    @Test func `Entries end after their time`() async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let client = try RedisClient.patient(server.address)
        let cache = try cache(fixture, client)
        #expect(try await write("x", cache, fixture, "/a"))
        guard case .success(let keys) = await client.outcome(RedisCommand("KEYS", "*")),
            let key = keys.elements?.first?.text,
            case .success(let left) = await client.outcome(RedisCommand("PTTL", .text(key)))
        else {
            Issue.record("no key")
            return
        }
        #expect((86_300_000...86_400_000).contains(left.integer ?? 0))
    }

    @Test func `A server that is gone or paused costs reads no more than the timeout`() async throws {
        let server = await RedisServer()
        let fixture = EngineFixture()
        let client = RedisClient(.init(try RedisAddress(server.address), timeout: 0.05))
        let cache = try cache(fixture, client)
        try await yielding(until: "the first write works") { try await write("x", cache, fixture, "/a") }
        for isPaused in [true, false] {
            if isPaused { server.pause() } else { server.kill() }
            let began = ClockReading.uptime
            // The engine takes a failed read as a miss.
            for _ in 0..<20 { #expect(try await read(cache, fixture, "/a") == "failed") }
            #expect(try await write("y", cache, fixture, "/a") == false)
            // One timeout for all of them, and time for a busy machine.
            #expect(ClockReading.uptime - began < 1)
            if isPaused { server.go() } else { await server.start() }
            try await yielding(until: "the cache works again") {
                try await write("z", cache, fixture, "/a")
            }
            #expect(try await read(cache, fixture, "/a") == "z")
        }
        #expect(fixture.log.isEmpty)
    }

    @Test func `A full server is read, and keeps the program going`() async throws {
        let server = await RedisServer("maxmemory 1mb", "maxmemory-policy noeviction")
        let fixture = EngineFixture()
        let client = try RedisClient.patient(server.address)
        let cache = try cache(fixture, client)
        var refused = 0
        for number in 0..<40 {
            let text = String(repeating: "x", count: 100_000)
            if try await !write(text, cache, fixture, "/\(number)") { refused += 1 }
        }
        #expect(refused > 0)
        #expect(try await read(cache, fixture, "/none") == "none")
    }
}
