import NIOCore

/// The life of one client's connection: bytes come in, requests are taken from them one after the other, and
/// the last answer ends it. A value that knows neither sockets nor the engine; its owner tells it what
/// happened and does what it answers.
///
/// Time is counted in sweeps of the event loop, which are handed in; see ``GatewayLoop``.
struct ConnectionStateMachine {
    enum State {
        /// Requests are taken from the bytes at hand.
        case reading
        /// The engine was asked for the answer to a request. At the sweep `until` it is answered in any case.
        case waiting(ClientRequest, until: Int)
        /// The body of a request that was let in is taken from the bytes at hand.
        case receiving(ClientRequest, Arrival)
        /// A body goes through, or several, while both sides do something.
        case proxying(ClientRequest, Proxied)
        /// Events are sent until one side ends it; what still comes in is dropped.
        case streaming
        /// So many streams of HTTP/2 are on it, each with a machine of its own.
        case carrying(Int)
        /// The last answer is on its way; what still comes in is dropped.
        case finishing(Ending)
        /// It is out, and the client has a moment to take note of it before the connection closes.
        case lingering
        case closed
    }

    /// How far a body is.
    struct Arrival {
        var reader: BodyReader
        /// When it began to be read.
        var since: Int
        var bytes = 0
    }

    /// How a connection ends behind its last answer.
    enum Ending: Equatable {
        case close
        /// Closing at once while bytes are still coming in would reset the connection, and the client might
        /// never see the answer; so the sending half closes first (RFC 9112 9.6).
        case closeOutput
    }

    /// Changed by the machine alone.
    var state = State.reading
    /// One too many: it is answered once, and only about the host's health.
    private(set) var isSurplus = false
    /// What was received and not yet taken by a request.
    var input = ByteBuffer()
    private var parser: RequestParser
    let limits: GatewayLimits
    private var requestCount = 0
    /// The sweep at which the head that is incomplete began.
    var headSweep: Int?
    /// The sweep at which the connection came, until its handshake of TLS is done.
    var handshakeSweep: Int?
    /// The sweep at which the gateway began to stop, while the first request was still to come.
    var leavingSweep: Int?
    /// The sweep at which the last bytes came or went.
    var lastSweep: Int
    /// Beyond it nothing more is read from the socket. More than the largest head, so that one is found too
    /// large.
    let maxUnreadBytes: Int
    /// The same, or nothing while nobody takes more of a body.
    var readRoom: Int
    private var isReadHeld = false
    /// The client takes its answers.
    private var isWritable = true
    /// Handed to the socket so far.
    var writtenBytes = 0
    /// When the client was last found to take its answers, and how much it had taken.
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

    /// True when there may be requests to answer now, or a part of one to take.
    mutating func receive(_ bytes: ByteBuffer, sweep: Int) -> Bool {
        switch state {
        case .reading, .waiting, .receiving, .proxying: break
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
        /// Its offsets count from the first byte of ``input``. It is the next until it is taken.
        case request(RequestHead)
        /// Of the body of the request that is being received.
        case part(ByteBuffer)
        /// That body is complete, and its request is to be answered.
        case complete(ClientRequest)
        /// With this part that body is longer than is held; the rest may go through.
        case grown(ByteBuffer)
        /// Of a body that goes through.
        case streamed(ByteBuffer)
        /// That was all of it.
        case streamedEnd
        /// What came is no request; nothing behind it can be one.
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

    /// Moves past a head whose answer is handed to the socket now, so many bytes, and doesn't end the
    /// connection.
    @inline(__always)
    mutating func skip(_ head: RequestHead, answeredWith bytes: Int) {
        input.moveReaderIndex(forwardBy: head.length)
        writtenBytes += bytes
    }

    /// Moves past a head and keeps what its answer needs.
    ///
    /// - Parameter isLeaving: the gateway, or its listener, stops.
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

    /// The engine was asked; no further request is taken until the answer is there.
    mutating func wait(for request: ClientRequest, until sweep: Int) {
        guard isReading else { return }
        state = .waiting(request, until: sweep)
    }

    /// A request may take longer, or less long, than it was given.
    mutating func extend(_ number: Int, until sweep: Int) {
        guard case .waiting(let request, _) = state, request.number == number else { return }
        state = .waiting(request, until: sweep)
    }

    /// The request that waits, if it is still this one: the client may be gone, or answered by a time limit.
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

    /// An answer of so many bytes is handed to the socket. True when it is the last:
    /// ``lastAnswerIsOut(sweep:)`` is to follow.
    mutating func answer(_ request: ClientRequest, bytes: Int, closes: Bool) -> Bool {
        writtenBytes += bytes
        guard closes else { return false }
        state = .finishing(request.hasUnreadBytes || input.readableBytes > 0 ? .closeOutput : .close)
        headSweep = nil
        input = ByteBuffer()
        readRoom = maxUnreadBytes
        return true
    }

    /// Nil when the connection has closed meanwhile.
    mutating func lastAnswerIsOut(sweep: Int) -> Ending? {
        guard case .finishing(let ending) = state else { return nil }
        state = .lingering
        lastSweep = sweep
        return ending
    }

    // MARK: The socket

    /// There were too many when it came.
    mutating func becomeSurplus() { isSurplus = true }

    /// False: reading stops while a client sends requests but takes no answers; see ``releaseRead()``.
    mutating func mayRead() -> Bool {
        isReadHeld = input.readableBytes >= readRoom
        return !isReadHeld
    }

    /// True when what was held may be read now.
    @inline(__always)
    mutating func releaseRead() -> Bool {
        guard isReadHeld, input.readableBytes < readRoom else { return false }
        isReadHeld = false
        return true
    }

    /// True when requests that waited for it may be answered now.
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

    /// Nothing is under way.
    var isQuiet: Bool { isReading && input.readableBytes == 0 }

    /// The gateway, or its listener, stops. True when the connection closes now. What is under way is
    /// finished, and a client that was accepted and has asked nothing yet has a moment for its first request:
    /// nobody else would answer it.
    mutating func leave(sweep: Int) -> Bool {
        guard isQuiet, writtenBytes == 0 else { return isQuiet }
        leavingSweep = sweep
        return false
    }

    /// Nobody waits for anything on it, or for a request that doesn't get on.
    func isIdle(unsentBytes: Int, sweep: Int) -> Bool {
        if case .carrying(let streams) = state { return streams == 0 && !isSurplus }
        guard isReading, !isSurplus, unsentBytes == 0 else { return false }
        return input.readableBytes == 0 || headSweep.map { $0 + 1 < sweep } ?? false
    }

    /// Of idle connections those that are to be closed first come first.
    var idleOrder: (Int, Int) { (input.readableBytes == 0 ? 0 : 1, lastSweep) }
}
