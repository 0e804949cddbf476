import NIOCore

/// Begins a connection with the header of a proxy, before TLS (PROXY protocol).
final class ProxySide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let header: [UInt8]

    init(_ header: [UInt8]) { self.header = header }

    func channelActive(context: ChannelHandlerContext) {
        if !header.isEmpty { context.write(wrapOutboundOut(ByteBuffer(bytes: header)), promise: nil) }
        context.fireChannelActive()
    }
}
