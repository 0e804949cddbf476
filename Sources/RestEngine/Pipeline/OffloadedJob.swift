/// A response on its way through steps that are done elsewhere, in one go (rules 16.2, 16.11).
///
/// A value: whoever does the job knows nothing of pipelines, resources or the loop.
public struct OffloadedJob: Sendable {
    enum Part: Sendable {
        case step(PipelineStage.Step, stage: String)
        /// The stage's end, where its cache takes what there is (22.6).
        case end(stage: String)
    }

    /// As it comes to the first step.
    public let response: Response
    public let context: PipelineContext
    let parts: [Part]
    /// Somebody reads the log of the pipeline.
    let isLogged: Bool

    /// What came of it.
    public struct Outcome: Sendable {
        public internal(set) var response: Response
        var outputs: [(stage: String, entity: Entity)] = []
        /// For the log.
        var lines: [String] = []

        init(_ response: Response) { self.response = response }
    }

    /// Takes the steps in order. `perform` does those that are ``OffloadedTransformer``s; the others are done here.
    public func run(_ perform: (any OffloadedTransformer, Response) -> Response) -> Outcome {
        var outcome = Outcome(response)
        for part in parts {
            switch part {
            case .end(let stage):
                if case .success(let entity) = outcome.response { outcome.outputs.append((stage, entity)) }
            case .step(let step, let stage):
                guard step.accepts(outcome.response) else { continue }
                if isLogged { outcome.lines.append(context.line(of: step, in: stage)) }
                switch step.placement {
                case .offloaded(let transformer):
                    outcome.response = perform(transformer, outcome.response)
                case .portable(let transformer):
                    outcome.response = transformer.process(outcome.response, context) {
                        if isLogged { outcome.lines.append($0) }
                    }
                // No job has such a step.
                case .loop: break
                }
                if isLogged { outcome.lines.append(outcome.response.line) }
            }
        }
        return outcome
    }

    /// The transformers that are done elsewhere, in order.
    public var offloadedSteps: [any OffloadedTransformer] {
        parts.compactMap {
            if case .step(let step, _) = $0, case .offloaded(let transformer) = step.placement {
                transformer
            } else {
                nil
            }
        }
    }

    /// What comes of it when it can't be done: a failure that keeps status and body; a response that failed already
    /// stays as it was (17.9).
    public func failed(with cause: RequestError.Cause) -> Outcome {
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
