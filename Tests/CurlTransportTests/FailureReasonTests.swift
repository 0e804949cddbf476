import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// Reasons and attempts that failures report besides their sentence.
@EngineActor
struct FailureReasonTests {
    private func failure(
        _ url: String, _ set: (inout TransportOptions) -> Void = { _ in }
    ) async throws -> TransportError {
        var options = TransportOptions()
        options.proxy = ""
        set(&options)
        let transport = CurlTransport(options: options)
        return try #require(await transport.answer(to: TransportRequest(url: url)).error)
    }

    @Test func `a refused connection says who refused`() async throws {
        let place = "127.0.0.1:\(LoopbackPeer.unusedPort())"
        let error = try await failure("http://\(place)/")
        #expect(error.message == "cannot connect to the server")
        #expect(error.reason == "connection refused" && error.peer == place)
    }

    @Test func `a socket that is not there is named`() async throws {
        let error = try await failure("http://a.test/") { $0.unixSocket = "/none/socket" }
        #expect(error.reason == "no such file or directory" && error.peer == "socket /none/socket")
    }

    @Test func `a proxy that is not there is named, without its password`() async throws {
        let place = "127.0.0.1:\(LoopbackPeer.unusedPort())"
        for scheme in ["http", "https"] {
            let error = try await failure("\(scheme)://a.test/") { $0.proxy = "http://me:secret@\(place)" }
            #expect(
                "\(error)" == "cannot connect to the proxy: connection refused (proxy \(place))")
        }
    }

    @Test func `a proxy that refuses says with what`() async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(403) }
        let error = try await failure("https://a.test/") { $0.proxy = peer.baseURL }
        #expect(error.code == .connectionFailed && error.phase == .connect)
        #expect("\(error)".hasPrefix("the proxy refused to connect to the server: it answered 403 (proxy "))
    }

    @Test func `plain HTTP on a port for TLS is named`() {
        let facts = FailureFacts(detail: "OpenSSL/3: error:0A00010B:SSL routines::wrong version number")
        let error = facts.explain(
            TransportError(curlCode: 35, hasResponse: false, detail: facts.detail), 35)
        #expect(error.message == "the TLS handshake failed")
        #expect(error.reason?.contains("plain HTTP") == true)
    }

    @Test(arguments: [
        ("error:1409445C:SSL routines::tlsv13 alert certificate required", "'certificate required'"),
        ("error:0A000102:SSL routines::unsupported protocol", "no version of TLS"),
    ])
    func `what the other side of a handshake said is reported`(detail: String, part: String) {
        let error = FailureFacts(detail: detail).explain(
            TransportError(curlCode: 35, hasResponse: false, detail: detail), 35)
        #expect(error.reason?.contains(part) == true)
    }

    @Test(arguments: [
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:1",
        "OpenSSL SSL_connect: Connection reset by peer in connection to h:1",
        "error:0A000126:SSL routines::unexpected eof while reading",
    ])
    func `41.2 a handshake that is cut is a broken connection`(detail: String) {
        let error = FailureFacts(detail: detail).explain(
            TransportError(curlCode: 35, hasResponse: false, detail: detail), 35)
        #expect(error.code == .connectionFailed && error.phase == .tls && error.mayPass)
        #expect(error.reason == "the server closed the connection")
    }

    @Test func `41.2 a server that closes in the handshake has a broken connection`() async throws {
        let peer = LoopbackPeer { _ in [] }
        var result: TransportResult?
        let done = Gate()
        _ = CurlTransport().send(TransportRequest(url: "https://127.0.0.1:\(peer.port)/")) {
            result = $0
            done.open()
        }
        await yielding(until: "a connection") { peer.connectionCount == 1 }
        peer.close()
        await done.opened()
        #expect(result?.error?.code == .connectionFailed && result?.error?.phase == .tls)
    }

    @Test(arguments: [
        ("OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", true),
        ("OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca, errno 0", true),
        ("Recv failure: Connection reset by peer", false),
    ])
    func `a server that refuses the client behind the handshake of TLS 1_3 is no broken connection`(
        detail: String, isTLS: Bool
    ) {
        let error = FailureFacts(detail: detail).explain(
            TransportError(curlCode: 56, hasResponse: false, detail: detail), 56)
        #expect(error.code == (isTLS ? .tlsFailed : .connectionFailed) && error.mayPass == !isTLS)
    }

    @Test(arguments: [
        (Int32(101), "network is unreachable"), (113, "no route to host"), (110, "connection timed out"),
    ])
    func `the system's reason is reported`(number: Int32, reason: String) {
        let error = FailureFacts(systemError: number, server: "h:80").explain(
            TransportError(curlCode: 7, hasResponse: false, detail: ""), 7)
        #expect(error.reason == reason && error.peer == "h:80")
    }
}
