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
        onNeeded = nil
        switch action {
        case .useThisResponse: work.end(chain, info)
        case .useResponse(let substitute): work.end(chain, substitute)
        case .passTo(let target): work.pass(chain, to: target)
        }
    }

    /// Ends the chain with an error: a ``RequestError`` as it is, anything else as the cause of one.
    public func fail(_ error: any Error) {
        let target = request.work.target
        let failure = RequestError(
            thrown: error, timestamp: chain.engine.scheduler.now, url: target?.url, method: target?.method)
        answer(.useResponse(ResponseInfo(.failure(failure))))
    }
}
