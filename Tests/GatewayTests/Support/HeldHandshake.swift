import NIOCore

/// Holds a part of a client's bytes until the test lets them go. On the channel's event loop, between the
/// socket and TLS.
final class HeldHandshake: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Place: Sendable, CaseIterable {
        /// In the middle of the first message.
        case inHello
        /// Behind the first message: the server's answer stays unanswered.
        case behindHello
    }

    private let place: Place
    private var context: ChannelHandlerContext?
    /// Nil before the first message.
    private var held: ByteBuffer?
    private var goesOn = false

    init(_ place: Place) { self.place = place }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !goesOn else { return context.write(data, promise: promise) }
        var bytes = unwrapOutboundIn(data)
        if held == nil {
            let count = place == .inHello ? bytes.readableBytes / 2 : bytes.readableBytes
            context.write(wrapOutboundOut(bytes.readSlice(length: count) ?? ByteBuffer()), promise: nil)
            held = ByteBuffer()
        }
        held?.writeImmutableBuffer(bytes)
        promise?.succeed()
    }

    func goOn() {
        goesOn = true
        if let held { context?.writeAndFlush(wrapOutboundOut(held), promise: nil) }
        held = nil
    }
}
