import NIOCore
import NIOSSL
import NIOTLS
import RestEngine

/// One client's connection: reads requests and answers them in order. Event loop only.
///
/// Fresh content is answered at once. For anything else the connection asks the engine, and takes no further
/// request until the answer is there. ``ConnectionStateMachine`` decides what happens when. The handler
/// reports events to it, and calls the network library and the engine as it says.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: GatewayLoop
    let listener: ListenerState
    /// The number of the connection in its loop. It decides between connections that are equally idle.
    private let serial: Int
    var context: ChannelHandlerContext?
    // Unchecked, because a request touches it a dozen times and no call of its methods can touch it again.
    @exclusivity(unchecked) var machine: ConnectionStateMachine
    /// The part of the current request's body that has arrived.
    var body: [UInt8] = []
    /// The bytes that ``ConnectionRoom`` counts for this connection until its request is answered.
    private var countedBytes = 0
    /// Nil unless the connection carries a resource's events.
    var stream: ClientStream?
    /// Nil unless the connection carries events of either kind, whose head went out.
    var begunStream: BegunStream?
    /// Nil unless the connection carries the host's events.
    var events: HostEventStream?
    /// Nil unless a proxied exchange is under way.
    var proxied: ProxiedExchange?
    /// The sweep at which bytes of a stream were last sent.
    var streamedSweep = 0
    /// The read whose answer the client waits for.
    var pendingRead: PendingRead?
    /// The metrics' labels of the request that waits; see ``GatewayMetrics``.
    var labels = GatewayMetrics.noLabels
    /// Nil if the bytes go through another handler, such as TLS.
    private(set) var socket: AnswerSocket?
    /// Bytes were queued since the last flush.
    var needsFlush = false
    /// The network library may still hold queued bytes.
    var mayHaveQueue = false
    /// The client's slot while a request or a stream is under way, if their number is limited.
    var slot: ClientSlot?
    /// The client that was accepted last.
    var known: KnownClient?
    /// The client of a test, which shows no credentials.
    var assumed: GatewayLoop.Client?
    /// Nil unless the connection began with a header of the PROXY protocol.
    var source: ProxyHeaderReader.Source?
    /// Nil until trust in the other end matters.
    var trust: PeerTrust?
    /// Nil unless the client's credentials are being checked.
    var checked: CheckedCredentials?
    /// The conditions of the last request that had any.
    var conditions: KnownConditions?
    /// The number of HTTP/2 streams that were refused since the connection began.
    var malformedStreams = 0
    /// Nil without TLS.
    let secure: SecureSide?
    /// Nil with TLS, and until the first large answer.
    var pacedWriter: PacedWriter?

    /// - Parameter awaitsHeader: The connection begins with a header of the PROXY protocol.
    init(
        loop: GatewayLoop, listener: ListenerState, secure: SecureSide? = nil, awaitsHeader: Bool = false
    ) {
        self.loop = loop
        self.secure = secure
        serial = loop.nextSerial()
        self.listener = listener
        machine = ConnectionStateMachine(
            limits: loop.rules.access.limits, sweep: loop.sweeps,
            awaitsHandshake: secure.map { !$0.isStream } ?? awaitsHeader)
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if secure == nil { socket = AnswerSocket(of: context) }
        if isLeaving, isHTTP2Stream {
            // The client may send the request again on another connection (RFC 9113 8.7).
            context.close(promise: nil)
        } else {
            if !loop.add(self) { machine.becomeSurplus() }
            if isLeaving { drain() }
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        concludeWholeProxying(context)
        logAbandoned(context)
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
        if let source = event as? ProxyHeaderReader.Source {
            self.source = source
            if secure == nil { machine.endHandshake(sweep: loop.sweeps) }
            return
        }
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

    /// Keeps a part of a body. False if there is no memory for it.
    func keepBody(_ part: ByteBuffer) -> Bool {
        guard count(part.readableBytes) else { return false }
        body.append(contentsOf: part.readableBytesView)
        return true
    }

    /// Counts bytes for this connection until ``dropBody()``. False if there is no memory for them.
    func count(_ bytes: Int) -> Bool {
        guard loop.room.takeBody(bytes) else { return false }
        countedBytes += bytes
        return true
    }

    /// Takes back a count of ``count(_:)``.
    func discount(_ bytes: Int) {
        loop.room.giveBackBody(bytes)
        countedBytes -= bytes
    }

    /// Frees the body, because its request is answered or dropped.
    func dropBody() {
        body = []
        loop.room.giveBackBody(countedBytes)
        countedBytes = 0
    }

    /// The request under way is the connection's last one.
    var isLeaving: Bool { loop.isDraining || listener.isClosing }

    /// Closes the connection, and makes room in the loop at once.
    func close() {
        loop.remove(self)
        context?.close(promise: nil)
    }

    /// The loop may close the connection to make room.
    var isIdle: Bool { machine.isIdle(unsentBytes: unsentBytes, sweep: loop.sweeps) }

    /// A request is under way, or its answer is. Streams of HTTP/2 have handlers of their own.
    var hasRequest: Bool {
        !(secure?.carriesStreams ?? false) && !carriesEvents && machine.hasRequest(unsentBytes: unsentBytes)
    }

    /// Connections with a lower order are closed first.
    var idleOrder: (Int, Int, Int) {
        let order = machine.idleOrder
        return (order.0, order.1, serial)
    }

    /// Finishes the request under way, then closes.
    func drain() {
        if secure?.carriesStreams ?? false {
            machine.goAway(sweep: loop.sweeps)
            goAway()
        } else if carriesEvents || machine.leave(sweep: loop.sweeps) {
            close()
        }
    }

    func sweep() {
        sendHeartbeat()
        if carriesEvents, let known, known.until <= loop.uptime() { renewIdentity() }
        switch machine.sweep(loop.sweeps, unsentBytes: unsentBytes, timeout: loop.timeout) {
        case .nothing: break
        case .overdue(let number):
            finish(number, Problem.overdue.reply, pendingRead?.labels ?? GatewayMetrics.noLabels)
        case .unidentified(let number): goOn(number, withCheck: .failure(.unchecked))
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
