import LuaRuntime
import RestEngine

/// The running jobs and timers of a script. The host stays open while there are any.
@EngineActor
final class JobList {
    /// The most timers at once. Only their functions count as the script's memory, and all may share one
    /// function (limit L310).
    private static let mostTimers = 100_000

    private var running: [ObjectIdentifier: (number: Int, activity: any ScriptActivity)] = [:]
    private var timers = 0
    private var started = 0
    /// Jobs that have begun, by their coroutine.
    private var jobs: [ObjectIdentifier: ScriptJob] = [:]
    /// The number of jobs and timer runs that raised an error for which no function waited.
    var failed = 0
    /// The custom request whose `start` is running, up to its first wait. Jobs that it spawns belong to its
    /// work.
    var startingRequest: ScriptCustomRequest?
    /// Called when the last job or timer has ended.
    var onEmpty: (@EngineActor () -> Void)?

    nonisolated init() {}

    var isEmpty: Bool { running.isEmpty }
    /// True when something was started, even if it has ended.
    var hasStarted: Bool { started > 0 }

    var count: Int { running.count }

    /// The places of the functions of running jobs, `file:line`, in the order of their start.
    var places: [String] { inOrder.compactMap { ($0 as? ScriptJob)?.place } }

    func add(_ activity: any ScriptActivity) {
        started += 1
        running[ObjectIdentifier(activity)] = (started, activity)
        if activity.isTimer { timers += 1 }
    }

    /// Throws when the script has as many timers as are allowed.
    func requireRoomForTimer() throws(LuaUsageError) {
        guard timers < Self.mostTimers else {
            throw LuaUsageError(
                "there are \(Self.mostTimers) timers already: is one made again and again, where one rest.every would do, "
                    + "or is a 'cancel' missing?")
        }
    }

    func remove(_ activity: any ScriptActivity) {
        guard running.removeValue(forKey: ObjectIdentifier(activity)) != nil else { return }
        if activity.isTimer { timers -= 1 }
        if running.isEmpty { onEmpty?() }
    }

    func note(_ job: ScriptJob, runBy coroutine: LuaCoroutine) { jobs[ObjectIdentifier(coroutine)] = job }

    func forget(_ coroutine: LuaCoroutine) { jobs[ObjectIdentifier(coroutine)] = nil }

    /// The job that a waiter belongs to; nil for hooks and timers.
    func job(of waiter: LuaWaiter) -> ScriptJob? { jobs[ObjectIdentifier(waiter.coroutine)] }

    /// Jobs and timers that run on their own. A hook still gets the values that it waits for.
    var detached: [any ScriptActivity] { inOrder.filter(\.isDetached) }

    /// Jobs that wait for a request, themselves or through jobs that they wait for (75.3).
    private var busyJobs: [ObjectIdentifier: ScriptJob] {
        var found: [ObjectIdentifier: ScriptJob] = [:]
        var open = jobs.values.filter(\.waitsForRequest)
        while let job = open.popLast() {
            guard found.updateValue(job, forKey: ObjectIdentifier(job)) == nil else { continue }
            open += job.waiters.compactMap { $0.isAlive ? self.job(of: $0) : nil }
        }
        return found
    }

    /// The number of jobs and runs of timers that would lose something if the script ended now.
    var busyCount: Int {
        let busy = busyJobs
        return detached.count { activity in
            (activity as? ScriptTimer)?.isRunning ?? (busy[ObjectIdentifier(activity)] != nil)
        }
    }

    /// Steps that end all that runs on its own. A job that waits for a request ends after it.
    var endingSteps: [@EngineActor () -> Void] {
        let busy = busyJobs
        return detached.map { activity in
            guard let job = activity as? ScriptJob, busy[ObjectIdentifier(job)] != nil else {
                return { activity.cancel() }
            }
            return { [weak self] in self?.endLater(job, busy) }
        }
    }

    private func endLater(_ job: ScriptJob, _ busy: [ObjectIdentifier: ScriptJob]) {
        job.cancelLater()
        guard !job.waitsForRequest else { return }
        for inner in jobs.values where job.awaits(inner) {
            busy[ObjectIdentifier(inner)] != nil ? endLater(inner, busy) : inner.cancel()
        }
    }

    func cancelAll() {
        onEmpty = nil
        for activity in inOrder { activity.cancel() }
        running = [:]
        timers = 0
        jobs = [:]
    }

    /// The oldest first, so that they end in the order of their start.
    private var inOrder: [any ScriptActivity] {
        running.values.sorted { $0.number < $1.number }.map(\.activity)
    }
}

/// Running work of a script.
@EngineActor
protocol ScriptActivity: AnyObject {
    func cancel()

    /// True when it runs on its own, and no request in flight needs it.
    var isDetached: Bool { get }

    /// True when it only waits for a time.
    var isTimer: Bool { get }
}

extension ScriptActivity {
    var isDetached: Bool { false }
    var isTimer: Bool { false }
}
