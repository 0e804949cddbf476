extension Request {
    /// A request that waits for this one, calls `decide` with its outcome and follows the returned action
    /// (rules 10.1, 10.2). Hooks of this request get its own outcome.
    ///
    /// If this request has started, the chain counts as started; otherwise starting the chain starts this
    /// request (10.3). `decide` runs once, and never if the chain is cancelled before (10.4). If it throws,
    /// that error is the chain's.
    public func chained(_ decide: @escaping @EngineActor (ResponseInfo) throws -> ChainAction) -> Request {
        chained(deciding: { info, decision in
            do { decision.answer(try decide(info)) } catch { decision.fail(error) }
        })
    }

    /// The same for a decision that takes time.
    package func chained(deciding decide: @escaping ChainDecider) -> Request {
        chain(by: { decide })
    }

    /// The same with a new decider for each attempt, so that it knows when the attempt was made.
    func chain(by makeDecider: @escaping @EngineActor () -> ChainDecider) -> Request {
        let work = ChainWork(self, makeDecider: makeDecider)
        guard work.depth <= ChainWork.maxDepth else {
            return Request(
                engine: engine,
                failedWith: RequestError(
                    cause: .internal(message: "a chain of more than \(ChainWork.maxDepth) requests"),
                    timestamp: engine.scheduler.now))
        }
        let chain = Request(engine: engine, work: work)
        if state != .notStarted { chain.start() }
        return chain
    }
}

/// The action of a chain after the request that it waited for (rule 10.2).
public enum ChainAction {
    /// The chain ends with the response unchanged, including ``ResponseInfo/isNew``.
    case useThisResponse
    /// The chain ends with this response, which does not go through a pipeline (10.11).
    case useResponse(ResponseInfo)
    /// The chain waits for this request, starts it if necessary, and takes over its outcome.
    case passTo(Request)
}

/// Decides how a chain continues, at once or later. It must answer the decision.
package typealias ChainDecider = @EngineActor (ResponseInfo, ChainDecision) -> Void

/// The decision that a chain waits for. Only the first answer counts, and none after the chain was cancelled.
@EngineActor
package final class ChainDecision {
    /// The request that has ended.
    package let request: Request
    let chain: Request
    private let work: ChainWork
    private let info: ResponseInfo
    private var isAnswered = false
    /// Called when a refresh starts to depend on the chain.
    var onNeeded: (@EngineActor () -> Void)?
    /// Guards a repeat against credentials that have expired, too.
    var guardRepeat: (@EngineActor (Request) -> Request)?
    /// Called when the chain has ended without an answer.
    var onWithdrawal: (@EngineActor () -> Void)?

    init(_ request: Request, _ info: ResponseInfo, of chain: Request, _ work: ChainWork) {
        self.request = request
        self.info = info
        self.chain = chain
        self.work = work
    }

    /// False if an answer would be ignored.
    package var isAwaited: Bool { !isAnswered && chain.state == .inProgress }

    /// Continues the chain; ignored when no answer is awaited.
    package func answer(_ action: ChainAction) {
        guard isAwaited else { return }
        isAnswered = true
        (onNeeded, onWithdrawal) = (nil, nil)
        switch action {
        case .useThisResponse: work.end(chain, info)
        case .useResponse(let substitute): work.end(chain, substitute)
        case .passTo(let target): work.pass(chain, to: target)
        }
    }

    /// Called when the chain has ended and needs no answer.
    func withdraw() {
        let notify = onWithdrawal
        (onNeeded, onWithdrawal) = (nil, nil)
        notify?()
    }

    /// Ends the chain with an error: a ``RequestError`` unchanged, another error as the cause of one.
    package func fail(_ error: any Error) {
        let target = request.work.target
        let failure = RequestError(
            thrown: error, timestamp: chain.engine.scheduler.now, url: target?.url, method: target?.method)
        answer(.useResponse(ResponseInfo(.failure(failure))))
    }
}
