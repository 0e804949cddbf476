import NIOCore
import Platform

/// A connection's socket, for answers that are sent at once. The network library's queue and its way to the
/// socket would take a third of the instructions of a hot read. Event loop only.
struct AnswerSocket {
    private let channel: any Channel
    private let handle: NIOBSDSocket.Handle

    /// Nil if the bytes don't go straight to a socket.
    init?(of context: ChannelHandlerContext) {
        let found = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let found else { return nil }
        channel = context.channel
        handle = found
    }

    /// Sends as many bytes as the system takes now, and returns their number. After an error the network
    /// library gets the rest of the bytes and finds the error itself.
    func send(_ bytes: ByteBuffer) -> Int {
        // A channel closes its socket and becomes inactive in one step on this event loop, so the descriptor
        // can't belong to another file yet.
        guard channel.isActive else { return 0 }
        return bytes.withUnsafeReadableBytes { bytes in
            while true {
                let sent = Platform.send(handle, bytes.baseAddress, bytes.count, Self.flags)
                if sent >= 0 { return sent }
                guard errno == EINTR else { return 0 }
            }
        }
    }

    // On other systems the network library has set the socket to raise no signal.
    #if os(Linux)
        private static let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
    #else
        private static let flags = MSG_DONTWAIT
    #endif
}
