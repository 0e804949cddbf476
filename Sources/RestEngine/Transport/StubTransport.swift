import Platform

/// A transport without a network: it gives prepared answers and records the requests.
///
/// Everything happens in the scheduler's ticks and timers, so with a ``ManualClock`` a test controls the
/// time.
@EngineActor
package final class StubTransport: Transport {
    private let scheduler: Scheduler
    /// The stubs, the newest last.
    package private(set) var stubs: [Stub] = []
    /// Recordings that answer requests without a stub, the newest last.
    package private(set) var replays: [RecordedAnswers] = []
    private var isPaused = false
    private var paused: [(request: TransportRequest, transfer: StubTransfer)] = []

    /// The requests that were sent, in order, with or without a matching stub; an upload is a body, as a
    /// server would get it.
    package private(set) var requests: [TransportRequest] = []

    /// The requests without a matching stub.
    package private(set) var unmatched: [TransportRequest] = []

    private var inFlight: [ObjectIdentifier: StubTransfer] = [:]

    /// The number of transfers that have neither ended nor been cancelled.
    package var transfersInFlight: Int { inFlight.count }

    /// Called for each request without a stub, before it fails.
    package var onUnmatched: (@EngineActor (TransportRequest) -> Void)?
    /// The message of the error that a request without a stub gets.
    package var unmatchedMessage: @EngineActor (TransportRequest) -> String = {
        "no stub for \($0.method) \($0.url)"
    }

    private let isLimited: Bool

    /// Answers in the ticks and timers of that scheduler.
    ///
    /// - Parameter isLimited: Whether the limits of a request for the first byte and in total apply, as with
    ///   a network; otherwise an answer may be as late as it likes.
    package init(scheduler: Scheduler, isLimited: Bool = false) {
        self.scheduler = scheduler
        self.isLimited = isLimited
    }

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
    package func stub(
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
    package func stub(
        method: Method?, urlGlob: String, base: BaseURL? = nil,
        when condition: StubCondition = StubCondition(),
        isHeld: Bool = false, _ reply: StubReply
    ) throws(PatternError) -> Stub {
        try stub(method: method, urlGlob: urlGlob, base: base, when: condition, isHeld: isHeld) { _ in reply }
    }

    /// Uses a recording for requests that no stub matches (rule 49.1).
    package func replay(_ answers: RecordedAnswers) { replays.append(answers) }

    /// Removes all stubs, recordings and recorded requests. Transfers in flight continue.
    package func clear() {
        stubs = []
        replays = []
        requests = []
        unmatched = []
    }

    /// Requests that are sent from now on wait for the tick after ``resume()`` before a stub is selected.
    package func pause() { isPaused = true }

    /// Matches the waiting requests in the next tick, and later ones at once.
    package func resume() {
        isPaused = false
        let waiting = paused
        paused = []
        guard !waiting.isEmpty else { return }
        scheduler.nextTick {
            for (request, transfer) in waiting where !transfer.isOver { self.dispatch(request, transfer) }
        }
    }

    /// The stubs, the nearest to a request first; of equally near ones the newest, because it is asked first.
    package func nearest(to request: TransportRequest) -> [Stub] {
        let wanted = Array(request.url.utf8.prefix(200))
        func distance(_ stub: Stub) -> Int {
            let method = stub.method == nil || stub.method?.rawValue == request.method ? 0 : 4
            return method + NearestName.distance(Array(stub.pattern.text.utf8.prefix(200)), wanted)
        }
        return stubs.reversed().enumerated()
            .map { (place: $0.offset, stub: $0.element, far: distance($0.element)) }
            .sorted { ($0.far, $0.place) < ($1.far, $1.place) }
            .map(\.stub)
    }

    // MARK: Transport

    package func send(
        _ sent: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        let transfer = StubTransfer(scheduler: scheduler, isLimited: isLimited) {
            [weak self] transfer, result in
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
    package func endAll(with error: TransportError) {
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
        return .error(TransportError(.internal, message: unmatchedMessage(request)))
    }
}
