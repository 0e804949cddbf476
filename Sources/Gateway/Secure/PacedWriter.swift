import NIOCore

/// Hands long answers to TLS in pieces, as the client takes them: of what it is given TLS makes a copy at
/// once, for each client its own. Event loop only.
final class PacedWriter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let pieceBytes = 64 << 10

    private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()
    /// Of the answers that are handed over and not yet with TLS.
    private(set) var waitingBytes = 0
    private var isSending = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        waitingBytes += bytes.readableBytes
        waiting.append((bytes, promise))
    }

    func flush(context: ChannelHandlerContext) { send(context) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelWritabilityChanged()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while !waiting.isEmpty, context.channel.isWritable {
            var room = Self.pieceBytes
            while room > 0, !waiting.isEmpty {
                var (bytes, promise) = waiting.removeFirst()
                let count = min(room, bytes.readableBytes)
                room -= count
                waitingBytes -= count
                guard count < bytes.readableBytes, let piece = bytes.readSlice(length: count) else {
                    context.write(wrapOutboundOut(bytes), promise: promise)
                    continue
                }
                context.write(wrapOutboundOut(piece), promise: nil)
                waiting.prepend((bytes, promise))
            }
            context.flush()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        while let (_, promise) = waiting.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
        waitingBytes = 0
        context.fireChannelInactive()
    }
}
