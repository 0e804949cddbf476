import Testing

@testable import SharedMemory

@Suite struct RedisRotationTests {
    private func rotation(_ texts: String..., follows: Bool = true) throws -> RedisRotation {
        var servers = RedisServers(try texts.map { try RedisAddress($0) })
        servers.followsSentinels = follows
        return RedisRotation(servers)
    }

    private func fail(
        _ rotation: inout RedisRotation, _ kind: RedisFailure.Kind = .unreachable
    ) -> String? {
        rotation.failed(RedisFailure(kind, "no"))?.description
    }

    private func begin(_ rotation: inout RedisRotation) -> String { rotation.begin().description }

    private func follow(_ rotation: inout RedisRotation, host: String, port: Int) -> RedisAddress? {
        rotation.follow(host: host, port: port)
    }

    @Test func `One server is tried once, and has its own failure`() throws {
        var rotation = try rotation("redis://a")
        #expect(!rotation.mayMove)
        #expect(begin(&rotation) == "redis://a:6379/0")
        #expect(fail(&rotation) == nil)
        #expect(rotation.failure == RedisFailure(.unreachable, "no"))
        #expect(begin(&rotation) == "redis://a:6379/0")
    }

    @Test func `A round goes through all servers, from the one in use`() throws {
        var rotation = try rotation("redis://a", "redis://b", "redis://c")
        #expect(rotation.mayMove)
        #expect(begin(&rotation) == "redis://a:6379/0")
        #expect(fail(&rotation) == "redis://b:6379/0")
        // The second one is the primary, and the connection is lost later.
        #expect(begin(&rotation) == "redis://b:6379/0")
        #expect(fail(&rotation) == "redis://c:6379/0")
        #expect(fail(&rotation) == "redis://a:6379/0")
        #expect(fail(&rotation) == nil)
        #expect(begin(&rotation) == "redis://b:6379/0")
    }

    @Test func `The failure of a round names the servers, without their passwords`() throws {
        var rotation = try rotation("redis://:secret@a", "redis://b")
        _ = rotation.begin()
        #expect(fail(&rotation, .readOnly) != nil)
        #expect(fail(&rotation, .readOnly) == nil)
        #expect(rotation.failure.kind == .readOnly)
        #expect(
            rotation.failure.message
                == "there is no primary: redis://a:6379/0: no; redis://b:6379/0: no")
        _ = rotation.begin()
        _ = fail(&rotation, .readOnly)
        _ = fail(&rotation, .refused)
        #expect(rotation.failure.kind == .unreachable)
    }

    @Test func `Of many failures some are shown`() throws {
        var rotation = RedisRotation(
            RedisServers(try (1...16).map { try RedisAddress("redis://h\($0)") }))
        _ = rotation.begin()
        for _ in 0..<15 { #expect(fail(&rotation) != nil) }
        #expect(fail(&rotation) == nil)
        #expect(rotation.failure.message.hasSuffix("redis://h4:6379/0: no; and 12 more"))
    }

    @Test func `A server that never answers doesn't keep the others away`() throws {
        var rotation = try rotation("redis://a", "redis://b")
        _ = rotation.begin()
        rotation.gaveUp()
        #expect(begin(&rotation) == "redis://b:6379/0")
    }

    @Test func `A primary that is a replica now is left`() throws {
        var rotation = try rotation("redis://a", "redis://b")
        _ = rotation.begin()
        rotation.demoted()
        #expect(begin(&rotation) == "redis://b:6379/0")
    }

    @Test func `A sentinel leads to the server that it names, with the login of its address`() throws {
        var rotation = try rotation("rediss+sentinel://u:secret@s/main/2", "redis+sentinel://t/main")
        #expect(begin(&rotation) == "rediss+sentinel://s:26379/main/2")
        let named = rotation.follow(host: "10.0.0.1", port: 7000)
        let expected = try RedisAddress("rediss://u:secret@10.0.0.1:7000/2")
        #expect(named == expected)
        #expect(rotation.current == expected)
        // It can't be reached, so another sentinel is asked.
        #expect(fail(&rotation) == "redis+sentinel://t:26379/main/0")
        #expect(fail(&rotation) == nil)
        #expect(rotation.failure.message.contains("rediss://10.0.0.1:7000/2: no"))
    }

    @Test func `A sentinel is asked again when its primary is lost or a replica`() throws {
        var rotation = try rotation("redis+sentinel://s/main", "redis+sentinel://t/main")
        _ = rotation.begin()
        _ = rotation.follow(host: "h", port: 1)
        #expect(begin(&rotation) == "redis+sentinel://s:26379/main/0")
        _ = rotation.follow(host: "h", port: 1)
        rotation.demoted()
        #expect(begin(&rotation) == "redis+sentinel://s:26379/main/0")
    }

    @Test func `A sentinel may be limited to the servers of the list`() throws {
        var rotation = try rotation("redis+sentinel://s/main", "redis://h:7000", follows: false)
        _ = rotation.begin()
        #expect(follow(&rotation, host: "other", port: 7000) == nil)
        #expect(rotation.current.description == "redis+sentinel://s:26379/main/0")
        // A sentinel of the list is no server with data.
        #expect(follow(&rotation, host: "s", port: 26379) == nil)
        #expect(follow(&rotation, host: "h", port: 7000) != nil)
    }
}
