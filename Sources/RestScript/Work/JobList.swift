import LuaRuntime
import RestEngine

/// What a script has running: jobs and timers. The host lives for as long as there is any.
@EngineActor
final class JobList {
    private var running: [ObjectIdentifier: (number: Int, activity: any ScriptActivity)] = [:]
    private var started = 0
    /// Jobs that have begun, by what runs them.
    private var jobs: [ObjectIdentifier: ScriptJob] = [:]
    /// Jobs and runs of timers that raised, with nobody waiting for them.
    var failed = 0
    /// The custom request whose start runs now, up to its first wait: what it starts is its work.
    var startingRequest: ScriptCustomRequest?
    /// Called when the last one has ended.
    var onEmpty: (@EngineActor () -> Void)?

    nonisolated init() {}

    var isEmpty: Bool { running.isEmpty }
    /// Something was started, which may have ended.
    var hasStarted: Bool { started > 0 }
    var count: Int { running.count }

    /// Where the functions of jobs that have not ended were written, `file:line`, as they were started.
    var places: [String] { inOrder.compactMap { ($0 as? ScriptJob)?.place } }

    func add(_ activity: any ScriptActivity) {
        started += 1
        running[ObjectIdentifier(activity)] = (started, activity)
    }

    func remove(_ activity: any ScriptActivity) {
        guard running.removeValue(forKey: ObjectIdentifier(activity)) != nil else { return }
        if running.isEmpty { onEmpty?() }
    }

    func note(_ job: ScriptJob, runBy coroutine: LuaCoroutine) { jobs[ObjectIdentifier(coroutine)] = job }

    func forget(_ coroutine: LuaCoroutine) { jobs[ObjectIdentifier(coroutine)] = nil }

    /// The job that a waiter is of; nil for hooks and timers.
    func job(of waiter: LuaWaiter) -> ScriptJob? { jobs[ObjectIdentifier(waiter.coroutine)] }

    /// Cancels what goes on for itself: jobs and timers. What a hook waits for, it still gets.
    func cancelDetached() {
        for activity in inOrder where activity.isDetached { activity.cancel() }
    }

    func cancelAll() {
        onEmpty = nil
        for activity in inOrder { activity.cancel() }
        running = [:]
        jobs = [:]
    }

    /// As they were started.
    private var inOrder: [any ScriptActivity] {
        running.values.sorted { $0.number < $1.number }.map(\.activity)
    }
}

/// Something of a script that goes on by itself.
@EngineActor
protocol ScriptActivity: AnyObject {
    func cancel()

    /// It goes on for itself, and nothing that is in flight needs it.
    var isDetached: Bool { get }
}

extension ScriptActivity {
    var isDetached: Bool { false }
}

/// A function started by `rest.spawn`, or one of several that `rest.all` and `rest.gather` wait for.
@EngineActor
final class ScriptJob: ScriptActivity {
    private var coroutine: LuaCoroutine?
    private(set) var waiting: [LuaWaiter] = []
    private(set) var outcome: Result<[LuaReference], LuaError>?
    private var hasBegun = false
    private unowned let context: ScriptContext
    /// What `rest.all` or `rest.gather` wait with.
    private let gatherer: LuaWaiter?
    private let onEnd: (@EngineActor (ScriptJob) -> Void)?
    /// Whose work it is, until it has ended.
    private var request: ScriptCustomRequest?
    private var function: LuaReference?

    init(
        _ context: ScriptContext, gatherer: LuaWaiter? = nil,
        onEnd: (@EngineActor (ScriptJob) -> Void)? = nil
    ) {
        self.context = context
        self.gatherer = gatherer
        self.onEnd = onEnd
        request = context.jobs.startingRequest
    }

    /// A script that is being loaded only declares: its jobs begin when it has been found good.
    func start(_ function: LuaReference, arguments: @escaping (Lua) -> Int32) {
        self.function = function
        context.jobs.add(self)
        context.declarations.whenLoaded { [self] in
            if outcome == nil { begin(function, arguments: arguments) }
        }
    }

    private func begin(_ function: LuaReference, arguments: (Lua) -> Int32) {
        hasBegun = true
        let started = context.realm.spawn(
            function, phase: context.phases.job, arguments: arguments,
            completion: onLoop { [self] (lua: Lua, result: Result<Int32, LuaError>) in finish(lua, result) })
        guard outcome == nil else { return }
        coroutine = started
        context.jobs.note(self, runBy: started)
        // It may have begun to wait before anybody could know that it is it who waits.
        guard let cycle = JobCycle.find(through: self, context.jobs), let last = cycle.jobs.last else {
            return
        }
        for waiter in last.waiters where waiter.coroutine === started { last.fail(waiter, cycle) }
    }

    private func finish(_ lua: Lua, _ result: Result<Int32, LuaError>) {
        if let coroutine { context.jobs.forget(coroutine) }
        coroutine = nil
        end(result.map { count in (0..<count).map { lua.reference(lua.top - count + 1 + $0) } })
    }

    private func end(_ result: Result<[LuaReference], LuaError>) {
        guard outcome == nil else { return }
        outcome = result
        let request = request
        self.request = nil
        function = nil
        if case .failure(let error) = result, waiting.isEmpty, onEnd == nil,
            request?.jobFailed(error) != true
        {
            context.runner.report(error, in: "a job")
            if error.kind != .cancelled { context.jobs.failed += 1 }
        }
        context.jobs.remove(self)
        for waiter in waiting { answer(waiter) }
        waiting = []
        onEnd?(self)
    }

    func cancel() {
        guard hasBegun else {
            return end(.failure(LuaError(kind: .cancelled, message: "cancelled before it began")))
        }
        coroutine?.cancel()
    }

    var isFinished: Bool { outcome != nil }

    /// Of its function, while it runs; nil for one of the host's own.
    var place: String? { function.flatMap { context.place(of: $0) }.map { "\($0.file):\($0.line)" } }

    var isDetached: Bool { onEnd == nil && waiting.isEmpty }

    func wait(_ waiter: LuaWaiter) {
        guard outcome == nil else { return answer(waiter) }
        waiting.append(waiter)
        guard let other = context.jobs.job(of: waiter) else { return }
        if let cycle = JobCycle.find(through: self, context.jobs, beginning: other) { fail(waiter, cycle) }
    }

    /// All that wait for its end.
    var waiters: [LuaWaiter] { gatherer.map { waiting + [$0] } ?? waiting }

    private func fail(_ waiter: LuaWaiter, _ cycle: JobCycle) {
        waiting.removeAll { $0 === waiter }
        waiter.fail(LuaUsageError(cycle.message(from: context.jobs.job(of: waiter))))
    }

    /// For messages: where its function was written.
    var name: String {
        guard let function else { return "a job" }
        let lua = context.state.main
        lua.push(function)
        defer { lua.pop() }
        return lua.place(ofFunction: -1).map { "the job at \($0)" } ?? "a job"
    }

    private func answer(_ waiter: LuaWaiter) {
        guard let outcome else { return }
        switch outcome {
        case .success(let values):
            waiter.resume(
                onLoop { [context] (lua: Lua) in
                    guard lua.hasRoom(for: values.count) else {
                        lua.pushNil()
                        let error = LuaError(kind: .runtime, message: "too many results to await")
                        context.pushError(context.requestError(of: error), on: lua)
                        return 2
                    }
                    for value in values { lua.push(value) }
                    return Int32(values.count)
                })
        case .failure(let error):
            waiter.resume(
                onLoop { [context] (lua: Lua) in
                    lua.pushNil()
                    context.pushError(context.requestError(of: error), on: lua)
                    return 2
                })
        }
    }
}

/// A timer of `rest.after` or `rest.every`.
@EngineActor
final class ScriptTimer: ScriptActivity {
    private unowned let context: ScriptContext
    /// Let go of at the end: it may well hold the timer, to cancel it.
    private var function: LuaReference?
    private var rhythm: TimerRhythm
    private var timer: Timer?
    private var isRunning = false
    private var isCancelled = false

    init(_ context: ScriptContext, _ function: LuaReference, _ rhythm: TimerRhythm) {
        self.context = context
        self.function = function
        self.rhythm = rhythm
    }

    /// Waits for its first time.
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

    /// A script that was replaced has no timers any more: what it makes late never fires.
    func arm(after seconds: Double) {
        guard !context.generation.isRetired else { return cancel() }
        context.jobs.add(self)
        timer = context.engine.scheduler.after(seconds) { [self] in fire() }
    }

    /// A run that is still going on when the next is due takes its place.
    private func fire() {
        timer = nil
        let isDue = isDueAndRearmed()
        guard isDue, !isRunning, let function else { return }
        isRunning = true
        context.realm.spawn(
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
        if let next { timer = scheduler.after(next) { [self] in fire() } }
        return isDue
    }

    var isDetached: Bool { true }

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
