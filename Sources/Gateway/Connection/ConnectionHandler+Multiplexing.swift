import NIOCore
import NIOHTTP2

/// A connection that carries streams of HTTP/2. For the rest of the gateway each stream is a connection with
/// one request (rules 63). This connection answers no requests itself, and its end ends the streams.
extension ConnectionHandler {
    private static let maxStreams = 100
    /// The bytes of bodies that are in transit and not yet taken: of one stream, and of all together.
    private static let streamWindow = 64 << 10
    private static let connectionWindow = 1 << 20
    private static let maxEmptyFrames = 16
    /// The number of control frames that may wait because the client doesn't read.
    private static let maxControlFrames = 1000
    private static let maxContinuations = 8
    /// The limit in 30 seconds for each of: stream resets by the client, stream errors, and control frames.
    private static let maxEvents = 200

    func carryStreams(_ context: ChannelHandlerContext, _ secure: SecureSide) throws {
        secure.carriesStreams = true
        machine.carryStreams(sweep: loop.sweeps)
        let eventLoop = loop.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: eventLoop,
            configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil))
        let errors = MultiplexingErrors(self)
        let configuration = multiplexing
        let frames = NIOHTTP2Handler(
            mode: .server, frameDelegate: errors, connectionConfiguration: configuration.connection,
            streamConfiguration: configuration.stream)
        // This multiplexer gives each stream a channel. It is separate from the frame handler, so that
        // another handler fits between them.
        let multiplexer = HTTP2StreamMultiplexer(
            mode: .server, channel: context.channel, targetWindowSize: Self.streamWindow
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try bound.value.begin(stream) }
        }
        let hot = HotStreams(
            self, manager.http2StreamDelegate, limits: loop.rules.access.limits,
            connectionWindow: Self.connectionWindow)
        try context.pipeline.syncOperations.addHandlers([frames, hot, multiplexer, manager, errors])
    }

    private var multiplexing: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: loop.rules.access.limits.maxHeaderBytes),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow),
        ]
        // ``TranslatedRequest`` validates heads itself, and more strictly.
        configuration.connection.headerBlockValidation = .disabled
        configuration.connection.maximumSequentialEmptyDataFrames = Self.maxEmptyFrames
        configuration.connection.maximumBufferedControlFrames = Self.maxControlFrames
        configuration.connection.maximumSequentialContinuationFrames = Self.maxContinuations
        configuration.connection.controlFrameRateLimit.maximumCount = Self.maxEvents
        configuration.stream.streamResetFrameRateLimit.maximumCount = Self.maxEvents
        configuration.stream.streamErrorRateLimit.maximumCount = Self.maxEvents
        return configuration
    }

    private func begin(_ stream: any Channel) throws {
        guard let secure else { return }
        let side = SecureSide(ofStreamOn: secure)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        machine.beginStream(sweep: loop.sweeps)
        stream.closeFuture.whenComplete { _ in bound.value.endCarriedStream() }
        let handler = ConnectionHandler(loop: loop, listener: listener, secure: side)
        handler.source = source
        try stream.pipeline.syncOperations.addHandlers([StreamTranslator(on: self), side.writer, handler])
    }

    private func endCarriedStream() { machine.endStream(sweep: loop.sweeps, isLeaving: isLeaving) }

    /// Closes the connection of a client that keeps sending malformed requests (RFC 9113 10.5).
    func noteMalformedStream() {
        malformedStreams += 1
        guard malformedStreams > Self.maxEvents else { return }
        context?.flush()
        close()
    }

    /// Accepts no more streams, and closes when the existing ones have ended (RFC 9113 6.8).
    func goAway() {
        context?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    /// The last stream has ended, but the socket may not yet have all of its answer.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, let secure, secure.carriesStreams, !machine.isFinishing else {
            return context.close(mode: mode, promise: promise)
        }
        machine.finishCarrying(sweep: loop.sweeps)
        let out = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        out.futureResult.whenComplete { _ in bound.value.close() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: out)
        promise?.succeed()
    }
}

/// Ends a connection after a connection error. The error doesn't say whether it concerns only one stream; the
/// GOAWAY that the library sends because of it does (RFC 9113 5.4.1).
private final class MultiplexingErrors: ChannelInboundHandler, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame

    private let connection: ConnectionHandler
    private var isOver = false

    init(_ connection: ConnectionHandler) { self.connection = connection }

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { isOver = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isOver else { return }
        // Handlers between may hold it until the current read ends.
        connection.context?.flush()
        connection.close()
    }
}
