import Platform

/// Takes a response through the stages in order (rules 16.2, 16.8, 16.9).
///
/// ``next()`` runs the steps on the loop, which are all steps in most pipelines, and stops before steps that
/// run elsewhere, or when many steps have taken long: the loop then does other work first.
@EngineActor
struct PipelineRun {
    private let pipeline: Pipeline
    private let context: PipelineContext
    private let log: EngineLog
    private let types: KnownContentTypes
    /// Gets the outputs of the stages with caches, as long as the response is a success (22.6, 22.7).
    let outputs: StageOutputs?
    /// The response so far; the outcome when ``next()`` returns nil. While a job has the response, this is a
    /// cancellation, so that the job frees the content: that takes long for a large tree.
    private(set) var response: Response
    private var cursor: Cursor
    /// Whether steps that take long for a large body run elsewhere.
    private let movesLargeContent: Bool
    /// Whether the steps have taken long. From then on each pass of the loop runs one.
    private var isLate = false
    /// The snapshot for which the outcome will be published; nil when that isn't known.
    private let answerSnapshot: AnswerSnapshot?

    /// Seconds after which the next step of a script waits for a later pass of the loop. Each has a time
    /// limit of its own, but a stage may have hundreds of them.
    private static let slice = 0.01

    private struct Cursor {
        /// The current stage and the ones after it.
        var stages: ArraySlice<StageName>
        /// The index of the next step.
        var step = 0
    }

    /// - Parameter first: Run only the stages after this one.
    init(
        _ response: Response, _ pipeline: Pipeline, _ context: PipelineContext, of engine: Engine,
        after first: String? = nil, keeping outputs: StageOutputs? = nil,
        answerSnapshot: AnswerSnapshot? = nil
    ) {
        self.answerSnapshot = answerSnapshot
        self.response = response
        self.pipeline = pipeline
        self.context = context
        (log, types, movesLargeContent) = (engine.log, engine.contentTypes, engine.movesLargeContent)
        self.outputs = outputs
        let order = pipeline.order
        cursor = Cursor(
            stages: first.map { name in order.drop { $0.rawValue != name }.dropFirst() } ?? order[...])
    }

    /// Runs steps until the end, or until steps that run elsewhere: then returns their job and its executor.
    mutating func next() -> (job: OffloadedJob, executor: any TransformerExecutor)? {
        var type: KnownContentType?
        var end: Double?
        while let name = cursor.stages.first {
            let stage = pipeline[name]
            while cursor.step < stage.steps.count {
                if pipeline.hasOffloadedSteps
                    || movesLargeContent && LargeContent.size(of: response) > LargeContent.leastSize,
                    let found = takeJob()
                {
                    return found
                }
                let step = stage.steps[cursor.step]
                cursor.step += 1
                if type == nil { type = types.contentType(of: response) }
                guard let known = type, step.accepts(known) else { continue }
                var context = context
                if movesLargeContent, step.isBoundToLoop {
                    let now = ClockReading.uptime
                    isLate = isLate || now > end ?? now
                    if isLate || isLarge(for: step) {
                        return (takeJob([.step(step, stage: name.rawValue)]), GradualTransforms.shared)
                    }
                    end = end ?? now + Self.slice
                }
                context.isPublished = answerSnapshot != nil && !hasSteps(from: cursor, known)
                log.write(.pipeline, context.line(of: step, in: name.rawValue))
                response = step.transformer.process(response, context)
                type = types.contentType(of: response)
                log.write(.pipeline, response.line)
            }
            if stage.cache != nil, case .success(let entity) = response {
                outputs?.add(entity, at: name.rawValue)
            }
            cursor = Cursor(stages: cursor.stages.dropFirst())
        }
        if case .failure(var error) = response, error.url == nil {
            error.url = context.url
            error.method = context.method
            response = .failure(error)
        }
        return nil
    }

    private func isLarge(for step: PipelineStage.Step) -> Bool {
        guard case .gradual = step.placement else { return false }
        return response.bytesOfTree > GradualTransforms.leastSize
    }

    /// Takes over the outcome of a job.
    mutating func take(_ outcome: OffloadedJob.Outcome) {
        for line in outcome.lines { log.write(.pipeline, line) }
        for (stage, entity) in outcome.outputs { outputs?.add(entity, at: stage) }
        outputs?.form = outcome.form
        response = outcome.response
    }

    /// Whether there are steps after `place` that accept this response in its current form.
    private func hasSteps(from place: Cursor, _ type: KnownContentType) -> Bool {
        var place = place
        while let name = place.stages.first {
            if pipeline[name].steps.dropFirst(place.step).contains(where: { $0.accepts(type) }) {
                return true
            }
            place = Cursor(stages: place.stages.dropFirst())
        }
        return false
    }

    /// The job that begins here, after which the cursor moves behind it; nil when none begins here. Its last
    /// step is one that runs elsewhere and that will accept this response in its current form. If all such
    /// steps are standard ones that take long for a large body, the executor is ``LargeContent``.
    private mutating func takeJob() -> (job: OffloadedJob, executor: any TransformerExecutor)? {
        var parts: [OffloadedJob.Part] = []
        var found: (executor: any TransformerExecutor, end: Cursor, count: Int)?
        var ahead = cursor
        let type = types.contentType(of: response)
        search: while let name = ahead.stages.first {
            let stage = pipeline[name]
            while ahead.step < stage.steps.count {
                let step = stage.steps[ahead.step]
                ahead.step += 1
                parts.append(.step(step, stage: name.rawValue))
                switch step.placement {
                case .portable:
                    guard movesLargeContent, step.isLarge(response), step.accepts(type) else { continue }
                    found = (found?.executor ?? LargeContent.shared, ahead, parts.count)
                case .threaded(let transformer):
                    // In a job for another executor it counts as portable, unless others would wait for it
                    // there.
                    guard movesLargeContent, step.accepts(type), transformer.belongsOnThread(response)
                    else {
                        continue
                    }
                    if let found, found.executor !== TransformThreads.shared { break search }
                    found = (TransformThreads.shared, ahead, parts.count)
                case .loop, .gradual: break search
                case .offloaded(let transformer):
                    let executor = transformer.executor
                    // Any executor can run portable steps.
                    if let found, found.executor !== executor, found.executor !== LargeContent.shared {
                        break search
                    }
                    // Portable steps keep the content type, and the executor checks whether one of them made
                    // a failure.
                    if step.accepts(type), transformer.mayChange(response) {
                        found = (executor, ahead, parts.count)
                    }
                }
            }
            if stage.cache != nil { parts.append(.end(stage: name.rawValue)) }
            ahead = Cursor(stages: ahead.stages.dropFirst())
        }
        guard let found else { return nil }
        cursor = found.end
        let isLast = !hasSteps(from: found.end, type)
        return (
            takeJob(Array(parts.prefix(found.count)), answerSnapshot: isLast ? answerSnapshot : nil),
            found.executor
        )
    }

    /// Makes the job for these steps.
    private mutating func takeJob(
        _ parts: [OffloadedJob.Part], answerSnapshot: AnswerSnapshot? = nil
    ) -> OffloadedJob {
        let job = OffloadedJob(
            response: response, context: context.withoutLog, parts: parts,
            isLogged: log.enabled.contains(.pipeline), answerSnapshot: answerSnapshot)
        response = OffloadedJob.Outcome.cancelled.response
        return job
    }
}

extension Response {
    /// 0 for content that is not a tree.
    fileprivate var bytesOfTree: Int { entity?.content.anyTree?.byteCount ?? 0 }
}
