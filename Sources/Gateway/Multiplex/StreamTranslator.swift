import NIOCore
import NIOHPACK
import NIOHTTP2

/// Makes of one stream of HTTP/2 what ``ConnectionHandler`` knows, a connection with one request of HTTP/1.1,
/// so that both are answered by the same code (rules 63). Event loop only.
final class StreamTranslator: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Carries the stream.
    private let connection: ConnectionHandler
    private var request = TranslatedRequest()
    private var answer = TranslatedAnswer()
    /// Nothing more is written to it.
    private var hasEnded = false
    /// Of what ended it, when nobody else waits for that.
    private var end: EventLoopFuture<Void>?
    /// The client has said all that it will.
    private var isRequestWhole = false

    init(on connection: ConnectionHandler) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = context.channel.allocator.buffer(capacity: 1024)
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if headers.endStream { isRequestWhole = true }
            guard !request.hasHead else {
                // What follows a body is read and forgotten, as in chunks.
                guard TranslatedRequest.areTrailers(headers.headers) else { return refuse(context) }
                request.end(&bytes)
                break
            }
            guard request.begin(headers.headers, isWhole: headers.endStream, &bytes) else {
                return refuse(context)
            }
            answer.isForHead = headers.headers.first(name: ":method") == "HEAD"
        case .data(let part):
            guard case .byteBuffer(let content) = part.data else { return }
            request.add(content, &bytes)
            if part.endStream {
                isRequestWhole = true
                request.end(&bytes)
            }
        default: return
        }
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    }

    /// RFC 9113 8.1.1: a malformed request is an error of its stream.
    private func refuse(_ context: ChannelHandlerContext) {
        hasEnded = true
        reset(.protocolError, context)
        context.close(promise: nil)
        connection.noteMalformedStream()
    }

    private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard !hasEnded else {
            guard bytes.readableBytes == 0, let end else {
                promise?.fail(ChannelError.outputClosed)
                return
            }
            // It is asked when the answer is out.
            end.cascade(to: promise)
            return
        }
        if bytes.readableBytes == 0, answer.endsWithConnection {
            hasEnded = true
            let last = HTTP2Frame.FramePayload.Data(data: .byteBuffer(bytes), endStream: true)
            return context.write(wrapOutboundOut(.data(last)), promise: promise)
        }
        let parts = answer.take(bytes)
        var promise = promise
        if answer.isComplete, promise == nil {
            promise = context.eventLoop.makePromise()
            end = promise?.futureResult
        }
        for (index, part) in parts.enumerated() {
            context.write(wrapOutboundOut(part), promise: index == parts.count - 1 ? promise : nil)
        }
        if parts.isEmpty { promise?.succeed() }
        hasEnded = answer.isComplete
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is BrokenAnswer else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        reset(.internalError, context)
        // Nothing more is said of the stream, in either direction.
        (hasEnded, isRequestWhole) = (true, true)
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if !hasEnded, answer.endsWithConnection {
            hasEnded = true
            let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            context.writeAndFlush(wrapOutboundOut(.data(end)), promise: nil)
        }
        // The stream has ended as far as we are concerned, which is all that closing one half does.
        guard mode == .all else {
            promise?.succeed()
            return
        }
        if !request.hasHead {
            // Nobody has looked at it, and it may be asked again elsewhere (RFC 9113 8.7).
            reset(.refusedStream, context)
        } else if hasEnded, !isRequestWhole {
            // The answer holds, and the rest of the request isn't wanted (RFC 9113 8.1).
            reset(.noError, context)
        }
        context.close(mode: mode, promise: promise)
    }
}
