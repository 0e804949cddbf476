import DequeModule
import HeapModule

/// Turns and timers of one engine, on the system's clock or on one that a test moves by hand.
///
/// A *turn* is one later pass: work queued during a turn runs in the next one, never in the same.
@EngineActor
public final class Scheduler {
    /// Others have their turn after so many seconds, sockets above all: work of one turn may be long.
    private static let slice = 0.01
    /// Seconds of one part of long work, see ``inParts(_:)``.
    private static let part = 0.005

    /// A closure by itself would be wrapped as it enters the queue and again as it leaves.
    private struct Turn {
        let work: @EngineActor () -> Void
    }

    private let clock: any EngineClock
    private let isSliced: Bool
    private var queue: Deque<Turn> = []
    private var timers = Heap<TimerEntry>()
    private var timerCount: UInt64 = 0
    private let cancelled = CancelledTimers()
    /// Timers whose time has come.
    private var due: Deque<EngineTimer> = []
    /// Counts the turns.
    package private(set) var turn: UInt64 = 0

    /// With the system's clock the engine loop runs this scheduler for as long as it lives; with any other
    /// clock whoever holds it calls ``runTurn()``.
    public init(clock: any EngineClock = SystemClock()) {
        self.clock = clock
        isSliced = clock is SystemClock
        if isSliced { SchedulerList.shared.add(self) }
    }

    /// The clock's time, in Unix seconds.
    public var now: Double { clock.now }

    /// Somebody else may set the time of day, the machine's administrator for instance.
    public var mayJump: Bool { isSliced }

    /// Seconds on a clock that never jumps.
    package var uptime: Double { clock.uptime }

    var time: EngineTime { EngineTime(now: clock.now, uptime: clock.uptime) }

    /// Runs `work` in the next turn.
    public func nextTurn(_ work: @escaping @EngineActor () -> Void) {
        queue.append(Turn(work: RefreshScope.bound(work)))
    }

    /// Runs `work` once, after `delay`, unless the timer is cancelled.
    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @EngineActor () -> Void) -> EngineTimer {
        after(delay.inSeconds, work)
    }

    /// The same in seconds, which may be endless.
    @discardableResult
    package func after(_ seconds: Double, _ work: @escaping @EngineActor () -> Void) -> EngineTimer {
        let timer = EngineTimer(cancelled, RefreshScope.bound(work))
        timerCount += 1
        // What was cancelled stays until its time comes, unless that is most of them.
        if cancelled.count > 64, cancelled.count > timers.count / 2 {
            timers = Heap(timers.unordered.filter { $0.timer.work != nil })
            cancelled.count = 0
        }
        timers.insert(TimerEntry(deadline: clock.uptime + max(0, seconds), order: timerCount, timer: timer))
        return timer
    }

    /// Does work in parts: now and in later turns, others have theirs after each part.
    ///
    /// - Parameter step: does a little; false when there is no more.
    package func inParts(_ step: @escaping @EngineActor () -> Bool) {
        let end = uptime + Self.part
        repeat {
            guard step() else { return }
        } while uptime <= end
        nextTurn { [self] in inParts(step) }
    }

    /// Runs the timers that are due, then what was queued when the turn began. False when there was nothing.
    ///
    /// On the system's clock either stops when it has taken long; what is left begins the next turn.
    @discardableResult
    public func runTurn() -> Bool {
        turn += 1
        var left = queue.count
        var didWork = left > 0
        takeDueTimers()
        var end = sliceEnd
        while let timer = due.popFirst() {
            guard let work = timer.take() else { continue }
            work()
            didWork = true
            if isSliced, clock.uptime > end { break }
        }
        end = sliceEnd
        while left > 0, let next = queue.popFirst() {
            next.work()
            left -= 1
            if isSliced, clock.uptime > end { break }
        }
        return didWork
    }

    private var sliceEnd: Double { isSliced ? clock.uptime + Self.slice : 0 }

    /// All at once, so that a timer set meanwhile, even for now, waits for the next turn.
    private func takeDueTimers() {
        let uptime = clock.uptime
        while let first = timers.min, first.timer.work == nil || first.deadline <= uptime {
            timers.removeMin()
            guard first.timer.work != nil else {
                cancelled.count -= 1
                continue
            }
            first.timer.leave()
            due.append(first.timer)
        }
    }

    /// Seconds until there is work: 0 for now, nil for none in sight.
    public var timeUntilWork: Double? {
        if !queue.isEmpty || !due.isEmpty { return 0 }
        return nextDeadline.map { max(0, $0 - clock.uptime) }
    }

    /// True while a turn is queued or a timer is armed.
    public var hasWork: Bool { timeUntilWork != nil }

    /// When the next timer is due, on the clock's uptime.
    public var nextDeadline: Double? {
        while let first = timers.min, first.timer.work == nil {
            timers.removeMin()
            cancelled.count -= 1
        }
        return timers.min?.deadline
    }

    /// Timers that are neither due nor cancelled.
    public var armedTimers: Int { timers.unordered.count { $0.timer.work != nil } }

    /// Those that are kept, cancelled ones included.
    var keptTimers: Int { timers.count }

    /// Forgets all turns and timers: what would have run holds on to nothing any more.
    public func clear() {
        queue = []
        due = []
        timers = Heap()
        cancelled.count = 0
    }
}

/// A callback at a later time; cancelled by ``cancel()``, not by being dropped.
@EngineActor
public final class EngineTimer {
    fileprivate var work: (@EngineActor () -> Void)?

    private let cancelled: CancelledTimers
    private var isWaiting = true

    fileprivate init(_ cancelled: CancelledTimers, _ work: @escaping @EngineActor () -> Void) {
        self.cancelled = cancelled
        self.work = work
    }

    /// Keeps the callback from running; no effect when it has run.
    public func cancel() {
        if work != nil, isWaiting { cancelled.count += 1 }
        work = nil
    }

    /// Its time has come.
    fileprivate func leave() { isWaiting = false }

    fileprivate func take() -> (@EngineActor () -> Void)? {
        defer { work = nil }
        return work
    }
}

/// How many timers of a scheduler were cancelled and wait all the same.
@EngineActor
private final class CancelledTimers {
    var count = 0

    nonisolated init() {}
}

private struct TimerEntry: Comparable {
    let deadline: Double
    /// Timers of one deadline run in the order in which they were set.
    let order: UInt64
    let timer: EngineTimer

    static func < (a: TimerEntry, b: TimerEntry) -> Bool {
        a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order
    }

    static func == (a: TimerEntry, b: TimerEntry) -> Bool { a.order == b.order }
}

/// The schedulers that the loop runs.
@EngineActor
final class SchedulerList {
    static let shared = SchedulerList()

    private struct Member {
        weak var scheduler: Scheduler?
    }
    private var members: [Member] = []

    func add(_ scheduler: Scheduler) {
        members.removeAll { $0.scheduler == nil }
        members.append(Member(scheduler: scheduler))
    }

    /// One turn of each. Returns how many milliseconds the loop may wait: 0 when there is more to do, -1 for
    /// ever.
    func runPass() -> Int32 {
        var wait = Double.infinity
        // No task runs now whose scope could count.
        RefreshScope.outside {
            for member in members {
                guard let scheduler = member.scheduler else { continue }
                scheduler.runTurn()
                if let time = scheduler.timeUntilWork { wait = min(wait, time) }
            }
        }
        guard wait.isFinite else { return -1 }
        return Int32(min((wait * 1000).rounded(.up), 60_000))
    }
}
