import NIOCore

/// Takes the header of the PROXY protocol from the beginning of a connection, before TLS and requests. It
/// accepts connections of trusted proxies alone, and closes others. Event loop only.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let isTrusted: (SocketAddress?) -> Bool
    private var bytes: [UInt8] = []
    private var isOver = false

    /// - Parameter isTrusted: Whether the other end of the connection is a trusted proxy.
    init(isTrusted: @escaping (SocketAddress?) -> Bool) { self.isTrusted = isTrusted }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if !isTrusted(context.channel.remoteAddress) { end(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        bytes += unwrapInboundIn(data).readableBytesView
        switch ProxyHeaderReader.read(bytes) {
        case .needMore: break
        case .fault: end(context)
        case .header(let source, let length):
            isOver = true
            context.fireUserInboundEventTriggered(source)
            let rest = bytes[length...]
            if !rest.isEmpty { context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: rest))) }
            bytes = []
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        isOver = true
        context.close(promise: nil)
    }
}
