/// A request that will be answered by a stub or a recording.
@EngineActor
final class StubTransfer: Transfer {
    private var stub: StubTransport.Stub?
    private var reply = StubReply(.success(TransportResponse(status: 200)))
    private let scheduler: Scheduler
    /// Gets the body of a success.
    private var receiver: (any BodyReceiver)?
    /// The limit for a body without a receiver.
    private var maxBodyBytes = Int.max
    /// The success whose body the receiver gets, and the number of bytes delivered.
    private var streamed: (response: TransportResponse, place: Int)?
    /// The timer of a delayed reply.
    private var timer: EngineTimer?
    /// Whether the limits of a request apply, as with a network.
    private let isLimited: Bool
    private var limits = Timeouts()
    private var firstByteLimit: EngineTimer?
    private var totalLimit: EngineTimer?
    /// Called once: with the answer, or with nil if the transfer was cancelled.
    private var end: (@EngineActor (StubTransfer, TransportResult?) -> Void)?

    init(
        scheduler: Scheduler, isLimited: Bool = false,
        end: @escaping @EngineActor (StubTransfer, TransportResult?) -> Void
    ) {
        self.scheduler = scheduler
        self.isLimited = isLimited
        self.end = end
    }

    var isOver: Bool { end == nil }

    /// Accepts a request, and passes it on with its upload as a body, as a server would get it: at once, or
    /// when a stream was written completely.
    ///
    /// - Parameter kept: The limit for the bytes of a stream; the rest is read and dropped.
    func accept(
        _ sent: TransportRequest, keeping kept: Int = .max,
        _ completion: @escaping @EngineActor (TransportRequest) -> Void
    ) {
        receiver = sent.receiver
        maxBodyBytes = sent.maxBodyBytes
        limits = sent.timeouts
        totalLimit = limit(limits.totalSeconds, .total, "the transfer did not end within the time limit")
        var request = sent
        request.receiver = nil
        if case .stream(let pipe)? = sent.upload {
            request.upload = nil
            TaskPreference.$executor.withValue(scheduler.tasks) {
                _ = CollectedBody(of: pipe, keeping: kept) { result in
                    guard !self.isOver else { return }
                    switch result {
                    case .success(let bytes):
                        request.body = bytes
                        completion(request)
                    case .failure(let error): self.start(nil, .error(error))
                    }
                }
            }
            return
        }
        do throws(FileError) { completion(try request.withUploadRead()) } catch {
            start(nil, .error(TransportError(error)))
        }
    }

    private func limit(
        _ seconds: Double, _ phase: TransportError.Phase, _ message: String
    ) -> EngineTimer? {
        guard isLimited, seconds > 0 else { return nil }
        return scheduler.after(seconds) { [weak self] in
            self?.fail(TransportError(.timeout, phase: phase, message: message))
        }
    }

    func start(_ stub: StubTransport.Stub?, _ reply: StubReply) {
        self.stub = stub
        self.reply = reply
        firstByteLimit = limit(limits.firstByteSeconds, .firstByte, "the stub did not answer in time")
        let arrive: @EngineActor () -> Void = { self.arrive() }
        if reply.delaySeconds > 0 {
            timer = scheduler.after(reply.delaySeconds, arrive)
        } else {
            scheduler.nextTick(arrive)
        }
    }

    private func arrive() {
        guard end != nil else { return }
        if let stub, stub.holds(reply) { stub.hold(self) } else { finish(reply.result) }
    }

    /// Sends the held answer in the next tick, because the engine may be inside a call now.
    func release() {
        scheduler.nextTick { self.finish(self.reply.result) }
    }

    func cancel() {
        stub?.forget(self)
        complete(nil)
    }

    func fail(_ error: TransportError) {
        stub?.forget(self)
        complete(.failure(error))
    }

    var progress: TransferProgress { stub?.progress ?? TransferProgress() }

    func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard end != nil, streamed == nil else { return false }
        self.receiver = receiver
        return true
    }

    func resume() {
        if streamed != nil { scheduler.nextTick { self.deliver() } }
    }

    /// Delivers the next pieces of the body, until the receiver wants no more for now, or has all.
    private func deliver() {
        guard end != nil, let receiver, let (response, place) = streamed else { return }
        if place >= response.body.count {
            var rest = response
            rest.body = []
            switch reply.ending {
            // Like a connection without further data.
            case .never: return
            case .whole: return complete(.success(rest))
            case .failure(let error): return complete(.failure(error))
            }
        }
        let next = min(place + Self.pieceBytes, response.body.count)
        streamed = (response, next)
        if receiver.receive(Array(response.body[place..<next])) { scheduler.nextTick { self.deliver() } }
    }

    private static let pieceBytes = 16 << 10

    private func finish(_ result: TransportResult?) {
        firstByteLimit?.cancel()
        guard end != nil, case .success(let response)? = result else { return complete(result) }
        if let receiver, (200..<300).contains(response.status) {
            streamed = (response, 0)
            var head = response
            head.body = []
            receiver.begin(head, of: self)
            return deliver()
        }
        guard response.body.count <= maxBodyBytes else {
            return complete(
                .failure(
                    TransportError(
                        .tooLarge, phase: .receive, message: "the body is larger than \(maxBodyBytes) bytes",
                        limit: maxBodyBytes)))
        }
        switch reply.ending {
        case .whole: complete(result)
        case .failure(let error): complete(.failure(error))
        case .never:
            complete(
                .failure(
                    TransportError(
                        .internal, phase: .receive,
                        message: "the recording has the beginning of this body: its request was cancelled")))
        }
    }

    private func complete(_ result: TransportResult?) {
        guard let end else { return }
        self.end = nil
        for timer in [timer, firstByteLimit, totalLimit] { timer?.cancel() }
        (timer, firstByteLimit, totalLimit) = (nil, nil, nil)
        receiver = nil
        streamed = nil
        end(self, result)
    }
}
