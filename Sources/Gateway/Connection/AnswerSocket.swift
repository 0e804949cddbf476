import NIOCore
import Platform

/// A connection's socket, for answers that go out at once: of a hot read the network library's queue and its
/// way to the socket are a third of the instructions. Event loop only.
struct AnswerSocket {
    private let channel: any Channel
    private let handle: NIOBSDSocket.Handle

    /// Nil where bytes don't go straight to a socket.
    init?(of context: ChannelHandlerContext) {
        let found = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let found else { return nil }
        channel = context.channel
        handle = found
    }

    /// Sends as much as the system takes now, and gives how many bytes that were. What is wrong with the
    /// socket the network library finds when it is given the rest.
    func send(_ bytes: ByteBuffer) -> Int {
        // A channel closes its socket and ceases to be active in one go, on this event loop, so that the
        // number is nobody else's yet.
        guard channel.isActive else { return 0 }
        return bytes.withUnsafeReadableBytes { bytes in
            while true {
                let sent = Platform.send(handle, bytes.baseAddress, bytes.count, Self.flags)
                if sent >= 0 { return sent }
                guard errno == EINTR else { return 0 }
            }
        }
    }

    // Elsewhere the network library has told the socket to raise no signal.
    #if os(Linux)
        private static let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
    #else
        private static let flags = MSG_DONTWAIT
    #endif
}
