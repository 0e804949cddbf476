import LuaRuntime
import RestEngine

/// A function started by `rest.spawn`, or one that `rest.all` or `rest.gather` runs.
@EngineActor
final class ScriptJob: ScriptActivity, LuaObject {
    private var coroutine: LuaCoroutine?
    private(set) var waiting: [LuaWaiter] = []
    private(set) var outcome: Result<[LuaReference], LuaError>?
    private var hasBegun = false
    private unowned let context: ScriptContext
    /// The waiter of `rest.all` or `rest.gather`.
    private let gatherer: LuaWaiter?
    private let onEnd: (@EngineActor (ScriptJob) -> Void)?
    /// The request to whose work the job belongs, until the job has ended.
    private var request: ScriptCustomRequest?
    private var function: LuaReference?

    nonisolated var keptBytes: Int { 512 }

    init(
        _ context: ScriptContext, gatherer: LuaWaiter? = nil,
        onEnd: (@EngineActor (ScriptJob) -> Void)? = nil
    ) {
        self.context = context
        self.gatherer = gatherer
        self.onEnd = onEnd
        request = context.jobs.startingRequest
    }

    /// Begins the job, or keeps it until the script has been loaded, because a script only declares while it
    /// is loaded.
    func start(_ function: LuaReference, _ arguments: [LuaReference]) {
        self.function = function
        context.jobs.add(self)
        context.declarations.whenLoaded { [self] in
            if outcome == nil { begin(function, arguments) }
        }
    }

    /// Ends the job before it begins, because it runs in the first worker.
    func leaveOut() {
        outcome = .failure(
            LuaError(
                kind: .cancelled,
                message: "this job runs in worker 1; { each_worker = true } runs it in every worker"))
    }

    private func begin(_ function: LuaReference, _ arguments: [LuaReference]) {
        hasBegun = true
        let started = context.sandbox.spawn(
            function, phase: context.phases.job,
            arguments: { lua in
                for argument in arguments { lua.push(argument) }
                return Int32(arguments.count)
            },
            completion: onLoop { [self] (lua: Lua, result: Result<Int32, LuaError>) in finish(lua, result) })
        guard outcome == nil else { return }
        coroutine = started
        context.jobs.note(self, runBy: started)
        // The job may have begun to wait before its coroutine was known, so the search for a cycle is made
        // now.
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
        answerAll()
        onEnd?(self)
    }

    /// Each waiter goes on with a time of its own, and there may be hundreds.
    private func answerAll() {
        var left = waiting[...]
        waiting = []
        guard !left.isEmpty else { return }
        context.engine.scheduler.inParts { [self] in
            if let next = left.popFirst() { answer(next) }
            return !left.isEmpty
        }
    }

    func cancel() {
        guard hasBegun else {
            return end(.failure(LuaError(kind: .cancelled, message: "cancelled before it began")))
        }
        coroutine?.cancel()
    }

    /// Ends it when the request for which it waits has ended, at its next wait.
    func cancelLater() { coroutine?.cancelLater() }

    /// It waits for a request, which would be lost if it were cancelled.
    var waitsForRequest: Bool { coroutine?.waitsForWork ?? false }

    /// It waits for the end of this job.
    func awaits(_ other: ScriptJob) -> Bool {
        guard let coroutine else { return false }
        return other.waiters.contains { $0.coroutine === coroutine && $0.isAlive }
    }

    var isFinished: Bool { outcome != nil }

    /// The place of its function while it runs; nil for a function of the host.
    var place: String? { function.flatMap { context.values.place(of: $0) }.map { "\($0.file):\($0.line)" } }

    var isDetached: Bool { onEnd == nil && waiting.isEmpty }

    func wait(_ waiter: LuaWaiter) {
        guard outcome == nil else { return answer(waiter) }
        waiting.append(waiter)
        guard let other = context.jobs.job(of: waiter) else { return }
        if let cycle = JobCycle.find(through: self, context.jobs, beginning: other) { fail(waiter, cycle) }
    }

    /// All waiters for its end.
    var waiters: [LuaWaiter] { gatherer.map { waiting + [$0] } ?? waiting }

    private func fail(_ waiter: LuaWaiter, _ cycle: JobCycle) {
        waiting.removeAll { $0 === waiter }
        waiter.fail(LuaUsageError(cycle.message(from: context.jobs.job(of: waiter))))
    }

    /// The name in messages, with the place of its function.
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
                        context.values.pushError(context.values.requestError(of: error), on: lua)
                        return 2
                    }
                    for value in values { lua.push(value) }
                    return Int32(values.count)
                })
        case .failure(let error):
            context.runner.fail(waiter, context.values.requestError(of: error))
        }
    }
}

/// A cycle of jobs, each of which waits for the end of the next one. Without intervention, they would never
/// end.
@EngineActor
struct JobCycle {
    /// The jobs in order: each one waits for the one before it.
    let jobs: [ScriptJob]

    /// The most jobs that a search visits. Real chains of waiting jobs are shorter.
    private static let maxVisits = 1000

    /// The cycle that contains `job`, if there is one.
    ///
    /// - Parameter first: Only cycles in which this job waits for `job`.
    static func find(
        through job: ScriptJob, _ list: JobList, beginning first: ScriptJob? = nil
    ) -> JobCycle? {
        if first === job { return JobCycle(jobs: [job]) }
        var previous: [ObjectIdentifier: ScriptJob] = [:]
        var open = first.map { [($0, job)] } ?? dependents(of: job, list)
        while let (next, earlier) = open.popLast() {
            if next === job { return JobCycle(jobs: path(to: earlier, from: job, previous)) }
            guard previous[ObjectIdentifier(next)] == nil else { continue }
            previous[ObjectIdentifier(next)] = earlier
            guard previous.count < maxVisits else { return nil }
            open += dependents(of: next, list)
        }
        return nil
    }

    private static func dependents(of job: ScriptJob, _ list: JobList) -> [(ScriptJob, ScriptJob)] {
        job.waiters.compactMap { waiter in
            waiter.isAlive ? list.job(of: waiter).map { ($0, job) } : nil
        }
    }

    private static func path(
        to last: ScriptJob, from first: ScriptJob, _ previous: [ObjectIdentifier: ScriptJob]
    ) -> [ScriptJob] {
        var path = [last]
        while let job = path.last, job !== first, let earlier = previous[ObjectIdentifier(job)] {
            path.append(earlier)
        }
        return path.reversed()
    }

    /// The message, beginning with the job whose wait is ended.
    func message(from job: ScriptJob?) -> String {
        guard jobs.count > 1 else { return "\(jobs[0].name) awaits itself" }
        let order = Array(jobs.reversed())
        let start = order.firstIndex { $0 === job } ?? 0
        let names = (order[start...] + order[...start]).map(\.name)
        return "jobs await each other, so none would end: " + names.joined(separator: " awaits ")
    }
}
