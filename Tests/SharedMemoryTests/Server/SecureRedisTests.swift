import Platform
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// Servers with TLS.
@Suite(.withRedis) struct SecureRedisTests {
    private let folder = TemporaryFolder()
    private let port = LoopbackPeer.unusedPort()

    private func server(_ certificate: String, _ key: String) async -> RedisServer {
        folder.write("certificate.pem", certificate)
        folder.write("key.pem", key)
        folder.write("authority.pem", TestCertificates.authority)
        return await RedisServer(
            "tls-port \(port)", "tls-cert-file \(folder.path)/certificate.pem",
            "tls-key-file \(folder.path)/key.pem", "tls-auth-clients no")
    }

    private func client(_ host: String = "localhost", authority: String? = "authority.pem") throws
        -> RedisClient
    {
        try RedisClient.patient(["rediss://:secret-word@\(host):\(port)"]) { servers in
            servers.authorityFile = authority.map { "\(folder.path)/\($0)" }
        }
    }

    private func failure(_ client: RedisClient) async -> String {
        switch await client.outcome(RedisCommand("GET", "k")) {
        case .failure(let failure)?: "\(failure.kind.rawValue): \(failure.message)"
        default: "no failure"
        }
    }

    @Test func `TLS works by name and by address`() async throws {
        let server = await server(TestCertificates.server, TestCertificates.serverKey)
        let admin = try RedisClient.patient(server.address)
        #expect(await admin.failure(RedisCommand("CONFIG", "SET", "requirepass", "secret-word")) == nil)
        for host in ["localhost", "127.0.0.1"] {
            let client = try client(host)
            #expect(await client.failure(RedisCommand("SET", "k", .text(host), changesData: true)) == nil)
            #expect(
                await client.outcome(RedisCommand("GET", "k")) == .success(.bytes(Array(host.utf8))))
            #expect(client.condition.counts.version == 3)
        }
    }

    @Test func `A certificate of another authority is refused`() async throws {
        let server = await server(TestCertificates.server, TestCertificates.serverKey)
        folder.write("other.pem", TestCertificates.otherAuthority)
        let text = "unreachable: the server's certificate is not trusted"
        #expect(await failure(try client(authority: "other.pem")).hasPrefix(text))
        #expect(await failure(try client(authority: nil)).hasPrefix(text))
        #expect(try client().condition.failure == nil)
        withExtendedLifetime(server) {}
    }

    @Test func `A certificate for another host is refused`() async throws {
        let server = await server(TestCertificates.backend, TestCertificates.backendKey)
        for host in ["localhost", "127.0.0.1"] {
            #expect(
                await failure(try client(host))
                    == "unreachable: the server's certificate is for another host")
        }
        withExtendedLifetime(server) {}
    }

    @Test func `A file without authorities is named`() async throws {
        folder.write("empty.pem", "")
        for name in ["empty.pem", "missing.pem"] {
            #expect(
                await failure(try client(authority: name))
                    == "unreachable: '\(folder.path)/\(name)' is no file of certificates (PEM) that can be read"
            )
        }
    }

    @Test func `A server without TLS is a failure that says so`() async throws {
        let server = FakeRedis { _, _ in .silence }
        let client = try RedisClient.patient(["rediss://127.0.0.1:\(server.port)"])
        async let outcome = client.outcome(RedisCommand("GET", "k"))
        await yielding(until: "the server has the connection") { server.connectionCount == 1 }
        server.push("-ERR unknown command\r\n")
        let expected = RedisFailure(.unreachable, "the server doesn't speak TLS here")
        #expect(await outcome == .failure(expected))
    }
}
