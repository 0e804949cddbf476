import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import SharedMemory

@Suite struct RedisClientTests {
    private static let get = RedisCommand("GET", "k")
    private static let value = RedisValue.bytes(Array("value".utf8))

    private func server(_ answer: @escaping @Sendable ([String]) -> FakeRedis.Answer) -> FakeRedis {
        FakeRedis { words, _ in FakeRedis.greeting(words) ?? answer(words) }
    }

    @Test func `A command gets its reply`() async throws {
        let server = server { _ in .text("$5\r\nvalue\r\n") }
        let client = try RedisClient.patient("redis://u:secret@127.0.0.1:\(server.port)/2")
        #expect(await client.outcome(Self.get) == .success(Self.value))
        #expect(
            server.commands == [
                ["HELLO", "3", "AUTH", "u", "secret", "SETNAME", "resthost"], ["SELECT", "2"], ["GET", "k"],
            ])
        #expect(client.openCommands == 0)
        #expect(client.condition.counts.isConnected)
        #expect(client.condition.counts.version == 3)
    }

    @Test func `Many commands go over one connection, in order`() async throws {
        let server = server { .text("$\($0[1].utf8.count)\r\n\($0[1])\r\n") }
        let client = try RedisClient.patient(server.address)
        let values: [String]? = await waiting(for: "all replies") { done in
            Task { @EngineActor in
                var values: [String] = []
                for number in 0..<1000 {
                    client.send(RedisCommand("GET", .text("\(number)"))) { result in
                        values.append((try? result.get())?.text ?? "?")
                        if values.count == 1000 { done(values) }
                    }
                }
            }
        }
        #expect(values == (0..<1000).map { "\($0)" })
        #expect(server.connectionCount == 1)
    }

    @Test func `Several commands are one write, with a result for each`() async throws {
        let server = server { $0[0] == "GET" ? .text(":1\r\n") : .text("-OOM full\r\n") }
        let client = try RedisClient.patient(server.address)
        let outcome = await waiting(for: "the replies") { done in
            Task { @EngineActor in
                client.send([Self.get, RedisCommand("SET", "k", "v"), Self.get]) { done($0) }
            }
        }
        let results = try outcome?.get() ?? []
        #expect(results.count == 3)
        #expect(results.map { try? $0.get() } == [.integer(1), nil, .integer(1)])
        #expect(
            results.contains { if case .failure(let failure) = $0 { failure.kind == .full } else { false } })
    }

    @Test func `An old server works without RESP3`() async throws {
        let server = FakeRedis { words, _ in
            switch words[0] {
            case "HELLO": .text("-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n")
            case "AUTH": .text("+OK\r\n")
            default: .text("$5\r\nvalue\r\n")
            }
        }
        let client = try RedisClient.patient("redis://:secret@127.0.0.1:\(server.port)")
        #expect(await client.outcome(Self.get) == .success(Self.value))
        #expect(client.condition.counts.version == 2)
    }

    @Test(arguments: [
        ("-LOADING x\r\n", RedisFailure.Kind.loading), ("-READONLY x\r\n", .readOnly), ("-OOM x\r\n", .full),
        ("-MOVED 1 h:1\r\n", .cluster), ("-NOPERM x\r\n", .refused), ("-ERR x\r\n", .other),
        ("?\r\n", .protocol),
    ])
    func `An error reply has its kind`(reply: String, kind: RedisFailure.Kind) async throws {
        let server = server { _ in .text(reply) }
        let client = try RedisClient.patient(server.address)
        #expect(await client.failure(Self.get) == kind)
        #expect(client.condition.failure != nil)
    }

    @Test func `A wrong password fails commands at once, and is not in the failure`() async throws {
        let server = FakeRedis { _, _ in .text("-WRONGPASS invalid username-password pair\r\n") }
        let client = try RedisClient.patient("redis://:secret@127.0.0.1:\(server.port)")
        #expect(await client.failure(Self.get) == .refused)
        #expect(await client.failure(Self.get) == .refused)
        #expect(client.condition.failure?.contains("secret") == false)
    }

    @Test func `Without a server commands fail at once`() async throws {
        let client = try RedisClient.patient("redis://127.0.0.1:\(LoopbackPeer.unusedPort())")
        #expect(await client.failure(Self.get) == .unreachable)
        #expect(await client.failure(Self.get) == .unreachable)
        let socket = try RedisClient.patient("unix:/nonexistent/redis.sock")
        #expect(await socket.failure(Self.get) == .unreachable)
    }

    @Test func `A reply may be cut at each byte`() async throws {
        let reply = Array("*2\r\n$5\r\nvalue\r\n:12\r\n".utf8)
        let cut = Mutex(0)
        let server = server { _ in
            let end = cut.withLock { $0 }
            return end == reply.count
                ? .text(String(decoding: reply, as: UTF8.self)) : .last(Array(reply[..<end]))
        }
        let client = try RedisClient.patient(server.address)
        for end in 0...reply.count {
            cut.withLock { $0 = end }
            // It connects again by itself.
            await yielding(until: "the client is connected") {
                end == 0 || client.condition.counts.isConnected
            }
            let outcome = await client.outcome(Self.get)
            if end == reply.count {
                #expect(outcome == .success(.array([Self.value, .integer(12)])))
            } else if case .failure(let failure) = outcome {
                #expect(failure.kind == .unreachable)
            } else {
                Issue.record("no failure at \(end)")
            }
        }
        #expect(client.openCommands == 0)
    }

    @Test func `A silent server costs no more than the timeout, and a late reply is not mixed up`()
        async throws
    {
        let server = FakeRedis { words, server in
            if let answer = FakeRedis.greeting(words) { return answer }
            switch words[1] {
            case "slow": return .silence
            // The reply to `slow` comes together with this one's.
            case "release": return .text("$4\r\nslow\r\n$7\r\nrelease\r\n")
            default: return .text("$4\r\nnext\r\n")
            }
        }
        let client = try RedisClient.patient(server.address)
        #expect(await client.failure(RedisCommand("GET", "first")) == nil)
        let began = ClockReading.uptime
        async let slow = client.failure(RedisCommand("GET", "slow"), timeout: 0.05)
        #expect(await slow == .timedOut)
        #expect(ClockReading.uptime - began < 10)
        // Further commands would wait behind it, so they fail at once.
        #expect(await client.failure(RedisCommand("GET", "release")) == .timedOut)
        server.push("$4\r\nslow\r\n")
        await yielding(until: "the late reply has come") { client.openCommands == 0 }
        #expect(
            await client.outcome(RedisCommand("GET", "next")) == .success(.bytes(Array("next".utf8))))
        #expect(client.condition.counts.connections == 1)
    }

    @Test func `A push is no reply`() async throws {
        let server = server { _ in .text(">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n$5\r\nvalue\r\n") }
        let pushed = Mutex<[[RedisValue]]>([])
        let client = RedisClient(
            .init(try RedisAddress(server.address), timeout: 20),
            onPush: { values in pushed.withLock { $0.append(values) } })
        #expect(await client.outcome(Self.get) == .success(Self.value))
        #expect(pushed.withLock { $0.count } == 1)
    }

    @Test func `Commands have room for so many, and then fail`() async throws {
        let server = server { _ in .silence }
        var settings = RedisClient.Settings(try RedisAddress(server.address), timeout: 20)
        settings.mostCommands = 2
        let client = RedisClient(settings)
        let kind = await waiting(for: "the third command") { (done: @escaping @Sendable (String) -> Void) in
            Task { @EngineActor in
                for _ in 0..<2 { client.send(Self.get) { _ in } }
                client.send(Self.get) { result in
                    if case .failure(let failure) = result { done(failure.kind.rawValue) }
                }
            }
        }
        #expect(kind == "overloaded")
        #expect(client.openCommands == 2)
    }

    @Test func `A failure has a line when it begins and one when it ends`() async throws {
        let lines = Mutex<[String]>([])
        let server = server { _ in .text("$5\r\nvalue\r\n") }
        var settings = RedisClient.Settings(try RedisAddress(server.address), timeout: 20)
        settings.rules.connectTimeout = 20
        let client = RedisClient(settings, log: { line in lines.withLock { $0.append(line.text) } })
        #expect(await client.failure(Self.get) == nil)
        // The server ends the connection, and takes the next one.
        server.push("?\r\n")
        let name = "the shared memory redis://127.0.0.1:\(server.port)/0"
        await yielding(until: "the failure is over") {
            lines.withLock { $0.contains { $0.hasPrefix("\(name) works again, after ") } }
        }
        #expect(lines.withLock { $0[0].hasPrefix("\(name) speaks another protocol: ") })
        // On a busy machine the next connection may come too early for the server, too.
        await yielding(until: "no failure is left") { client.condition.failure == nil }
        #expect(client.condition.failure == nil)
        #expect(await client.failure(Self.get) == nil)
    }
}
