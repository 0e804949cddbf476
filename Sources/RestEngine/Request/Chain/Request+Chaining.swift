extension Request {
    /// A request that waits for this one, shows its outcome to `decide` and does what that says (rules
    /// 10.1, 10.2). Hooks of this request see its own outcome.
    ///
    /// The chain has started if this request has; else starting it starts this one (10.3). `decide` runs
    /// once, and not at all when the chain is cancelled before (10.4). What it throws is the chain's error.
    public func chained(_ decide: @escaping @EngineActor (ResponseInfo) throws -> ChainAction) -> Request {
        chained(deciding: { info, decision in
            do { decision.answer(try decide(info)) } catch { decision.fail(error) }
        })
    }

    /// The same for a decision that may take time.
    public func chained(deciding decide: @escaping ChainDecider) -> Request {
        chain(by: { decide })
    }

    /// The same with a decider for each attempt, so that it can know when the attempt was made.
    func chain(by makeDecider: @escaping @EngineActor () -> ChainDecider) -> Request {
        let work = ChainWork(self, makeDecider: makeDecider)
        guard work.depth <= ChainWork.maxDepth else {
            return Request(
                engine: engine,
                failedWith: RequestError(
                    cause: .scriptError(
                        .init(message: "a chain of more than \(ChainWork.maxDepth) requests")),
                    timestamp: engine.scheduler.now))
        }
        let chain = Request(engine: engine, work: work)
        if state != .notStarted { chain.start() }
        return chain
    }
}

/// What a chain does with the response of the request it waited for (rule 10.2).
public enum ChainAction {
    /// The chain ends with the response as it is, ``ResponseInfo/isNew`` included.
    case useThisResponse
    /// The chain ends with this one, which passes no pipeline (10.11).
    case useResponse(ResponseInfo)
    /// The chain waits for this request, which is started if need be, and takes over its outcome.
    case passTo(Request)
}

/// Decides how a chain goes on, at once or later, by answering the decision, which must be answered.
public typealias ChainDecider = @EngineActor (ResponseInfo, ChainDecision) -> Void

/// The answer that a chain waits for. Only the first counts, and none after the chain was cancelled.
@EngineActor
public final class ChainDecision {
    /// The request that has ended.
    public let request: Request
    let chain: Request
    private let work: ChainWork
    private let info: ResponseInfo
    private var isAnswered = false
    /// Called when a refresh has come to depend on the chain.
    var onNeeded: (@EngineActor () -> Void)?
    /// Called when the chain has ended without an answer.
    var onWithdrawal: (@EngineActor () -> Void)?

    init(_ request: Request, _ info: ResponseInfo, of chain: Request, _ work: ChainWork) {
        self.request = request
        self.info = info
        self.chain = chain
        self.work = work
    }

    /// False when an answer would be ignored.
    public var isAwaited: Bool { !isAnswered && chain.state == .inProgress }

    /// Has the chain go on; ignored when an answer is not awaited.
    public func answer(_ action: ChainAction) {
        guard isAwaited else { return }
        isAnswered = true
        (onNeeded, onWithdrawal) = (nil, nil)
        switch action {
        case .useThisResponse: work.end(chain, info)
        case .useResponse(let substitute): work.end(chain, substitute)
        case .passTo(let target): work.pass(chain, to: target)
        }
    }

    /// The chain has ended, and wants no answer.
    func withdraw() {
        let notify = onWithdrawal
        (onNeeded, onWithdrawal) = (nil, nil)
        notify?()
    }

    /// Ends the chain with an error: a ``RequestError`` as it is, anything else as the cause of one.
    public func fail(_ error: any Error) {
        let target = request.work.target
        let failure = RequestError(
            thrown: error, timestamp: chain.engine.scheduler.now, url: target?.url, method: target?.method)
        answer(.useResponse(ResponseInfo(.failure(failure))))
    }
}
