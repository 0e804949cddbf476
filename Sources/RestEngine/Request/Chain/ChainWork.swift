/// The work of a chain: it waits for a request, calls a function with the response, and may wait for another
/// request (rules 10).
@EngineActor
final class ChainWork: RequestWork {
    /// The limit for chains inside each other, and for chains that pass on to others. Each one is a step of
    /// recursion, and scripts control the number.
    static let maxDepth = 1000

    private let wrapped: Request
    /// Makes the decider of this chain, and another for each repeat.
    private let makeDecider: @EngineActor () -> ChainDecider
    private let decide: ChainDecider
    /// The request that the chain waits for, or whose response the decider has.
    private var current: Request?
    private weak var decision: ChainDecision?
    /// The number of chains inside this one.
    let depth: Int
    /// The number of chains that passed on before this one.
    private var level = 0
    /// Seconds for the whole chain; nil: those of its request.
    private var limit: Double?
    /// When the chain started, on the scheduler's uptime clock.
    private var began = 0.0
    /// Ends the chain when its time is over.
    private var timer: EngineTimer?
    private var isOverdue = false
    /// Whether the chain waits for a request with no more time than its own: that request's timeout error is
    /// more specific.
    private var awaitsOwn = false
    /// Whether the chain starts its request and is listed instead of it. A request that was already running
    /// is listed itself.
    private let startsWrapped: Bool

    init(_ wrapped: Request, makeDecider: @escaping @EngineActor () -> ChainDecider) {
        self.wrapped = wrapped
        self.makeDecider = makeDecider
        decide = makeDecider()
        current = wrapped
        depth = wrapped.chain.map { $0.depth + 1 } ?? 1
        startsWrapped = wrapped.state == .notStarted
    }

    func start(_ chain: Request) {
        began = chain.engine.scheduler.uptime
        let left = chain.timeLeft(of: totalSeconds)
        if left < .infinity {
            chain.mustEnd(by: began + left)
            // The waiting caller holds the chain; the timer must not keep it alive.
            timer = chain.engine.scheduler.after(left) { [weak self, weak chain] in
                guard let self, let chain else { return }
                isOverdue = true
                if !awaitsOwn { endOverdue(chain) }
            }
        }
        wait(for: wrapped, chain) { [self] in ask($0, chain) }
        wrapped.begin()
    }

    private func wait(
        for request: Request, _ chain: Request, then: @escaping @EngineActor (ResponseInfo) -> Void
    ) {
        current = request
        let isBegun = request.state != .notStarted
        awaitsOwn = !isBegun || request === wrapped
        if !isBegun { request.mustEnd(by: chain.deadline) }
        for pass in chain.neededBy { request.need(by: pass) }
        request.onCompletion { [self] info in
            awaitsOwn = false
            // The chain has ended before the request that it waited for.
            guard chain.state == .inProgress || chain.isCancelled else { return }
            if let exchange = request.exchange { chain.exchange = exchange }
            chain.trail = request.trail
            chain.notifyKeepers()
            then(info)
        }
    }

    /// Calls the decider once, and only if the chain was not cancelled (10.4).
    private func ask(_ info: ResponseInfo, _ chain: Request) {
        guard chain.state == .inProgress else { return }
        let decision = ChainDecision(wrapped, info, of: chain, self)
        self.decision = decision
        WorkScope(refreshes: chain.neededBy, origin: chain.origin, isWithinRequest: true).run {
            decide(info, decision)
        }
        if isOverdue, decision.isAwaited { endOverdue(chain) }
    }

    /// Ends the chain after its timeout. A request that others also wait for continues, for example a
    /// refresh.
    private func endOverdue(_ chain: Request) {
        let seconds = chain.deadline - began
        end(
            chain,
            ResponseInfo(
                .failure(
                    RequestError(
                        cause: .transport(.overdue(after: seconds)), timestamp: chain.engine.scheduler.now,
                        url: target?.url, method: target?.method))))
    }

    func giveBody(to receiver: any BodyReceiver) -> Bool { wrapped.giveBody(to: receiver) }

    func end(_ chain: Request, _ info: ResponseInfo) {
        stop()
        chain.complete(info)
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        current = nil
        decision?.withdraw()
    }

    func pass(_ chain: Request, to target: Request) {
        if target.state != .completed, chain.timeLeft(of: 0) <= 0 { return endOverdue(chain) }
        if let fault = fault(of: target, chain) {
            let error = RequestError(
                cause: .scriptError(.init(message: fault)), timestamp: chain.engine.scheduler.now)
            return end(chain, ResponseInfo(.failure(error)))
        }
        target.chain?.level = level + 1
        wait(for: target, chain) { [self] in end(chain, $0) }
        WorkScope.currentWithinRequest.run { _ = target.start() }
    }

    private func fault(of target: Request, _ chain: Request) -> String? {
        if level >= Self.maxDepth {
            return "a chain passed on to another one \(Self.maxDepth) times: use a loop in its function"
        }
        var next: Request? = target
        while let request = next {
            if request === chain { return "a chain can't pass to itself" }
            next = request.state == .completed ? nil : request.chain?.current
        }
        return nil
    }

    /// Cancels the request that the chain waits for (D6). A chain that never starts doesn't need its request
    /// any more either.
    func cancel(isRunning: Bool) {
        let request = current
        stop()
        request?.cancel()
    }

    /// Repeats the request, with the same decider function (9.8).
    func repeated() -> any RequestWork { ChainWork(wrapped.repeated(), makeDecider: makeDecider) }

    /// 0 for a request that has ended, because the chain may wait for another one (D7).
    var fraction: Double {
        guard let current, current.state != .completed else { return 0 }
        return current.progress
    }

    var progressInterval: Double { wrapped.work.progressInterval }

    var lister: Resource? { startsWrapped ? wrapped.work.lister : nil }

    var target: (url: String, method: String)? { wrapped.work.target }

    func mayWait(for request: Request) -> Bool {
        [wrapped, current].contains { $0.map { $0 === request || $0.work.mayWait(for: request) } ?? false }
    }

    /// Limits the whole chain, including requests that it passes on to.
    func limitTime(to seconds: Double) {
        limit = seconds
        if startsWrapped { wrapped.work.limitTime(to: seconds) }
    }

    var totalSeconds: Double { limit ?? wrapped.work.totalSeconds }

    func authenticate(by authentication: any RequestAuthentication) {
        wrapped.authenticate(by: authentication)
    }

    var network: NetworkWork? { startsWrapped ? wrapped.work.network : nil }

    func need(by pass: RefreshPass) {
        current?.need(by: pass)
        decision?.onNeeded?()
    }

    func heldBytes(beside known: Entity?) -> Int {
        let next = current === wrapped ? nil : current
        return 256 + wrapped.heldBytes(beside: known) + (next?.heldBytes(beside: known) ?? 0)
    }

    var description: String { "chain of \(wrapped.description)" }
}

extension Request {
    fileprivate var chain: ChainWork? { work as? ChainWork }
}
