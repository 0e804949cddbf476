import NIOCore

/// Hands long answers to TLS, or to the socket, in pieces, as the client takes them. Of what it is given TLS
/// makes a copy at once, for each client its own, and a client that takes quickly would have the event loop
/// for itself until the end. Event loop only.
final class PacedWriter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let pieceBytes = 64 << 10
    /// What goes out before others of the event loop have a turn: tenths of a millisecond, with TLS one.
    private static let bytesPerTick = 512 << 10
    /// Nothing less needs a writer where there is no TLS.
    static let largestPlain = 1 << 20

    private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()
    /// Of the answers that are handed over and not yet with TLS.
    private(set) var waitingBytes = 0
    /// Since the last flush: the head of a stream's answer is one, and wants to be flushed too.
    private var hasPassedEvent = false
    private var isSending = false
    /// Bytes that may still go out in this turn. A socket that takes quickly asks for more within one.
    private var bytesLeft = bytesPerTick
    /// It goes on in another turn of the event loop.
    private var isPlanned = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        waitingBytes += bytes.readableBytes
        waiting.append((bytes, promise))
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        hasPassedEvent = true
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if hasPassedEvent, waiting.isEmpty { context.flush() }
        hasPassedEvent = false
        send(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelWritabilityChanged()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isSending, !isPlanned else { return }
        isSending = true
        defer { isSending = false }
        while !waiting.isEmpty, context.channel.isWritable {
            guard bytesLeft > 0 else { return plan(context) }
            bytesLeft -= Self.pieceBytes
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

    private func plan(_ context: ChannelHandlerContext) {
        isPlanned = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Not `execute`, whose tasks come before the event loop looks at its sockets again.
        context.eventLoop.scheduleTask(in: .microseconds(10)) {
            let (writer, context) = bound.value
            writer.isPlanned = false
            writer.bytesLeft = Self.bytesPerTick
            writer.send(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        while let (_, promise) = waiting.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
        waitingBytes = 0
        context.fireChannelInactive()
    }
}
