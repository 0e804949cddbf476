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
        scheduler.nextTick {
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
        inFlight[ObjectIdentifier(transfer)] = transfer
        // Uploads are read here, so stubs see and keep what a server would.
        transfer.accept(sent) { [weak self] request in self?.take(request, transfer) }
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
                if let reply = answers.reply(to: request) { return transfer.start(nil, reply) }
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
