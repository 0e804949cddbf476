import NIOCore
import NIOHTTP2

/// A connection that carries streams of HTTP/2. Each is a connection with one request to all else here
/// (rules 63); this one answers nothing itself, and ends them when it ends.
extension ConnectionHandler {
    private static let maxStreams = 100
    /// Of bodies that are on their way and that nobody has taken: of a stream, and of all together.
    private static let streamWindow = 64 << 10
    private static let connectionWindow = 1 << 20
    private static let maxEmptyFrames = 16
    /// That wait because the client takes nothing.
    private static let maxControlFrames = 1000
    private static let maxContinuations = 8
    /// In 30 seconds: resets of streams by the client, errors of streams, and control frames.
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
        // The one that gives each stream a channel, apart from the frames, so that something fits between.
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
        // ``TranslatedRequest`` does it, more strictly.
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
        try stream.pipeline.syncOperations.addHandlers([
            StreamTranslator(on: self), side.writer,
            ConnectionHandler(loop: loop, listener: listener, secure: side),
        ])
    }

    private func endCarriedStream() { machine.endStream(sweep: loop.sweeps, isLeaving: isLeaving) }

    /// A client that goes on sending what is no request is let go (RFC 9113 10.5).
    func noteMalformedStream() {
        malformedStreams += 1
        guard malformedStreams > Self.maxEvents else { return }
        context?.flush()
        close()
    }

    /// Takes no more streams, and closes when those that are there have ended (RFC 9113 6.8).
    func goAway() {
        context?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    /// Asked for behind the end of the last stream, some of whose answer may not be with the socket yet.
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

/// Ends a connection on which nothing can be understood any more. An error doesn't say whether it is one of
/// its stream alone; that the client is told to go because of it does (RFC 9113 5.4.1).
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
        // Handlers between may keep it until the end of what is being read.
        connection.context?.flush()
        connection.close()
    }
}
