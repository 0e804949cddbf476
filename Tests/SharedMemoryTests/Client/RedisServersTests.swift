import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import SharedMemory

extension RedisClient {
    /// A client of several servers, whose commands have much time.
    static func patient(
        _ addresses: [String], check seconds: Double = 1000,
        _ change: (inout RedisServers) -> Void = { _ in },
        log: @escaping @Sendable (RedisCondition.Line) -> Void = { _ in }
    ) throws -> RedisClient {
        var servers = RedisServers(try addresses.map { try RedisAddress($0) })
        change(&servers)
        var settings = Settings(servers, timeout: 20)
        (settings.rules.connectTimeout, settings.rules.idle) = (20, seconds)
        return RedisClient(settings, log: log)
    }
}

/// A client of several servers, each of which the test plays.
@Suite struct RedisServersTests {
    private static let get = RedisCommand("GET", "k")
    private static let primary = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
    private static let replica = "*5\r\n$5\r\nslave\r\n$1\r\nh\r\n:1\r\n$9\r\nconnected\r\n:0\r\n"

    /// - Parameter name: The answer to GET.
    private func server(_ role: String, _ name: String = "value") -> FakeRedis {
        FakeRedis { words, _ in
            if let answer = FakeRedis.greeting(words) { return answer }
            return .text(words[0] == "ROLE" ? role : "+\(name)\r\n")
        }
    }

    private func sentinel(_ answer: @escaping @Sendable () -> String) -> FakeRedis {
        FakeRedis { words, _ in FakeRedis.greeting(words) ?? .text(answer()) }
    }

    private func naming(_ port: Int) -> String {
        let digits = "\(port)"
        return "*2\r\n$9\r\n127.0.0.1\r\n$\(digits.utf8.count)\r\n\(digits)\r\n"
    }

    private func text(_ client: RedisClient) async -> String {
        switch await client.outcome(Self.get) {
        case .success(let value)?: value.text ?? "?"
        case .failure(let failure)?: "\(failure.kind.rawValue): \(failure.message)"
        case nil: "no answer"
        }
    }

    @Test func `The primary of a list is used, and the first commands wait for it`() async throws {
        let (replica, primary) = (server(Self.replica), server(Self.primary, "primary"))
        let client = try RedisClient.patient([replica.address, primary.address + "/2"])
        #expect(await text(client) == "primary")
        #expect(replica.commands.map { $0[0] } == ["HELLO", "ROLE"])
        #expect(primary.commands.map { $0[0] } == ["HELLO", "SELECT", "ROLE", "GET"])
    }

    @Test func `One server is used as it is`() async throws {
        let replica = server(Self.replica, "replica")
        #expect(await text(try RedisClient.patient([replica.address])) == "replica")
        #expect(replica.commands.map { $0[0] } == ["HELLO", "GET"])
    }

    @Test func `Without a primary commands fail, and the reasons name each server`() async throws {
        let servers = [server(Self.replica), server(Self.replica)]
        let addresses = servers.map { "redis://:secret-word@127.0.0.1:\($0.port)" }
        let client = try RedisClient.patient(addresses)
        let failure = await text(client)
        #expect(
            failure.hasPrefix(
                "read_only: there is no primary: redis://127.0.0.1:\(servers[0].port)/0: it is a"))
        #expect(failure.contains("127.0.0.1:\(servers[1].port)/0: it is a replica"))
        #expect(client.condition.failure?.contains("takes no changes") == true)
        #expect(client.condition.failure?.contains("secret-word") == false)
    }

    @Test func `A user who may not ask for the role can use a server`() async throws {
        let servers = [server("-NOPERM no\r\n", "first"), server(Self.primary)]
        let client = try RedisClient.patient(servers.map(\.address), check: 0.01)
        #expect(await text(client) == "first")
        await yielding(until: "the role is asked again") {
            _ = await text(client)
            return servers[0].commands.count { $0 == ["ROLE"] } > 2
        }
        #expect(client.condition.failure == nil)
        #expect(await text(client) == "first")
    }

    @Test func `A primary that refuses a change is left`() async throws {
        let old = FakeRedis { [primary = Self.primary] words, _ in
            if let answer = FakeRedis.greeting(words) { return answer }
            return .text(words[0] == "ROLE" ? primary : "-READONLY You can't write\r\n")
        }
        let new = server(Self.primary, "new")
        let lines = Mutex<[String]>([])
        let client = try RedisClient.patient(
            [old.address, new.address], log: { line in lines.withLock { $0.append(line.text) } })
        #expect(await client.failure(RedisCommand("SET", "k", "v", changesData: true)) == .readOnly)
        await yielding(until: "the other server is used") { await text(client) == "new" }
        await yielding(until: "the failure is over") { client.condition.failure == nil }
        let seen = lines.withLock { $0 }
        #expect(
            seen.first
                == "the shared memory \(old.address)/0 takes no changes: it is a replica; requests go on without it"
        )
        #expect(seen.last?.hasPrefix("the shared memory \(new.address)/0 takes changes again") == true)
    }

    @Test func `A client that only reads leaves a primary that is a replica now`() async throws {
        let role = Mutex(Self.primary)
        let old = FakeRedis { words, _ in
            if let answer = FakeRedis.greeting(words) { return answer }
            return .text(words[0] == "ROLE" ? role.withLock { $0 } : "+old\r\n")
        }
        let new = server(Self.primary, "new")
        let client = try RedisClient.patient([old.address, new.address], check: 0.02)
        #expect(await text(client) == "old")
        role.withLock { $0 = Self.replica }
        await yielding(until: "the other server is used") { await text(client) == "new" }
    }

    @Test func `A server that never answers is left, and the next one is tried`() async throws {
        let silent = FakeRedis { _, _ in .silence }
        let primary = server(Self.primary, "primary")
        var settings = RedisClient.Settings(
            RedisServers(try [silent.address, primary.address].map { try RedisAddress($0) }), timeout: 20)
        settings.rules.connectTimeout = 0.05
        let client = RedisClient(settings)
        await yielding(until: "the other server is used") { await text(client) == "primary" }
    }

    // MARK: Sentinels

    @Test func `A sentinel is asked for the primary, which gets the login`() async throws {
        let primary = server(Self.primary, "primary")
        let sentinel = sentinel { [port = primary.port] in naming(port) }
        let client = try RedisClient.patient(
            ["redis+sentinel://u:secret@127.0.0.1:\(sentinel.port)/main/2"])
        #expect(await text(client) == "primary")
        #expect(
            sentinel.commands == [
                ["HELLO", "3", "SETNAME", "resthost"], ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"],
            ])
        #expect(
            primary.commands == [
                ["HELLO", "3", "AUTH", "u", "secret", "SETNAME", "resthost"], ["SELECT", "2"], ["ROLE"],
                ["GET", "k"],
            ])
    }

    @Test func `A sentinel that still names the old primary is asked again`() async throws {
        let (old, new) = (server(Self.replica), server(Self.primary, "new"))
        let asked = Mutex(0)
        let sentinel = sentinel { [ports = [old.port, new.port]] in
            naming(
                asked.withLock { number in
                    number += 1
                    return ports[number > 2 ? 1 : 0]
                })
        }
        let client = try RedisClient.patient(["redis+sentinel://127.0.0.1:\(sentinel.port)/main"])
        await yielding(until: "the new primary is used") { await text(client) == "new" }
        #expect(asked.withLock { $0 } == 3)
    }

    @Test func `A sentinel may lead only to servers of the list if hosts are named`() async throws {
        let primary = server(Self.primary, "primary")
        let sentinel = sentinel { [port = primary.port] in naming(port) }
        let address = "redis+sentinel://127.0.0.1:\(sentinel.port)/main"
        let refused = try RedisClient.patient([address]) { $0.followsSentinels = false }
        #expect(await text(refused).contains("may only use if it is in the list"))
        #expect(primary.connectionCount == 0)
        let allowed = try RedisClient.patient([address, primary.address]) { $0.followsSentinels = false }
        #expect(await text(allowed) == "primary")
    }

    @Test func `A server that is no sentinel, or knows no such primary, is a failure`() async throws {
        for (answer, part) in [
            ("-ERR unknown command 'SENTINEL'\r\n", "it is no sentinel"),
            ("*-1\r\n", "knows no primary main"),
        ] {
            let sentinel = sentinel { answer }
            let client = try RedisClient.patient(["redis+sentinel://127.0.0.1:\(sentinel.port)/main"])
            #expect(await text(client).contains(part))
        }
    }
}
