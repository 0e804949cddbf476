/// A transport without a network: answers what it was told to, when it was told to, and remembers what came.
///
/// Nothing happens but on the scheduler's turns and timers, so with a ``ManualClock`` a test decides when.
@EngineActor
public final class StubTransport: Transport {
    private let scheduler: Scheduler
    /// The stubs, the newest last.
    public private(set) var stubs: [Stub] = []
    /// Recordings that answer what no stub does, the newest last.
    package private(set) var replays: [RecordedAnswers] = []
    private var isPaused = false
    private var paused: [(request: TransportRequest, transfer: StubTransfer)] = []

    /// What was sent, in order, whether a stub matched or not; an upload as the body that a server would get.
    public private(set) var requests: [TransportRequest] = []

    /// What was sent and had no stub.
    public private(set) var unmatched: [TransportRequest] = []

    private var inFlight: [ObjectIdentifier: StubTransfer] = [:]

    /// How many transfers have neither ended nor been cancelled.
    public var transfersInFlight: Int { inFlight.count }

    /// Told of each request that has no stub, before it fails.
    public var onUnmatched: (@EngineActor (TransportRequest) -> Void)?

    /// Answers on the turns and timers of that scheduler.
    public init(scheduler: Scheduler) { self.scheduler = scheduler }

    // MARK: Stubs

    /// Answers requests of `method`, or of any method when it is nil, whose URL matches a glob, with its
    /// query or without. Of several stubs that match, the newest answers.
    ///
    /// - Parameters:
    ///   - base: What a glob without a scheme is relative to.
    ///   - condition: What else a request must have.
    ///   - isHeld: No answer before ``Stub/go()``.
    ///   - reply: The answer, chosen when the request is sent.
    @discardableResult
    public func stub(
        method: Method?, urlGlob: String, base: BaseURL? = nil,
        when condition: StubCondition = StubCondition(),
        isHeld: Bool = false, reply: @escaping @EngineActor (TransportRequest) -> StubReply
    ) throws(PatternError) -> Stub {
        let stub = Stub(
            method: method, pattern: try GlobPattern(urlGlob, base: base), condition: condition,
            isHeld: isHeld,
            reply: reply)
        stubs.append(stub)
        return stub
    }

    /// The same with one answer for all.
    @discardableResult
    public func stub(
        method: Method?, urlGlob: String, base: BaseURL? = nil,
        when condition: StubCondition = StubCondition(),
        isHeld: Bool = false, _ reply: StubReply
    ) throws(PatternError) -> Stub {
        try stub(method: method, urlGlob: urlGlob, base: base, when: condition, isHeld: isHeld) { _ in reply }
    }

    /// Has a recording answer what no stub does (rule 49.1).
    package func replay(_ answers: RecordedAnswers) { replays.append(answers) }

    /// Forgets all stubs, recordings and what was sent. What is in flight goes on.
    public func clear() {
        stubs = []
        replays = []
        requests = []
        unmatched = []
    }

    /// What is sent from now on waits for the turn after ``resume()`` before it looks for a stub.
    public func pause() { isPaused = true }

    /// What waited is matched in the next turn, what is sent from now on at once.
    public func resume() {
        isPaused = false
        let waiting = paused
        paused = []
        guard !waiting.isEmpty else { return }
        scheduler.nextTurn {
            for (request, transfer) in waiting where !transfer.isOver { self.dispatch(request, transfer) }
        }
    }

    // MARK: Transport

    public func send(
        _ sent: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        let transfer = StubTransfer(scheduler: scheduler) { [weak self] transfer, result in
            self?.inFlight[ObjectIdentifier(transfer)] = nil
            guard let result else { return }
            completion(result)
        }
        transfer.receiver = sent.receiver
        inFlight[ObjectIdentifier(transfer)] = transfer
        if case .stream(let pipe)? = sent.upload {
            _ = CollectedBody(of: pipe) { [weak self] result in
                guard let self, !transfer.isOver else { return }
                var whole = sent
                whole.upload = nil
                whole.receiver = nil
                switch result {
                case .success(let bytes):
                    whole.body = bytes
                    take(whole, transfer)
                case .failure(let error): transfer.start(nil, .error(error))
                }
            }
            return transfer
        }
        // Uploads are read here, so stubs see and keep what a server would.
        var request: TransportRequest
        do throws(FileError) { request = try sent.withUploadRead() } catch {
            transfer.start(nil, .error(TransportError(error)))
            return transfer
        }
        request.receiver = nil
        take(request, transfer)
        return transfer
    }

    private func take(_ request: TransportRequest, _ transfer: StubTransfer) {
        requests.append(request)
        if isPaused { paused.append((request, transfer)) } else { dispatch(request, transfer) }
    }

    /// Lets everything in flight fail, at once.
    public func endAll(with error: TransportError) {
        paused = []
        for transfer in inFlight.values { transfer.fail(error) }
    }

    private func dispatch(_ request: TransportRequest, _ transfer: StubTransfer) {
        let url = URLText(request.url)
        guard let match = url.flatMap({ url in stubs.last { $0.matches(request, url) } }) else {
            for answers in replays.reversed() {
                if let result = answers.answer(request) { return transfer.start(nil, StubReply(result)) }
            }
            return transfer.start(nil, refusal(of: request))
        }
        transfer.start(match, match.take(request))
    }

    private func refusal(of request: TransportRequest) -> StubReply {
        unmatched.append(request)
        onUnmatched?(request)
        return .error(TransportError(.internal, message: "no stub for \(request.method) \(request.url)"))
    }
}

/// A request on its way to the answer of a stub.
@EngineActor
final class StubTransfer: Transfer {
    private var stub: StubTransport.Stub?
    private var reply = StubReply(.success(TransportResponse(status: 200)))
    private let scheduler: Scheduler
    /// Gets the body of a success.
    var receiver: (any BodyReceiver)?
    /// The success whose body the receiver gets, and where it is in it.
    private var streamed: (response: TransportResponse, place: Int)?
    /// Called once: with the answer, or with nil when the transfer was cancelled.
    private var end: (@EngineActor (StubTransfer, TransportResult?) -> Void)?

    init(
        scheduler: Scheduler, end: @escaping @EngineActor (StubTransfer, TransportResult?) -> Void
    ) {
        self.scheduler = scheduler
        self.end = end
    }

    var isOver: Bool { end == nil }

    func start(_ stub: StubTransport.Stub?, _ reply: StubReply) {
        self.stub = stub
        self.reply = reply
        let arrive: @EngineActor () -> Void = { self.arrive() }
        if reply.delay > 0 { scheduler.after(reply.delay, arrive) } else { scheduler.nextTurn(arrive) }
    }

    private func arrive() {
        guard end != nil else { return }
        if let stub, stub.holds(reply) { stub.hold(self) } else { finish(reply.result) }
    }

    /// The stub opened, from within a call of the engine perhaps, which must return before an answer comes.
    func release() {
        scheduler.nextTurn { self.finish(self.reply.result) }
    }

    func cancel() {
        stub?.forget(self)
        finish(nil)
    }

    func fail(_ error: TransportError) {
        stub?.forget(self)
        finish(.failure(error))
    }

    var progress: TransferProgress { stub?.progress ?? TransferProgress() }

    func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard end != nil, streamed == nil else { return false }
        self.receiver = receiver
        return true
    }

    func resume() {
        if streamed != nil { scheduler.nextTurn { self.deliver() } }
    }

    /// The next pieces of the body, until the receiver wants no more for now, or it has all.
    private func deliver() {
        guard end != nil, let receiver, let (response, place) = streamed else { return }
        if place >= response.body.count {
            streamed = nil
            self.receiver = nil
            var rest = response
            rest.body = []
            return finish(.success(rest))
        }
        let next = min(place + Self.pieceBytes, response.body.count)
        streamed = (response, next)
        if receiver.receive(Array(response.body[place..<next])) { scheduler.nextTurn { self.deliver() } }
    }

    private static let pieceBytes = 16 << 10

    private func finish(_ result: TransportResult?) {
        guard let end else { return }
        if let receiver, case .success(let response)? = result, (200..<300).contains(response.status) {
            streamed = (response, 0)
            var head = response
            head.body = []
            receiver.begin(head, of: self)
            return deliver()
        }
        self.end = nil
        end(self, result)
    }
}
