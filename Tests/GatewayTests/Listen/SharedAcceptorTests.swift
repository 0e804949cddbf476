import Platform
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// A listening socket of several processes, here of several acceptors in one.
struct SharedAcceptorTests {
    /// A listening socket on a port that the system chose.
    private final class Socket: Sendable {
        let descriptor: Int32
        let port: UInt16

        init() throws {
            let descriptor = try BoundSocket.bind(.ip(host: "127.0.0.1", port: 0))
            #expect(listen(descriptor, 64) == 0)
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    _ = getsockname(descriptor, $0.baseAddress, &length)
                }
            }
            (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }
    }

    private final class Accepted: Sendable {
        private let connections = Mutex<[Int32]>([])

        var count: Int { connections.withLock { $0.count } }

        func note(_ connection: Int32) { connections.withLock { $0.append(connection) } }

        deinit { connections.withLock { for connection in $0 { close(connection) } } }
    }

    private func acceptor(_ socket: Socket, _ accepted: Accepted) throws -> SharedAcceptor {
        let made = SharedAcceptor(
            socket.descriptor, accepted: { accepted.note($0) }, refused: { _ in nil })
        return try #require(made)
    }

    @Test func `connections are given to acceptors in turn`() async throws {
        let socket = try Socket()
        let all = [Accepted(), Accepted()]
        let acceptors = try all.map { try acceptor(socket, $0) }
        for acceptor in acceptors { acceptor.start() }
        var clients: [Client] = []
        for count in 1...40 {
            clients.append(try Client(port: socket.port))
            await yielding(until: "it is accepted") { all[0].count + all[1].count == count }
        }
        #expect(all.allSatisfy { $0.count >= 10 }, "\(all.map(\.count))")
        for acceptor in acceptors { acceptor.stop() }
    }

    @Test func `pauses are limited`() {
        var pauses = AcceptPauses()
        let taken = (0..<100).count { _ in pauses.take(at: 5) }
        #expect(taken == 8)
        let isNew = pauses.take(at: 5.01)
        #expect(isNew)
    }

    @Test func `one that has stopped leaves connections to the others`() async throws {
        let socket = try Socket()
        let (first, second) = (Accepted(), Accepted())
        let stopped = try acceptor(socket, first)
        // A second start has no effect, so there is one thread to stop.
        stopped.start()
        stopped.start()
        let early = try Client(port: socket.port)
        await yielding(until: "it is accepted") { first.count == 1 }
        stopped.stop()
        let late = try Client(port: socket.port)
        let other = try acceptor(socket, second)
        other.start()
        await yielding(until: "the other has it") { second.count == 1 }
        #expect(first.count == 1)
        other.stop()
        withExtendedLifetime((early, late)) {}
    }

    @Test func `one that has never started stops at once`() throws {
        let socket = try Socket()
        let never = try acceptor(socket, Accepted())
        never.stop()
        never.start()
        never.stop()
    }
}
