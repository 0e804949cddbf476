/// A transformer whose work is done on other threads. Steps that stand beside each other and go to the same executor are sent
/// there together, with the portable ones before and between them.
public protocol OffloadedTransformer: Transformer {
    /// Where it is done.
    nonisolated var executor: any TransformerExecutor { get }

    /// False for a response that it leaves as it is: failures, for most transformers.
    nonisolated func mayChange(_ response: Response) -> Bool
}

extension OffloadedTransformer {
    /// On the loop it does nothing: what it may change goes to its executor.
    public func process(_ response: Response, _ context: PipelineContext) -> Response { response }
}

/// Does jobs on threads of its own, several at a time.
@EngineActor
public protocol TransformerExecutor: AnyObject, Sendable {
    /// Takes a job on. `completion` is called once, on the engine loop, and not before this returns, whatever becomes of
    /// the job. Gives what ``cancel(_:)`` takes.
    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64

    /// Nobody wants the outcome any more. One that has not begun is answered at once.
    func cancel(_ job: UInt64)
}
