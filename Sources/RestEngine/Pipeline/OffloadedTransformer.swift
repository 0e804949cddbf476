/// A transformer whose work is done on other threads. Steps that stand beside each other and go to the same
/// executor are sent there together, with the portable ones before and between them.
package protocol OffloadedTransformer: PlacedTransformer {
    /// Where it is done.
    nonisolated var executor: any TransformerExecutor { get }

    /// False for a response that it leaves as it is: failures, for most transformers.
    nonisolated func mayChange(_ response: Response) -> Bool
}

extension OffloadedTransformer {
    /// On the loop it does nothing: what it may change goes to its executor.
    package func process(_ response: Response, _ context: PipelineContext) -> Response { response }
}

/// Does jobs on threads of its own, several at a time.
@EngineActor
package protocol TransformerExecutor: AnyObject, Sendable {
    /// Takes a job on. `completion` is called once, on the engine loop, and not before this returns, whatever
    /// becomes of the job. Gives what ``cancel(_:)`` takes.
    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64

    /// Nobody wants the outcome any more. One that has not begun is answered at once.
    func cancel(_ job: UInt64)
}

/// A response on its way through steps that are done elsewhere, in one go (rules 16.2, 16.11).
///
/// A value: whoever does the job knows nothing of pipelines, resources or the loop.
package struct OffloadedJob: Sendable {
    enum Part: Sendable {
        case step(PipelineStage.Step, stage: String)
        /// The stage's end, where its cache takes what there is (22.6).
        case end(stage: String)
    }

    /// As it comes to the first step.
    package let response: Response
    package let context: PipelineContext
    let parts: [Part]
    /// Somebody reads the log of the pipeline.
    let isLogged: Bool
    /// Nothing follows in the pipeline, and what comes of it is shown to readers: its form for them is made
    /// as well.
    var answerSnapshot: AnswerSnapshot?

    /// What came of the job.
    package struct Outcome: Sendable {
        package internal(set) var response: Response
        var outputs: [(stage: String, entity: Entity)] = []
        /// For the log.
        var lines: [String] = []
        /// The form of what the response now has, if somebody wanted it; see ``AnswerSnapshot``.
        var form: PublishedForm?

        init(_ response: Response) { self.response = response }

        /// Of a job that nobody waits for any more.
        static let cancelled = Outcome(.failure(RequestError(cause: .requestCancelled, timestamp: 0)))
    }

    /// Takes the steps in order. `perform` does those that are ``OffloadedTransformer``s; the others are done
    /// here.
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
                // No job has such a step.
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

    /// The transformers that are done elsewhere, in order.
    package var offloadedSteps: [any OffloadedTransformer] {
        parts.compactMap {
            if case .step(let step, _) = $0, case .offloaded(let transformer) = step.placement {
                transformer
            } else {
                nil
            }
        }
    }

    /// What comes of it when it can't be done: a failure that keeps status and body; a response that failed
    /// already stays as it was (17.9).
    package func failed(with cause: RequestError.Cause) -> Outcome {
        if case .failure = response { return Outcome(response) }
        return Outcome(response.failed(with: RequestError.CauseError(cause), in: context))
    }
}

extension PipelineContext {
    /// For the log: the step that comes.
    func line(of step: PipelineStage.Step, in stage: String) -> String {
        "\(method) \(url): \(stage): \(step.transformer.description)"
    }
}

extension Response {
    /// For the log: what a step made.
    var line: String { "  → \(summary)" }
}

/// The rest of a pipeline's run while its response is with an executor.
@EngineActor
final class OffloadedRun {
    private var run: PipelineRun
    private let engine: Engine
    private var completion: (@EngineActor (PipelineRun) -> Void)?
    private var current: (executor: any TransformerExecutor, id: UInt64)?

    /// Does the rest of a run that has come to steps that are done elsewhere. `completion` gets it at its
    /// end, in a later pass of the loop.
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
