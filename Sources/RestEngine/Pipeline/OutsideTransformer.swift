/// A transformer whose work is done on other threads. Steps that stand beside each other and go to the same place are sent
/// there together, with the portable ones before and between them.
public protocol OutsideTransformer: Transformer {
    /// Where it is done.
    nonisolated var place: any TransformerPlace { get }

    /// False for a response that it leaves as it is: failures, for most transformers.
    nonisolated func mayChange(_ response: Response) -> Bool
}

extension OutsideTransformer {
    /// On the loop it does nothing: what it may change goes to its place.
    public func process(_ response: Response, _ context: PipelineContext) -> Response { response }
}

/// Does visits on threads of its own, several at a time.
@EngineActor
public protocol TransformerPlace: AnyObject, Sendable {
    /// Takes a visit on. `completion` is called once, on the engine loop, and not before this returns, whatever becomes of
    /// the visit. Gives what ``cancel(_:)`` takes.
    func send(
        _ visit: TransformerVisit, completion: @escaping @EngineActor (TransformerVisit.Outcome) -> Void
    ) -> UInt64

    /// Nobody wants the outcome any more. One that has not begun is answered at once.
    func cancel(_ visit: UInt64)
}
