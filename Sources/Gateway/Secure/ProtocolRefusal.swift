import NIOCore

/// Refuses a client that offers protocols and none that the gateway speaks (RFC 7301 3.2, rule 61.1), for
/// swift-nio-ssl goes on without one. It stands before the handler of TLS until the first message is whole.
///
/// Bytes pass as they come, but for those that complete such a message: the TLS library answers nothing else.
final class ProtocolRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `no_application_protocol`, a fatal alert in a record of its own.
    private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 120]

    private var reader = ClientHelloReader()
    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch reader.take(unwrapInboundIn(data).readableBytesView) {
        case .needMore: context.fireChannelRead(data)
        case .offers(let offered?) where !offered.contains(where: ListenerSecrets.speaks):
            hasRefused = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Self.alert)), promise: nil)
            context.close(promise: nil)
        case .offers:
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }
}
