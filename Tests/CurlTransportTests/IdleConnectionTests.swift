import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import CurlTransport

/// Connections between two requests, and the bytes that arrive on them meanwhile (rule 40.4).
@EngineActor
struct IdleConnectionTests {
    /// The server's end of the connection that was used last.
    private final class LastConnection: Sendable {
        private let connection = Mutex<PeerConnection?>(nil)
        func set(_ new: PeerConnection) { connection.withLock { $0 = new } }
        func send(_ bytes: String) { connection.withLock { $0 }?.send(bytes) }
    }

    private nonisolated static let unasked = [
        "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked",
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "\r\n\r\n",
    ]

    private func text(_ transport: CurlTransport, _ request: TransportRequest) async throws -> String {
        String(decoding: try await transport.answer(to: request).get().body, as: UTF8.self)
    }

    @Test(arguments: unasked, [TransferPlace.loop, .thread])
    func `40.4 bytes that come while a connection is idle are no answer`(
        bytes: String, place: TransferPlace
    ) async throws {
        let last = LastConnection()
        let peer = LoopbackPeer { request, connection in
            last.set(connection)
            connection.respond(text: request.path)
        }
        // Another service of the same host uses the same connections.
        let transports = (0..<2).map { _ in CurlTransport(options: TransportOptions(), place: place) }
        for number in 0..<4 {
            var request = TransportRequest(url: peer.baseURL + "/\(number)")
            if place == .loop { (request.method, request.body) = ("POST", [1]) }
            #expect(try await text(transports[number % 2], request) == "/\(number)")
            last.send(bytes)
        }
        #expect(peer.connectionCount == 4 && peer.requests.count == 4)
    }

    @Test func `40.4 nor is it on a Unix socket`() async throws {
        let folder = TemporaryFolder()
        let last = LastConnection()
        let peer = LoopbackPeer(unixSocket: "\(folder.path)/socket") { request, connection in
            last.set(connection)
            connection.respond(text: request.path)
        }
        var options = TransportOptions()
        options.unixSocket = "\(folder.path)/socket"
        let transport = CurlTransport(options: options)
        for path in ["/1", "/2"] {
            #expect(try await text(transport, TransportRequest(url: "http://a.test" + path)) == path)
        }
        #expect(peer.connectionCount == 1)
        last.send(Self.unasked[0])
        #expect(try await text(transport, TransportRequest(url: "http://a.test/3")) == "/3")
        #expect(peer.connectionCount == 2)
    }

    @Test func `all connections that rest may have it, and each is left`() async throws {
        let all = Mutex<[PeerConnection]>([])
        let together = Gate()
        let peer = LoopbackPeer { request, connection in
            let count = all.withLock { all in
                all.append(connection)
                return all.count
            }
            if count == 8 { together.open() }
            if count <= 8 { together.wait() }
            connection.respond(text: request.path)
        }
        let transport = CurlTransport()
        let done = Gate()
        var left = 8
        for _ in 0..<8 {
            _ = transport.send(TransportRequest(url: peer.baseURL)) { _ in
                left -= 1
                if left == 0 { done.open() }
            }
        }
        await done.opened()
        for connection in all.withLock({ $0 }) { connection.send(Self.unasked[0]) }
        #expect(try await text(transport, TransportRequest(url: peer.baseURL + "/9")) == "/9")
        #expect(peer.connectionCount == 9)
    }

    @Test func `a body that its receiver holds is nothing unasked`() async throws {
        let body = [UInt8](repeating: 1, count: 4 << 20)
        let peer = LoopbackPeer { request, connection in
            connection.respond(body: request.path == "/large" ? body : [2])
        }
        let transport = CurlTransport()
        let receiver = PiecesReceiver()
        receiver.holds = true
        let begun = Gate()
        receiver.onPiece = { begun.open() }
        var request = TransportRequest(url: peer.baseURL + "/large")
        request.receiver = receiver
        var ended: TransportResult?
        let done = Gate()
        let transfer = transport.send(request) {
            ended = $0
            done.open()
        }
        await begun.opened()
        // Other requests run while its bytes wait.
        for _ in 0..<20 {
            #expect(try await transport.answer(to: TransportRequest(url: peer.baseURL)).get().body == [2])
        }
        #expect(peer.connectionCount == 2)
        receiver.holds = false
        transfer.resume()
        await done.opened()
        #expect(ended?.error == nil && receiver.bytes == body)
        for _ in 0..<4 { _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get() }
        #expect(peer.connectionCount == 2)
    }
}
