import NIOCore

/// Refuses a client that offers protocols of which the gateway speaks none (RFC 7301 3.2, rule 61.1), because
/// swift-nio-ssl would go on without one. It stands before the TLS handler until the first message is
/// complete.
///
/// Bytes pass through as they arrive, except those that complete such a message. The TLS library doesn't
/// answer incomplete messages.
final class ProtocolRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The alert `no_application_protocol`, which is fatal, in a record of its own.
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
