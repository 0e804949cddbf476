import NIOCore
import NIOHPACK
import NIOHTTP2

/// Turns one stream of HTTP/2 into a connection with one request of HTTP/1.1 for ``ConnectionHandler``, so
/// that the same code answers both (rules 63). The answer's head arrives as an event with a ``ResponseHead``,
/// its body as bytes behind it. Event loop only.
final class StreamTranslator: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The handler of the connection that carries the stream.
    private let connection: ConnectionHandler
    private var request = TranslatedRequest()
    // Indexed fields are kept in a table whose size the client chooses, up to 4 GiB (RFC 7541 7.3).
    private var answer = TranslatedAnswer(indexing: .nonIndexable)
    /// The write that ended the stream, if no other caller waits for it.
    private var end: EventLoopFuture<Void>?
    /// The client has sent its whole request.
    private var isRequestWhole = false

    init(on connection: ConnectionHandler) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = context.channel.allocator.buffer(capacity: 1024)
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if headers.endStream { isRequestWhole = true }
            guard !request.hasHead else {
                // Fields behind a body are read and dropped, as those of chunks are.
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
        answer.breakOff()
        reset(.protocolError, context)
        context.close(promise: nil)
        connection.noteMalformedStream()
    }

    private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if answer.isComplete {
            // The promise is fulfilled when the answer has gone out. The body behind a head for HEAD is
            // dropped.
            guard let end else {
                promise?.fail(ChannelError.outputClosed)
                return
            }
            end.cascade(to: promise)
        } else if let frame = answer.take(unwrapOutboundIn(data)) {
            write(frame, promise, context)
        } else {
            promise?.succeed()
        }
    }

    private func write(
        _ frame: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        var promise = promise
        if answer.isComplete, promise == nil {
            promise = context.eventLoop.makePromise()
            end = promise?.futureResult
        }
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event {
        case let head as ResponseHead where !answer.isComplete: write(answer.begin(head), promise, context)
        case is ResponseHead: promise?.fail(ChannelError.outputClosed)
        case is BrokenAnswer:
            reset(.internalError, context)
            // The stream is over in both directions.
            answer.breakOff()
            isRequestWhole = true
            promise?.succeed()
        default: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if answer.endsWithConnection, let end = answer.take(ByteBuffer()) {
            context.writeAndFlush(wrapOutboundOut(end), promise: nil)
        }
        // Closing one half only ends the answer, and its last frame has done that.
        guard mode == .all else {
            promise?.succeed()
            return
        }
        if !request.hasHead {
            // The request was not processed, so the client may send it again elsewhere (RFC 9113 8.7).
            reset(.refusedStream, context)
        } else if answer.isComplete, !isRequestWhole {
            // The answer is complete, and the rest of the request isn't needed (RFC 9113 8.1).
            reset(.noError, context)
        }
        context.close(mode: mode, promise: promise)
    }
}
