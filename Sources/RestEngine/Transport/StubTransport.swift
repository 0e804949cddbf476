/// A transport without a network: answers what it was told to, when it was told to, and remembers what came.
///
/// Nothing happens but on the scheduler's turns and timers, so with a ``ManualClock`` a test decides when.
@EngineActor
public final class StubTransport: Transport {
    private let scheduler: Scheduler
    private var stubs: [Stub] = []

    /// What was sent, in order, whether a stub matched or not; an upload as the body that a server would get.
    public private(set) var requests: [TransportRequest] = []

    /// What was sent and had no stub.
    public private(set) var unmatched: [TransportRequest] = []

    /// How many transfers have neither ended nor been cancelled.
    public private(set) var transfersInFlight = 0

    public init(scheduler: Scheduler) { self.scheduler = scheduler }

    // MARK: Stubs

    /// Answers requests of `method`, or of any method when it is nil, whose URL matches a glob (the query is
    /// not part of the match). Of several stubs that match, the newest answers.
    ///
    /// - Parameters:
    ///   - base: What a glob without a scheme is relative to.
    ///   - condition: What else a request must have.
    ///   - isHeld: No answer before ``Stub/go()``.
    ///   - reply: The answer, chosen when the request is sent.
    @discardableResult
    public func stub(
        method: String?, urlGlob: String, base: BaseURL? = nil,
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
        method: String?, urlGlob: String, base: BaseURL? = nil,
        when condition: StubCondition = StubCondition(),
        isHeld: Bool = false, _ reply: StubReply
    ) throws(PatternError) -> Stub {
        try stub(method: method, urlGlob: urlGlob, base: base, when: condition, isHeld: isHeld) { _ in reply }
    }

    /// Forgets all stubs and what was sent. What is in flight goes on.
    public func clear() {
        stubs = []
        requests = []
        unmatched = []
    }

    // MARK: Transport

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        transfersInFlight += 1
        let (match, reply) = answer(to: request)
        let transfer = StubTransfer(stub: match, reply: reply, scheduler: scheduler) { result in
            self.transfersInFlight -= 1
            guard let result else { return }
            completion(result)
        }
        transfer.start()
        return transfer
    }

    /// Uploads are read here, so stubs see and keep what a server would.
    private func answer(to sent: TransportRequest) -> (Stub?, StubReply) {
        let request: TransportRequest
        do throws(FileFailure) { request = try sent.withUploadRead() } catch {
            return (nil, .error(TransportError(error)))
        }
        requests.append(request)
        let url = URLText(request.url)
        let match = url.flatMap { url in stubs.last { $0.matches(request, url) } }
        return (match, match?.take(request) ?? refusal(of: request))
    }

    private func refusal(of request: TransportRequest) -> StubReply {
        unmatched.append(request)
        return .error(TransportError(.internal, message: "no stub for \(request.method) \(request.url)"))
    }
}
