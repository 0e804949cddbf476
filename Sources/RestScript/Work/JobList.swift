import LuaRuntime
import RestEngine

/// What a script has running: jobs and timers. The host lives for as long as there is any.
@EngineActor
final class JobList {
    /// Of those that run. Their functions alone are in the script's memory, and may all be the same one
    /// (limit L310).
    private static let mostTimers = 100_000

    private var running: [ObjectIdentifier: (number: Int, activity: any ScriptActivity)] = [:]
    private var timers = 0
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
        if activity.isTimer { timers += 1 }
    }

    /// Throws when the script has as many timers as it may.
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

    /// The job that a waiter is of; nil for hooks and timers.
    func job(of waiter: LuaWaiter) -> ScriptJob? { jobs[ObjectIdentifier(waiter.coroutine)] }

    /// Jobs and timers, which go on for themselves. A hook still gets the values that it waits for.
    var detached: [any ScriptActivity] { inOrder.filter(\.isDetached) }

    func cancelAll() {
        onEmpty = nil
        for activity in inOrder { activity.cancel() }
        running = [:]
        timers = 0
        jobs = [:]
    }

    /// The oldest first, so that they end in the order in which they began.
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

    /// It waits for a time, and for nothing else.
    var isTimer: Bool { get }
}

extension ScriptActivity {
    var isDetached: Bool { false }
    var isTimer: Bool { false }
}
