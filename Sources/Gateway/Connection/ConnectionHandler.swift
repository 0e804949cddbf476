import NIOCore
import RestEngine

/// One client's connection: reads requests, answers them in order. Event loop only.
///
/// Fresh content is answered here and now. Anything else is asked of the engine, and the connection reads no
/// further request until the answer is there.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case reading
        /// The engine was asked for the answer to `exchange`.
        case waiting
        /// The last answer is on its way; what still comes in is dropped.
        case finishing
        /// It is out, and the client has a moment to take note of it before the connection closes.
        case lingering
        case closed
    }

    private static let lingerSeconds = 2.0
    private static let guestSeconds = 2.0

    let loop: GatewayLoop
    let listener: ListenerState
    /// In the order of coming.
    private let serial: Int
    /// Beyond it nothing more is read from the socket. More than the largest head, so that one is found too large.
    private let maxUnreadBytes: Int
    var context: ChannelHandlerContext?
    var phase = Phase.reading
    var exchange: Exchange?
    var exchangeCount = 0
    var input = ByteBuffer()
    var parser: RequestParser
    var needsFlush = false
    /// The sweep at which the last bytes came or went.
    var lastTick: Int
    /// The sweep at which the head that is incomplete began.
    var headTick: Int?
    /// The value of Host that was accepted last, and under which rules; clients repeat themselves.
    var acceptedHost: [UInt8] = []
    var acceptedVersion = 0
    /// The client takes its answers; asking the channel each time costs more.
    var isWritable = true
    private var isReadHeld = false
    /// Handed to the channel so far.
    var writtenBytes = 0
    /// When the client was last found to take its answers, and how much it had taken.
    private var takenTick = 0
    private var takenBytes = 0
    /// One too many: it is answered once, and only about the host's health.
    private(set) var isGuest = false

    init(loop: GatewayLoop, listener: ListenerState) {
        self.loop = loop
        serial = loop.nextSerial()
        self.listener = listener
        parser = RequestParser(limits: loop.limits)
        lastTick = loop.tick
        takenTick = loop.tick
        maxUnreadBytes = max(32 << 10, loop.limits.maxHeaderBytes + loop.limits.maxTargetBytes + 256)
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if isLeaving {
            context.close(promise: nil)
        } else {
            isGuest = !loop.add(self)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        phase = .closed
        exchange = nil
        self.context = nil
        loop.remove(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The request under way is the connection's last.
    var isLeaving: Bool { loop.isDraining || listener.isClosing }

    /// The loop has room for another at once.
    func close() {
        loop.remove(self)
        context?.close(promise: nil)
    }

    /// Nobody waits for anything on it, or for a request that doesn't get on.
    var isIdle: Bool {
        guard phase == .reading, !isGuest, unsentBytes == 0 else { return false }
        return input.readableBytes == 0 || headTick.map { $0 + 1 < loop.tick } ?? false
    }

    /// Those that are to be closed first come first.
    var idleOrder: (Int, Int, Int) { (input.readableBytes == 0 ? 0 : 1, lastTick, serial) }

    /// Finishes what is under way, then closes.
    func drain() {
        if phase == .reading, input.readableBytes == 0 { close() }
    }

    /// The last answer is out.
    func end(lingers: Bool) {
        guard phase == .finishing else { return }
        phase = .lingering
        lastTick = loop.tick
        context?.close(mode: lingers ? .output : .all, promise: nil)
    }

    func sweep() {
        noteTaking()
        let idle = loop.tick - lastTick
        switch phase {
        case .closed: break
        case .waiting:
            if let exchange, loop.tick >= exchange.lastTick { finish(exchange.number, Problem.overdue.reply) }
        case .lingering: if idle >= loop.ticks(Self.lingerSeconds) { close() }
        case .reading, .finishing:
            if phase == .reading, let headTick, loop.tick - headTick >= loop.ticks(loop.limits.headerTimeout)
            {
                self.headTick = nil
                fail(Problem(408, "request_timeout", "the request did not arrive in time"))
            } else if phase == .reading, isGuest, idle >= loop.ticks(Self.guestSeconds) {
                fail(.tooManyConnections)
            } else if max(idle, loop.tick - takenTick) >= loop.ticks(loop.limits.idleTimeout) {
                close()
            }
        }
    }

    /// A client that takes a long answer slowly is not idle, unless it is very slow.
    private func noteTaking() {
        let unsent = unsentBytes
        let taken = writtenBytes - unsent
        let seconds = loop.seconds(loop.tick - takenTick)
        if unsent == 0 {
            if taken != takenBytes { lastTick = loop.tick }
        } else if Double(taken - takenBytes) >= seconds * Double(loop.limits.minAnswerRate) {
            lastTick = loop.tick
        } else {
            return
        }
        takenTick = loop.tick
        takenBytes = taken
    }

    private var unsentBytes: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase == .reading || phase == .waiting else { return }
        lastTick = loop.tick
        if input.readableBytes == 0 {
            input = unwrapInboundIn(data)
        } else {
            var more = unwrapInboundIn(data)
            if input.readerIndex > maxUnreadBytes { input.discardReadBytes() }
            input.writeBuffer(&more)
        }
        if phase == .reading { answerRequests(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
    }

    func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        guard isWritable, phase == .reading else { return }
        lastTick = loop.tick
        answerRequests(context)
        flush(context)
    }

    /// Reading stops while a client sends requests but takes no answers.
    func read(context: ChannelHandlerContext) {
        if input.readableBytes >= maxUnreadBytes {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadHeld, input.readableBytes < maxUnreadBytes else { return }
        isReadHeld = false
        context.read()
    }
}
