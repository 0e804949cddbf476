import LuaRuntime
import RestEngine

/// A timer of `rest.after` or `rest.every`.
@EngineActor
final class ScriptTimer: ScriptActivity, LuaObject {
    private unowned let context: ScriptContext
    /// Nil after the end, because the function may hold the timer to cancel it.
    private var function: LuaReference?
    private var rhythm: TimerRhythm
    private var timer: EngineTimer?
    /// Its function runs, or waits.
    private(set) var isRunning = false
    private var isCancelled = false

    nonisolated var keptBytes: Int { 512 }

    init(_ context: ScriptContext, _ function: LuaReference, _ rhythm: TimerRhythm) {
        self.context = context
        self.function = function
        self.rhythm = rhythm
    }

    /// Schedules the first run.
    func arm() {
        var seconds: Double?
        switch rhythm {
        case .once: seconds = 0
        case .period(let period): seconds = period
        case .cron(var times):
            times.plan(from: context.engine.scheduler.now)
            let scheduler = context.engine.scheduler
            seconds = times.wait(from: scheduler.now, mayJump: scheduler.mayJump)
            rhythm = .cron(times)
        }
        if let seconds { arm(after: seconds) } else { cancel() }
    }

    /// Schedules a run. Timers of a replaced script never fire.
    func arm(after seconds: Double) {
        guard !context.generation.isRetired else { return cancel() }
        context.jobs.add(self)
        timer = context.engine.scheduler.after(seconds) { [self] in fire() }
    }

    /// Runs the function, unless its last run is still going on.
    private func fire() {
        timer = nil
        let isDue = isDueAndRearmed()
        guard isDue, !isRunning, let function else { return }
        isRunning = true
        context.sandbox.spawn(
            function, phase: context.phases.job,
            completion: onLoop { [self] (_: Lua, result: Result<Int32, LuaError>) in
                isRunning = false
                if case .failure(let error) = result {
                    context.runner.report(error, in: "a timer")
                    if error.kind != .cancelled { context.jobs.failed += 1 }
                }
                if timer == nil { end() }
            })
    }

    private func isDueAndRearmed() -> Bool {
        let scheduler = context.engine.scheduler
        var next: Double?
        var isDue = true
        switch rhythm {
        case .once: break
        case .period(let period): next = period
        case .cron(var times):
            isDue = times.look(at: scheduler.now)
            next = times.wait(from: scheduler.now, mayJump: scheduler.mayJump)
            rhythm = .cron(times)
        }
        if let next {
            WorkScope.outlivingRequest { timer = scheduler.after(next) { [self] in fire() } }
        }
        return isDue
    }

    var isDetached: Bool { true }
    var isTimer: Bool { true }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        timer?.cancel()
        timer = nil
        if !isRunning { end() }
    }

    private func end() {
        function = nil
        context.jobs.remove(self)
    }
}
