import NIOCore

/// The life of one client's connection: bytes arrive, requests are taken from them one after the other, and
/// the last answer ends the connection. A value without sockets and engine. Its owner reports events to it,
/// and does what it returns.
///
/// Time is counted in sweeps of the event loop, which the owner passes; see ``GatewayLoop``.
struct ConnectionStateMachine {
    enum State {
        /// Requests are taken from the bytes at hand.
        case reading
        /// The client of the next request is found out, in the check of this number. At the sweep `until` the
        /// request is decided in any case.
        case identifying(Int, until: Int)
        /// The engine works on the answer to a request. At the sweep `until` the request is answered in any
        /// case.
        case waiting(ClientRequest, until: Int)
        /// The body of an accepted request is taken from the bytes at hand.
        case receiving(ClientRequest, Arrival)
        /// A body is forwarded in one or both directions.
        case proxying(ClientRequest, Proxied)
        /// Events are sent until one side ends the stream. Bytes that arrive are dropped.
        case streaming
        /// The connection carries this number of HTTP/2 streams. Each stream has its own machine.
        case carrying(Int)
        /// The last answer is being sent. Bytes that arrive are dropped.
        case finishing(Ending)
        /// The last answer was sent, and the client has a moment to read it before the connection closes.
        case lingering
        case closed
    }

    /// The progress of a body.
    struct Arrival {
        var reader: BodyReader
        /// The sweep at which reading began.
        var since: Int
        var bytes = 0
    }

    /// How a connection ends after its last answer.
    enum Ending: Equatable {
        case close
        /// Closing at once while bytes are still arriving would reset the connection, and the client might
        /// never see the answer. So the sending half closes first (RFC 9112 9.6).
        case closeOutput
    }

    /// Only the machine changes it.
    var state = State.reading
    /// The connection is over the limit: it gets one answer, and only about the host's health.
    private(set) var isSurplus = false
    /// Bytes that were received and not yet taken by a request.
    var input = ByteBuffer()
    private var parser: RequestParser
    let limits: GatewayLimits
    private var requestCount = 0
    /// The number of checks of credentials so far.
    var checkCount = 0
    /// The sweep at which the current incomplete head began.
    var headSweep: Int?
    /// The sweep at which the connection began, until its TLS handshake is done.
    var handshakeSweep: Int?
    /// The sweep at which the gateway began to stop, if the first request had not come by then.
    var leavingSweep: Int?
    /// The sweep at which the last bytes arrived or were sent.
    var lastSweep: Int
    /// The number of unread bytes at which reading from the socket stops. It is larger than the largest head,
    /// so that a head which is too large is recognised.
    let maxUnreadBytes: Int
    /// The current limit: ``maxUnreadBytes``, or 0 while the receiver of a body takes nothing.
    var readRoom: Int
    private var isReadHeld = false
    /// The client takes its answers.
    private var isWritable = true
    /// The number of bytes that were handed to the socket so far.
    var writtenBytes = 0
    /// The sweep at which the client was last found to take its answers, and the bytes that it had taken by
    /// then.
    var takenSweep: Int
    var takenBytes = 0

    init(limits: GatewayLimits, sweep: Int, awaitsHandshake: Bool = false) {
        parser = RequestParser(limits: limits)
        self.limits = limits
        handshakeSweep = awaitsHandshake ? sweep : nil
        lastSweep = sweep
        takenSweep = sweep
        maxUnreadBytes = max(32 << 10, limits.maxHeaderBytes + limits.maxTargetBytes + 256)
        readRoom = maxUnreadBytes
    }

    var isReading: Bool {
        if case .reading = state { true } else { false }
    }

    var isFinishing: Bool {
        if case .finishing = state { true } else { false }
    }

    var isReceiving: Bool {
        switch state {
        case .receiving: true
        case .proxying(_, let proxied): proxied.takesBody
        default: false
        }
    }

    // MARK: Requests

    /// True if there may be requests to answer now, or a part of a body to take.
    mutating func receive(_ bytes: ByteBuffer, sweep: Int) -> Bool {
        switch state {
        case .reading, .identifying, .waiting, .receiving, .proxying: break
        case .streaming, .carrying, .finishing, .lingering, .closed: return false
        }
        lastSweep = sweep
        if input.readableBytes == 0 {
            input = bytes
        } else {
            if input.readerIndex > maxUnreadBytes { input.discardReadBytes() }
            input.writeImmutableBuffer(bytes)
        }
        return isReading || isReceiving
    }

    enum Next {
        /// The connection waits: for bytes, for an answer, for a client that takes its answers, or for its
        /// end.
        case none
        /// A request's head. Its offsets count from the first byte of ``input``. It stays the next one until
        /// it is taken.
        case request(RequestHead)
        /// A part of the current request's body.
        case part(ByteBuffer)
        /// The body is complete, and its request can be answered.
        case complete(ClientRequest)
        /// With this part the body is longer than the gateway holds. The rest may be forwarded.
        case grown(ByteBuffer)
        /// A part of a body that is forwarded.
        case streamed(ByteBuffer)
        /// The forwarded body is complete.
        case streamedEnd
        /// The bytes are no request, so no request can follow them.
        case fault(RequestFault)
    }

    @inline(__always)
    mutating func next(sweep: Int) -> Next {
        guard isReading, isWritable, input.readableBytes > 0 else {
            if isReceiving { return nextOfBody(sweep: sweep) }
            if input.readableBytes == 0 { input = ByteBuffer() }
            return .none
        }
        switch input.withUnsafeReadableBytes({ parser.next($0) }) {
        case .needMore:
            if headSweep == nil { headSweep = sweep }
            return .none
        case .fault(let fault): return .fault(fault)
        case .head(let head):
            headSweep = nil
            return .request(head)
        }
    }

    /// Moves past a head whose answer, of this number of bytes, is handed to the socket now and doesn't end
    /// the connection.
    @inline(__always)
    mutating func skip(_ head: RequestHead, answeredWith bytes: Int) {
        input.moveReaderIndex(forwardBy: head.length)
        writtenBytes += bytes
    }

    /// Moves past a head and keeps the parts that its answer needs.
    ///
    /// - Parameter isLeaving: The gateway or its listener stops.
    mutating func take(
        _ head: RequestHead, of client: GatewayLoop.Client, isLeaving: Bool, startedAt: Double?
    ) -> ClientRequest {
        requestCount += 1
        let request = input.withUnsafeReadableBytes { bytes in
            ClientRequest(
                requestCount, head, in: bytes, limits: limits, client, closes: isLeaving || isSurplus,
                startedAt: startedAt)
        }
        input.moveReaderIndex(forwardBy: head.length)
        return request
    }

    // MARK: Answers

    /// The engine works on the answer. No further request is taken until the answer is there.
    mutating func wait(for request: ClientRequest, until sweep: Int) {
        guard isReading else { return }
        state = .waiting(request, until: sweep)
    }

    /// Changes the sweep at which a waiting request is answered in any case.
    mutating func extend(_ number: Int, until sweep: Int) {
        guard case .waiting(let request, _) = state, request.number == number else { return }
        state = .waiting(request, until: sweep)
    }

    /// The request that waits, if it still has this number: the client may have gone, or a timeout has
    /// answered.
    mutating func resume(_ number: Int, sweep: Int) -> ClientRequest? {
        let request: ClientRequest
        switch state {
        case .waiting(let waiting, _): request = waiting
        case .proxying(let proxying, let proxied) where !proxied.isAnswering: request = proxying
        default: return nil
        }
        guard request.number == number else { return nil }
        state = .reading
        readRoom = maxUnreadBytes
        lastSweep = sweep
        return request
    }

    /// An answer of this number of bytes is handed to the socket. True if it is the last one. The owner then
    /// calls ``lastAnswerIsOut(sweep:)``.
    mutating func answer(_ request: ClientRequest, bytes: Int, closes: Bool) -> Bool {
        writtenBytes += bytes
        guard closes else { return false }
        state = .finishing(request.hasUnreadBytes || input.readableBytes > 0 ? .closeOutput : .close)
        headSweep = nil
        input = ByteBuffer()
        readRoom = maxUnreadBytes
        return true
    }

    /// Nil if the connection has closed meanwhile.
    mutating func lastAnswerIsOut(sweep: Int) -> Ending? {
        guard case .finishing(let ending) = state else { return nil }
        state = .lingering
        lastSweep = sweep
        return ending
    }

    // MARK: The socket

    /// The connection came when there were too many.
    mutating func becomeSurplus() { isSurplus = true }

    /// False stops reading while a client sends requests but takes no answers; see ``releaseRead()``.
    mutating func mayRead() -> Bool {
        isReadHeld = input.readableBytes >= readRoom
        return !isReadHeld
    }

    /// True if reading may go on.
    @inline(__always)
    mutating func releaseRead() -> Bool {
        guard isReadHeld, input.readableBytes < readRoom else { return false }
        isReadHeld = false
        return true
    }

    /// True if requests that waited for the client may be answered now.
    mutating func setWritable(_ writable: Bool, sweep: Int) -> Bool {
        isWritable = writable
        guard writable, isReading else { return false }
        lastSweep = sweep
        return true
    }

    mutating func close() {
        state = .closed
        input = ByteBuffer()
    }

    /// No request waits for an answer, or the current head makes no progress.
    func isIdle(unsentBytes: Int, sweep: Int) -> Bool {
        if case .carrying(let streams) = state { return streams == 0 && !isSurplus }
        guard isReading, !isSurplus, unsentBytes == 0 else { return false }
        return input.readableBytes == 0 || headSweep.map { $0 + 1 < sweep } ?? false
    }

    /// Idle connections with a lower order are closed first.
    var idleOrder: (Int, Int) { (input.readableBytes == 0 ? 0 : 1, lastSweep) }
}
