/// A response that is at another place, and what becomes of it then.
@EngineActor
final class OutsideWork {
    private var run: PipelineRun
    private let engine: Engine
    private var completion: (@EngineActor (PipelineRun) -> Void)?
    private var current: (place: any TransformerPlace, id: UInt64)?

    /// Does the rest of a run that has come to a visit. `completion` gets it at its end, in a later pass of the loop.
    init(
        _ run: PipelineRun, _ next: (visit: TransformerVisit, place: any TransformerPlace), _ engine: Engine,
        completion: @escaping @EngineActor (PipelineRun) -> Void
    ) {
        self.run = run
        self.engine = engine
        self.completion = completion
        send(next)
    }

    /// Nobody wants the outcome any more.
    func cancel() {
        completion = nil
        if let current { current.place.cancel(current.id) }
        current = nil
    }

    private func send(_ next: (visit: TransformerVisit, place: any TransformerPlace)) {
        engine.beginOutsideWork()
        let id = next.place.send(next.visit) { [self] outcome in
            current = nil
            receive(outcome)
            // Only now: whoever waits for this must find what came of it.
            engine.endOutsideWork()
        }
        current = (next.place, id)
    }

    private func receive(_ outcome: TransformerVisit.Outcome) {
        guard let completion else { return }
        run.take(outcome)
        if let next = run.next() { return send(next) }
        self.completion = nil
        completion(run)
    }
}
