/// The rest of a pipeline's run while its response is with an executor.
@EngineActor
final class OffloadedRun {
    private var run: PipelineRun
    private let engine: Engine
    private var completion: (@EngineActor (PipelineRun) -> Void)?
    private var current: (executor: any TransformerExecutor, id: UInt64)?

    /// Does the rest of a run that has come to steps that are done elsewhere. `completion` gets it at its end, in a later pass of the loop.
    init(
        _ run: PipelineRun, _ next: (job: OffloadedJob, executor: any TransformerExecutor), _ engine: Engine,
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
        if let current { current.executor.cancel(current.id) }
        current = nil
    }

    private func send(_ next: (job: OffloadedJob, executor: any TransformerExecutor)) {
        engine.beginOffloadedWork()
        let id = next.executor.send(next.job) { [self] outcome in
            current = nil
            receive(outcome)
            // Only now: whoever waits for this must find what came of it.
            engine.endOffloadedWork()
        }
        current = (next.executor, id)
    }

    private func receive(_ outcome: OffloadedJob.Outcome) {
        guard let completion else { return }
        run.take(outcome)
        if let next = run.next() { return send(next) }
        self.completion = nil
        completion(run)
    }
}
