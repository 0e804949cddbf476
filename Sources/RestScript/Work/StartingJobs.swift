import RestEngine

/// Waits for the jobs that a script starts while it is loaded: they may fetch what its requests need, such as
/// a token.
@EngineActor
private final class StartingJobs {
    private let context: ScriptContext
    private var action: (@EngineActor ([String]) -> Void)?
    private var timer: EngineTimer?

    /// Ticks without a request. A job goes on a tick or two after the end of the request that it waits for.
    private static let calmTicks = 3

    init(
        _ context: ScriptContext, within seconds: Double, _ action: @escaping @EngineActor ([String]) -> Void
    ) {
        self.context = context
        self.action = action
        timer = context.engine.scheduler.after(seconds) { [weak self] in
            guard let self else { return }
            end(busy: self.context.jobs.places)
        }
    }

    /// True when each job has ended, or waits for a time.
    private var isCalm: Bool { context.engine.openRequests == 0 && context.engine.offloadedWork == 0 }

    func look(after ticks: Int = 0) {
        guard action != nil else { return }
        let hasStarts = context.declarations.hasStarts
        if !hasStarts, isCalm, context.jobs.places.isEmpty || ticks >= Self.calmTicks { return end(busy: []) }
        guard hasStarts || isCalm else { return }
        context.engine.scheduler.nextTick { [self] in look(after: hasStarts || !isCalm ? 0 : ticks + 1) }
    }

    private func end(busy places: [String]) {
        timer?.cancel()
        timer = nil
        let action = action
        self.action = nil
        context.jobs.onEmpty = nil
        context.engine.onQuiet = nil
        context.engine.onOffloadedWorkDone = nil
        action?(places)
    }

    /// Looks again at each change.
    func follow() {
        context.jobs.onEmpty = { [self] in look() }
        context.engine.onQuiet = { [self] in look() }
        context.engine.onOffloadedWorkDone = { [self] in look() }
    }
}

extension ScriptHost {
    /// Calls `action` once: when each job that the script started while it was loaded has ended or waits for
    /// a time, or after so many seconds. Then it gets the places of the jobs that still run. It takes the
    /// place of ``onIdle(_:)``.
    public func whenStarted(
        within seconds: Double, _ action: @escaping @EngineActor (_ busy: [String]) -> Void
    ) {
        guard hasStartedWork, !isClosed else { return action([]) }
        let jobs = StartingJobs(context, within: seconds, action)
        jobs.follow()
        jobs.look()
    }
}
