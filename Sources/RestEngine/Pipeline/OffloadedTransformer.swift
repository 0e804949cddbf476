/// A transformer that runs on other threads. Adjacent steps with the same executor are sent there together,
/// with the portable steps before and between them.
package protocol OffloadedTransformer: PlacedTransformer {
    /// The executor that runs it.
    nonisolated var executor: any TransformerExecutor { get }

    /// False for a response that it does not change: failures, for most transformers.
    nonisolated func mayChange(_ response: Response) -> Bool
}

extension OffloadedTransformer {
    /// On the loop it has no effect: responses that it may change go to its executor.
    package func process(_ response: Response, _ context: PipelineContext) -> Response { response }
}

/// Runs jobs on threads of its own, several at a time.
@EngineActor
package protocol TransformerExecutor: AnyObject, Sendable {
    /// Accepts a job. `completion` is called once in any case, on the engine loop, and only after this has
    /// returned. Returns the number for ``cancel(_:)``.
    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64

    /// Cancels a job whose outcome is no longer needed. One that has not begun is completed at once.
    func cancel(_ job: UInt64)
}

/// A response and the steps to run on it elsewhere, in one go (rules 16.2, 16.11).
///
/// It is a value, so the executor needs no knowledge of pipelines, resources or the loop.
package struct OffloadedJob: Sendable {
    enum Part: Sendable {
        case step(PipelineStage.Step, stage: String)
        /// The end of a stage, where its cache gets the result so far (22.6).
        case end(stage: String)
    }

    /// The response before the first step.
    package let response: Response
    package let context: PipelineContext
    let parts: [Part]
    /// Whether the log of the pipeline is on.
    let isLogged: Bool
    /// Set if no further step follows and the outcome is published: then its form for readers is made as
    /// well.
    var answerSnapshot: AnswerSnapshot?

    /// The result of the job.
    package struct Outcome: Sendable {
        package internal(set) var response: Response
        var outputs: [(stage: String, entity: Entity)] = []
        /// Lines for the log.
        var lines: [String] = []
        /// The published form of the response, if it was requested; see ``AnswerSnapshot``.
        var form: PublishedForm?

        init(_ response: Response) { self.response = response }

        /// The outcome of a job that was cancelled.
        static let cancelled = Outcome(.failure(RequestError(cause: .requestCancelled, timestamp: 0)))
    }

    /// Runs the steps in order. `perform` runs the ``OffloadedTransformer``s; the other steps run here.
    package func run(
        _ perform: (any OffloadedTransformer, Response, PipelineContext) -> Response
    ) -> Outcome {
        var outcome = Outcome(response)
        var type = KnownContentType(response)
        var context = context
        for (index, part) in parts.enumerated() {
            context.isPublished = answerSnapshot != nil && index == parts.count - 1
            switch part {
            case .end(let stage):
                if case .success(let entity) = outcome.response { outcome.outputs.append((stage, entity)) }
            case .step(let step, let stage):
                guard step.accepts(type) else { continue }
                if isLogged { outcome.lines.append(context.line(of: step, in: stage)) }
                switch step.placement {
                case .offloaded(let transformer):
                    outcome.response = perform(transformer, outcome.response, context)
                case .portable(let transformer):
                    outcome.response = transformer.process(outcome.response, context) {
                        if isLogged { outcome.lines.append($0) }
                    }
                case .threaded(let transformer):
                    outcome.response = transformer.process(outcome.response, context) {
                        if isLogged { outcome.lines.append($0) }
                    }
                // No job contains such a step.
                case .loop, .gradual: break
                }
                type = type.following(outcome.response)
                if isLogged { outcome.lines.append(outcome.response.line) }
            }
        }
        if let answerSnapshot, case .success(let entity) = outcome.response {
            outcome.form = PublishedForm(of: entity, for: answerSnapshot)
        }
        return outcome
    }

    /// The offloaded transformers, in order.
    package var offloadedSteps: [any OffloadedTransformer] {
        parts.compactMap {
            if case .step(let step, _) = $0, case .offloaded(let transformer) = step.placement {
                transformer
            } else {
                nil
            }
        }
    }

    /// The outcome if the job can't be run: a failure that keeps status and body; a response that was already
    /// a failure stays the same (17.9).
    package func failed(with cause: RequestError.Cause) -> Outcome {
        if case .failure = response { return Outcome(response) }
        return Outcome(response.failed(with: RequestError.CauseError(cause), in: context))
    }
}

extension PipelineContext {
    /// The log line for the next step.
    func line(of step: PipelineStage.Step, in stage: String) -> String {
        "\(method) \(url): \(stage): \(step.transformer.description)"
    }
}

extension Response {
    /// The log line for the result of a step.
    var line: String { "  → \(summary)" }
}

/// The rest of a pipeline run while its response is with an executor.
@EngineActor
final class OffloadedRun {
    private var run: PipelineRun
    private let engine: Engine
    private var completion: (@EngineActor (PipelineRun) -> Void)?
    private var current: (executor: any TransformerExecutor, id: UInt64)?

    /// Continues a run that has reached offloaded steps. `completion` gets it at its end, in a later pass of
    /// the loop.
    init(
        _ run: PipelineRun, _ next: (job: OffloadedJob, executor: any TransformerExecutor), _ engine: Engine,
        completion: @escaping @EngineActor (PipelineRun) -> Void
    ) {
        self.run = run
        self.engine = engine
        self.completion = completion
        send(next)
    }

    /// Cancels the run, whose outcome is no longer needed.
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
            // Only now, because code that waits for this must find the outcome.
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
