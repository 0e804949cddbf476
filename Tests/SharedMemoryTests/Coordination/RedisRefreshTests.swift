import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// One login for all hosts.
@Suite(.withRedis) @EngineActor struct RedisRefreshTests {
    private nonisolated static let key = "0123456789abcdef0123456789abcdef"

    @EngineActor
    private final class Host {
        let fixture = EngineFixture()
        let coordination: RedisCoordination
        let client: RedisClient
        /// Ends the renewal of this host.
        var finish: (@EngineActor (SharedRefresh.Outcome) -> Int64?)?
        var used: SharedCredentials?

        init(_ server: RedisServer, key: String? = nil) throws {
            client = try RedisClient.patient(server.address)
            coordination = RedisCoordination(
                engine: fixture.engine, client: client, try #require(RedisKeys(prefix: "test")),
                rules: LeaseRules(seconds: 60), sealing: key.flatMap { SealingKey($0) }
            ) { [] }
            coordination.start()
        }

        func begin(_ name: String = "shop", refused: Int64? = nil) {
            (finish, used) = (nil, nil)
            coordination.begin(
                SharedRefresh(name, refused: refused) { [self] decision in
                    switch decision {
                    case .renew(let finish): self.finish = finish
                    case .use(let credentials): used = credentials
                    }
                })
        }
    }

    private func reach(_ what: String, _ hosts: [Host], _ condition: () -> Bool) async {
        await yielding(until: what) {
            for host in hosts { host.fixture.settle() }
            return condition()
        }
    }

    private func started(_ server: RedisServer, key: String? = nil) async throws -> [Host] {
        let hosts = [try Host(server, key: key), try Host(server, key: key)]
        await reach("a place in the log", hosts) { hosts.allSatisfy { $0.coordination.isFollowing } }
        return hosts
    }

    /// The first host renews.
    private func renew(_ hosts: [Host], _ token: Tree, lifetime: Double? = nil) async -> Int64? {
        hosts[0].begin()
        await reach("a renewal", hosts) { hosts[0].finish != nil }
        return hosts[0].finish?(.renewed(token, lifetime: lifetime))
    }

    @Test(arguments: [nil, Self.key])
    func `Of two hosts one logs in, and the other gets its credentials`(key: String?) async throws {
        let server = await RedisServer()
        let hosts = try await started(server, key: key)
        hosts[0].begin()
        await reach("a renewal", hosts) { hosts[0].finish != nil }
        hosts[1].begin()
        await reach("a wait", hosts) { hosts[1].coordination.waitingLoads == 1 }
        let number = hosts[0].finish?(.renewed(["token": "a-long-token"], lifetime: 60))
        await reach("credentials", hosts) { hosts[1].used != nil }
        #expect(hosts[1].used?.value == ["token": "a-long-token"])
        #expect(hosts[1].used?.number == number && hosts[1].finish == nil)
        let kept = await hosts[0].client.outcome(RedisCommand("KEYS", "test:value*"))
        guard case .success(let names) = kept, let name = names.elements?.first?.text,
            case .success(let value) = await hosts[0].client.outcome(RedisCommand("HGET", .text(name), "v")),
            case .bytes(let bytes) = value
        else { return #expect(Bool(false), "there is no value") }
        #expect(String(decoding: bytes, as: UTF8.self).contains("a-long-token") == (key == nil))
    }

    @Test func `Credentials that were refused are renewed, and the next refusal finds them`() async throws {
        let server = await RedisServer()
        let hosts = try await started(server)
        let first = try #require(await renew(hosts, "one"))
        hosts[1].begin(refused: first)
        await reach("a renewal", hosts) { hosts[1].finish != nil }
        let second = hosts[1].finish?(.renewed("two", lifetime: nil))
        hosts[0].begin(refused: first)
        await reach("credentials", hosts) { hosts[0].used != nil }
        #expect(hosts[0].used?.number == second && hosts[0].used?.value == "two")
    }

    @Test func `A login that fails lets the other host try`() async throws {
        let server = await RedisServer()
        let hosts = try await started(server)
        hosts[0].begin()
        await reach("a renewal", hosts) { hosts[0].finish != nil }
        hosts[1].begin()
        await reach("a wait", hosts) { hosts[1].coordination.waitingLoads == 1 }
        #expect(hosts[0].finish?(.failed) == nil)
        await reach("a renewal of the other host", hosts) { hosts[1].finish != nil }
        #expect(hosts[1].used == nil)
    }

    @Test func `Credentials of another key are none`() async throws {
        let server = await RedisServer()
        let hosts = [try Host(server, key: Self.key), try Host(server, key: Self.key + "x")]
        _ = await renew(hosts, "one")
        hosts[1].begin()
        await reach("a renewal", hosts) { hosts[1].finish != nil }
        #expect(hosts[1].used == nil)
    }

    @Test func `Credentials that have expired are renewed`() async throws {
        let server = await RedisServer()
        let hosts = try await started(server)
        _ = await renew(hosts, "one", lifetime: 30)
        hosts[1].fixture.advance(31)
        hosts[1].begin()
        await reach("a renewal", hosts) { hosts[1].finish != nil }
    }

    @Test func `A host without its server logs in by itself`() async throws {
        let server = await RedisServer()
        let hosts = try await started(server)
        server.kill()
        hosts[0].begin()
        await reach("a renewal", hosts) { hosts[0].finish != nil }
        #expect(hosts[0].finish?(.renewed("one", lifetime: nil)) == nil)
    }
}
