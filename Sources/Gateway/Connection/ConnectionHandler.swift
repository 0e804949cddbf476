import NIOCore
import NIOSSL
import NIOTLS
import RestEngine

/// One client's connection: reads requests, answers them in order. Event loop only.
///
/// Fresh content is answered here and now. Anything else is asked of the engine, and the connection takes no
/// further request until the answer is there. What happens when is decided by ``ConnectionStateMachine``;
/// this tells it of events, and calls the network library and the engine as it says.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: GatewayLoop
    let listener: ListenerState
    /// Connections of a loop are numbered as they come, which decides between those that are equally idle.
    private let serial: Int
    var context: ChannelHandlerContext?
    // Unchecked: a request touches it a dozen times, and it calls nobody who could touch it meanwhile.
    @exclusivity(unchecked) var machine: ConnectionStateMachine
    /// What has come of the body of the request that is being received.
    var body: [UInt8] = []
    /// What the room counts of it, until its request is answered.
    private var countedBytes = 0
    /// Nil unless events are sent on it.
    var stream: ClientStream?
    /// Nil unless the host's events are.
    var events: HostEventStream?
    /// Nil unless a body goes through it.
    var proxied: ProxiedExchange?
    /// The sweep at which something of a stream was last sent.
    var streamedSweep = 0
    /// Of the read that is waited for.
    var pendingRead: PendingRead?
    /// As what the request that waits is counted; see ``GatewayMetrics``.
    var labels = GatewayMetrics.noLabels
    /// Nil where its bytes go through somebody else, TLS for example.
    private(set) var socket: AnswerSocket?
    /// Something was queued since the last flush.
    var needsFlush = false
    /// The network library may not have sent all yet of what was queued.
    var mayHaveQueue = false
    /// Of its client's, while a request or a stream is under way and their number is limited.
    var slot: ClientSlot?
    /// Who was let in last.
    var known: KnownClient?
    /// Those of its last request that had any.
    var conditions: KnownConditions?
    /// Of HTTP/2, that were refused since it began.
    var malformedStreams = 0
    /// Nil without TLS.
    let secure: SecureSide?
    /// Nil with TLS, and until there is a large answer.
    var pacedWriter: PacedWriter?

    init(loop: GatewayLoop, listener: ListenerState, secure: SecureSide? = nil) {
        self.loop = loop
        self.secure = secure
        serial = loop.nextSerial()
        self.listener = listener
        machine = ConnectionStateMachine(
            limits: loop.rules.access.limits, sweep: loop.sweeps,
            awaitsHandshake: secure.map { !$0.isStream } ?? false)
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if secure == nil { socket = AnswerSocket(of: context) }
        if isLeaving, isHTTP2Stream {
            // It may be asked again on another connection (RFC 9113 8.7).
            context.close(promise: nil)
        } else {
            if !loop.add(self) { machine.becomeSurplus() }
            if isLeaving { drain() }
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        concludeWholeProxying(context)
        machine.close()
        endProxying()
        dropBody()
        leave()
        endStream()
        slot = nil
        self.context = nil
        socket = nil
        loop.remove(self)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let secure, case TLSUserEvent.handshakeCompleted(let chosen) = event {
            machine.endHandshake(sweep: loop.sweeps)
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if let certificate, let authority = secure.authority {
                secure.certificate = ClientCertificate(certificate, authority: authority)
            }
            if chosen == "h2" {
                do { try carryStreams(context, secure) } catch { context.close(promise: nil) }
                if isLeaving { drain() }
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Keeps a part of a body. False when there is no room for it.
    func keepBody(_ part: ByteBuffer) -> Bool {
        guard count(part.readableBytes) else { return false }
        body.append(contentsOf: part.readableBytesView)
        return true
    }

    /// Has so many bytes count as this connection's until ``dropBody()``. False when there is no room for
    /// them.
    func count(_ bytes: Int) -> Bool {
        guard loop.room.takeBody(bytes) else { return false }
        countedBytes += bytes
        return true
    }

    /// They don't after all.
    func discount(_ bytes: Int) {
        loop.room.giveBackBody(bytes)
        countedBytes -= bytes
    }

    /// Its request has been answered, or will not be.
    func dropBody() {
        body = []
        loop.room.giveBackBody(countedBytes)
        countedBytes = 0
    }

    /// The request under way is the connection's last.
    var isLeaving: Bool { loop.isDraining || listener.isClosing }

    /// The loop has room for another at once.
    func close() {
        loop.remove(self)
        context?.close(promise: nil)
    }

    /// The loop may close it to make room.
    var isIdle: Bool { machine.isIdle(unsentBytes: unsentBytes, sweep: loop.sweeps) }

    /// Those that are to be closed first come first.
    var idleOrder: (Int, Int, Int) {
        let order = machine.idleOrder
        return (order.0, order.1, serial)
    }

    /// Finishes what is under way, then closes.
    func drain() {
        if secure?.carriesStreams ?? false {
            machine.goAway(sweep: loop.sweeps)
            goAway()
        } else if isStreaming || machine.leave(sweep: loop.sweeps) {
            close()
        }
    }

    func sweep() {
        sendHeartbeat()
        switch machine.sweep(loop.sweeps, unsentBytes: unsentBytes, timeout: loop.timeout) {
        case .nothing: break
        case .overdue(let number):
            finish(number, Problem.overdue.reply, pendingRead?.labels ?? GatewayMetrics.noLabels)
        case .slowHead: fail(Problem(408, "request_timeout", "the request did not arrive in time"))
        case .slowBody:
            fail(Problem(408, "request_timeout", "the body of the request did not arrive in time"))
        case .silentSurplus: fail(.tooManyConnections)
        case .goAway: goAway()
        case .close: close()
        }
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if machine.receive(unwrapInboundIn(data), sweep: loop.sweeps) {
            answerRequests(context)
        } else if let secure, secure.carriesStreams, !machine.isFinishing {
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        if let secure, secure.carriesStreams { context.fireChannelReadComplete() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isStreaming { return catchUp() }
        if proxied != nil { sendBody() }
        if let secure, secure.carriesStreams { context.fireChannelWritabilityChanged() }
        guard machine.setWritable(context.channel.isWritable, sweep: loop.sweeps) else { return }
        answerRequests(context)
        flush(context)
    }

    func read(context: ChannelHandlerContext) {
        if machine.mayRead() { context.read() }
    }
}
