/// A transport without a network: it gives prepared answers and records the requests.
///
/// Everything happens in the scheduler's ticks and timers, so with a ``ManualClock`` a test controls the
/// time.
@EngineActor
public final class StubTransport: Transport {
    private let scheduler: Scheduler
    /// The stubs, the newest last.
    public private(set) var stubs: [Stub] = []
    /// Recordings that answer requests without a stub, the newest last.
    package private(set) var replays: [RecordedAnswers] = []
    private var isPaused = false
    private var paused: [(request: TransportRequest, transfer: StubTransfer)] = []

    /// The requests that were sent, in order, with or without a matching stub; an upload is a body, as a
    /// server would get it.
    public private(set) var requests: [TransportRequest] = []

    /// The requests without a matching stub.
    public private(set) var unmatched: [TransportRequest] = []

    private var inFlight: [ObjectIdentifier: StubTransfer] = [:]

    /// The number of transfers that have neither ended nor been cancelled.
    public var transfersInFlight: Int { inFlight.count }

    /// Called for each request without a stub, before it fails.
    public var onUnmatched: (@EngineActor (TransportRequest) -> Void)?

    /// Answers in the ticks and timers of that scheduler.
    public init(scheduler: Scheduler) { self.scheduler = scheduler }

    // MARK: Stubs

    /// Answers requests of `method`, or of any method if it is nil, whose URL matches a glob, with or without
    /// its query. If several stubs match, the newest answers.
    ///
    /// - Parameters:
    ///   - base: The base URL of a glob without a scheme.
    ///   - condition: Further conditions on a request.
    ///   - isHeld: Whether answers wait for ``Stub/go()``.
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

    /// The same with one answer for all requests.
    @discardableResult
    public func stub(
        method: Method?, urlGlob: String, base: BaseURL? = nil,
        when condition: StubCondition = StubCondition(),
        isHeld: Bool = false, _ reply: StubReply
    ) throws(PatternError) -> Stub {
        try stub(method: method, urlGlob: urlGlob, base: base, when: condition, isHeld: isHeld) { _ in reply }
    }

    /// Uses a recording for requests that no stub matches (rule 49.1).
    package func replay(_ answers: RecordedAnswers) { replays.append(answers) }

    /// Removes all stubs, recordings and recorded requests. Transfers in flight continue.
    public func clear() {
        stubs = []
        replays = []
        requests = []
        unmatched = []
    }

    /// Requests that are sent from now on wait for the tick after ``resume()`` before a stub is selected.
    public func pause() { isPaused = true }

    /// Matches the waiting requests in the next tick, and later ones at once.
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
        // Uploads are read here, so that stubs get and record what a server would.
        transfer.accept(sent) { [weak self] request in self?.take(request, transfer) }
        return transfer
    }

    private func take(_ request: TransportRequest, _ transfer: StubTransfer) {
        requests.append(request)
        if isPaused { paused.append((request, transfer)) } else { dispatch(request, transfer) }
    }

    /// Makes all transfers in flight fail, at once.
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
