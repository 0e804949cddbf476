extension Request {
    /// A request that waits for this one, shows its outcome to `decide` and does what that says (rules
    /// 10.1, 10.2). Hooks of this request see its own outcome.
    ///
    /// The chain has started if this request has; else starting it starts this one (10.3). `decide` runs once, and
    /// not at all when the chain is cancelled before (10.4). What it throws is the chain's error.
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
