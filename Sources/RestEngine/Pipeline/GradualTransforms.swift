import DequeModule

/// A transformer on the loop that handles large content in parts, between which the loop does other work.
package protocol GradualTransformer: PlacedTransformer {
    /// Starts with a response whose content is large; nil if the transformer handles it in one step all the
    /// same.
    func begin(_ response: Response, _ context: PipelineContext) -> (any GradualTransform)?
}

/// A response that such a transformer is handling.
@EngineActor
package protocol GradualTransform: AnyObject {
    /// Does a part of the work before ``finish()``, in some tenths of a millisecond. True when there is no
    /// more.
    func advance() -> Bool

    /// Called once, when all parts are done.
    func finish() -> Response
}

/// Runs these transformers between other work of the loop: one content after the other, so that only one
/// takes memory at a time. It also runs single steps of pipelines that have taken long.
@EngineActor
final class GradualTransforms: TransformerExecutor {
    static let shared = GradualTransforms()
    /// Smaller content is transformed in one step, which takes some tenths of a millisecond.
    nonisolated static let leastSize = 256 << 10
    /// Seconds for one part.
    private static let part = 0.001

    private struct Waiting {
        let id: UInt64
        let job: OffloadedJob
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    private var waiting: Deque<Waiting> = []
    private var current: (id: UInt64, transform: any GradualTransform)?
    private var isRunning = false
    private var count: UInt64 = 0
    private let clock = SystemClock()

    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64 {
        count += 1
        waiting.append(Waiting(id: count, job: job, completion: completion))
        if !isRunning {
            isRunning = true
            plan()
        }
        return count
    }

    func cancel(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        let known = waiting.remove(at: index)
        if current?.id == id { current = nil }
        EngineLoop.shared.submit { known.completion(.cancelled) }
    }

    /// Schedules the next part for a later pass of the loop.
    private func plan() { EngineLoop.shared.submit { self.work() } }

    private func work() {
        guard let first = waiting.first else {
            isRunning = false
            return
        }
        let start = clock.uptime
        if current == nil, let transform = first.job.gradualStep?.begin(first.job.response, first.job.context)
        {
            current = (first.id, transform)
        }
        var isDone = current == nil
        while !isDone, clock.uptime - start < Self.part { isDone = current?.transform.advance() ?? true }
        guard isDone else { return plan() }
        waiting.removeFirst()
        let transform = current?.transform
        current = nil
        first.completion(first.job.outcome(transform))
        plan()
    }
}

extension OffloadedJob {
    fileprivate var gradualStep: (any GradualTransformer)? {
        if case .step(let step, _)? = parts.first, case .gradual(let transformer) = step.placement {
            transformer
        } else {
            nil
        }
    }

    /// The outcome of the job's only step, after its parts are done; `transform` is nil if the step needed no
    /// parts.
    @EngineActor
    fileprivate func outcome(_ transform: (any GradualTransform)?) -> Outcome {
        guard case .step(let step, let stage)? = parts.first else { return Outcome(response) }
        var outcome = Outcome(transform?.finish() ?? step.transformer.process(response, context))
        if isLogged { outcome.lines = [context.line(of: step, in: stage), outcome.response.line] }
        return outcome
    }
}
