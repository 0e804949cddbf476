import NIOCore

/// Hands long answers to TLS, or to the socket, in pieces as the client takes them. TLS copies at once all
/// that it gets, separately for each client, and a client that takes quickly would occupy the event loop
/// until the end of its answer. Event loop only.
final class PacedWriter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let pieceBytes = 64 << 10
    /// The bytes that go out before other connections run: that takes tenths of a millisecond, with TLS one
    /// millisecond.
    private static let bytesPerTick = 512 << 10
    /// Smaller answers need no writer without TLS.
    static let largestPlain = 1 << 20

    private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()
    /// The bytes of answers that were handed over and are not yet with TLS.
    private(set) var waitingBytes = 0
    /// An event was forwarded since the last flush. The head of an HTTP/2 answer is one, and it must be
    /// flushed too.
    private var hasPassedEvent = false
    private var isSending = false
    /// The bytes that may still go out in this tick. A fast socket asks for more within one tick.
    private var bytesLeft = bytesPerTick
    /// It continues in a later tick of the event loop.
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
        // `execute` would run before the event loop looks at its sockets again.
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
