import NIOCore
import NIOHPACK
import NIOHTTP2
import RestEngine

/// Answers a stream of HTTP/2 whose answer is fresh in memory. It hands all others to the multiplexer, which
/// makes a channel for each (rules 63). It stands between the frame handler and the multiplexer. Event loop
/// only.
///
/// Its requests are checked by the same ``RequestParser`` and ``ConnectionHandler`` as all others.
final class HotStreams: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let connection: ConnectionHandler
    /// Ends the connection behind its last stream. The multiplexer gets the ends of streams by events.
    private let manager: any NIOHTTP2StreamDelegate
    private let connectionWindow: Int
    private var parser: RequestParser
    /// The bytes of one head, in the form of HTTP/1.1.
    private var bytes = ByteBuffer()
    /// The client's table of fields isn't larger than the default. In a larger table the encoder would search
    /// all entries for each field, and hold them in memory.
    private var isTableSmall = true
    private static let standardTableBytes = 4096
    private enum Owner { case here, multiplexer }
    /// Streams that haven't ended. An answer from here may still wait for its client's window.
    private var open: [HTTP2StreamID: Owner] = [:]

    init(
        _ connection: ConnectionHandler, _ manager: any NIOHTTP2StreamDelegate, limits: GatewayLimits,
        connectionWindow: Int
    ) {
        self.connection = connection
        self.manager = manager
        self.connectionWindow = connectionWindow
        parser = RequestParser(limits: limits)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch open[frame.streamID] {
        // The stream expects no more, and the multiplexer doesn't know it.
        case .here: return
        case .multiplexer: break
        case nil:
            if case .headers(let headers) = frame.payload, headers.endStream,
                answer(frame.streamID, headers.headers, context)
            {
                return
            }
        }
        if case .settings(.settings(let settings)) = frame.payload {
            for setting in settings where setting.parameter == .headerTableSize {
                isTableSmall = setting.value <= Self.standardTableBytes
            }
        }
        context.fireChannelRead(data)
    }

    /// False if the multiplexer gets the stream.
    private func answer(
        _ stream: HTTP2StreamID, _ headers: HPACKHeaders, _ context: ChannelHandlerContext
    ) -> Bool {
        guard context.channel.isWritable, let own = connection.context else { return false }
        var request = TranslatedRequest()
        bytes.clear()
        guard request.begin(headers, isWhole: true, &bytes) else { return false }
        let found = bytes.withUnsafeReadableBytes { bytes -> (HotAnswer, PrerenderedResponse)? in
            guard case .head(let head) = parser.next(bytes) else {
                parser = RequestParser(limits: parser.limits)
                return nil
            }
            return connection.prerendered(for: head, bytes, own)
        }
        guard let (answer, form) = found else { return false }
        open[stream] = .here
        // The frames are flushed when all requests of the current read have been answered.
        for frame in form.wholeFrames(indexed: isTableSmall) {
            context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: frame)), promise: nil)
        }
        connection.count(answer, form, isHead: false)
        return true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let created as NIOHTTP2StreamCreatedEvent:
            if open[created.streamID] != nil {
                return manager.streamCreated(created.streamID, channel: context.channel)
            }
            open[created.streamID] = .multiplexer
        case let closed as StreamClosedEvent:
            switch open.removeValue(forKey: closed.streamID) {
            case .here:
                return manager.streamClosed(closed.streamID, channel: context.channel)
            case .multiplexer: break
            // The stream's head was refused.
            case nil: return
            }
        case let window as NIOHTTP2WindowUpdatedEvent where window.streamID == .rootStream:
            return widenWindow(window.inboundWindowSize, context)
        case let window as NIOHTTP2WindowUpdatedEvent where open[window.streamID] == .here: return
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Widens the connection's window for streams of this handler. The multiplexer only widens those of its
    /// own streams.
    private func widenWindow(_ size: Int?, _ context: ChannelHandlerContext) {
        guard let size, size <= connectionWindow / 2 else { return }
        let frame = HTTP2Frame(
            streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: connectionWindow - size))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
