import DequeModule

/// Ticks and timers of one engine, on the system's clock or on one that a test moves by hand.
///
/// A *tick* is one later pass: work queued during a tick runs in the next one, never in the same.
@EngineActor
public final class Scheduler {
    /// Seconds after which a tick yields to other work, above all to sockets, because the work of one tick
    /// may be long.
    private static let slice = 0.01
    /// Seconds for one part of long work, see ``inParts(_:)``.
    private static let part = 0.005

    /// A struct, because a plain closure would be wrapped when it enters the queue and again when it leaves.
    private struct Tick {
        let work: @EngineActor () -> Void
    }

    private let clock: any EngineClock
    private let isSliced: Bool
    /// Runs the parts of the engine's tasks that belong to no actor; nil for Swift's own threads.
    let tasks: (any TaskExecutor)?
    private var queue: Deque<Tick> = []
    private var timers = TimerHeap()
    /// When the work of the current tick has taken long, on the clock's uptime.
    private var tickEnd = 0.0
    /// The number of ticks so far.
    package private(set) var tick: UInt64 = 0

    /// With the system's clock, the engine loop runs this scheduler as long as it lives; with any other
    /// clock, its owner runs the ticks.
    public convenience init(clock: any EngineClock = SystemClock()) {
        self.init(clock: clock, isRunByLoop: clock is SystemClock)
    }

    /// - Parameters:
    ///   - isRunByLoop: Whether the engine loop runs what is due, whatever the clock.
    ///   - tasks: See ``tasks``.
    package init(clock: any EngineClock, isRunByLoop: Bool, tasks: (any TaskExecutor)? = nil) {
        self.clock = clock
        self.tasks = tasks
        isSliced = clock is SystemClock
        if isRunByLoop { SchedulerList.shared.add(self) }
    }

    /// The seconds that the loop may wait for this scheduler; nil for ever. A clock that is moved by hand
    /// does not move while the loop waits.
    var loopWait: Double? {
        let time = timeUntilWork
        return isSliced || time == 0 ? time : nil
    }

    /// The clock's time, in Unix seconds.
    public var now: Double { clock.now }

    /// Whether the time of day can be set from outside, for example by the machine's administrator.
    package var mayJump: Bool { isSliced }

    /// Seconds on a clock that never jumps.
    package var uptime: Double { clock.uptime }

    /// Whether the work of the current tick has taken long, so that more of it should wait for the next one.
    var isLate: Bool { clock.uptime > tickEnd }

    var time: EngineTime { EngineTime(now: clock.now, uptime: clock.uptime) }

    /// Runs `work` in the next tick.
    public func nextTick(_ work: @escaping @EngineActor () -> Void) {
        queue.append(Tick(work: WorkScope.bound(work)))
    }

    /// Runs `work` once, after `delay`, unless the timer is cancelled.
    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @EngineActor () -> Void) -> EngineTimer {
        after(delay.inSeconds, work)
    }

    /// The same in seconds, which may be infinite.
    @discardableResult
    package func after(_ seconds: Double, _ work: @escaping @EngineActor () -> Void) -> EngineTimer {
        let timer = EngineTimer(on: self, WorkScope.bound(work))
        timers.insert(timer, at: clock.uptime + max(0, seconds))
        return timer
    }

    /// Removes a timer that was cancelled.
    func remove(_ timer: EngineTimer) { timers.remove(timer) }

    /// Does work in parts, now and in later ticks, with other work between the parts.
    ///
    /// - Parameter step: Does one part; false when there is no more.
    package func inParts(_ step: @escaping @EngineActor () -> Bool) {
        let end = uptime + Self.part
        repeat {
            guard step() else { return }
        } while uptime <= end
        nextTick { [self] in inParts(step) }
    }

    /// Runs the timers that are due, then the work that was queued when the tick began. False when there was
    /// none.
    ///
    /// On the system's clock, both stop when they have taken long; the rest begins the next tick.
    @discardableResult
    package func runTick() -> Bool {
        tick += 1
        var left = queue.count
        var didWork = left > 0
        // A timer that is set during the tick, even with delay zero, waits for the next tick.
        let (uptime, last) = (clock.uptime, timers.lastOrder)
        tickEnd = uptime + Self.slice
        var end = sliceEnd
        while let timer = timers.popFirst(dueAt: uptime, setUpTo: last) {
            timer.run()
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

    /// Seconds until there is work: 0 for now, nil if none is planned.
    package var timeUntilWork: Double? {
        if !queue.isEmpty { return 0 }
        return nextDeadline.map { max(0, $0 - clock.uptime) }
    }

    /// True while work is queued or a timer is armed.
    package var hasWork: Bool { timeUntilWork != nil }

    /// The time of the next timer, on the clock's uptime.
    package var nextDeadline: Double? { timers.firstDeadline }

    /// Timers that have neither run nor been cancelled.
    package var armedTimers: Int { timers.count }

    /// Drops all queued work and timers, and the references that they hold.
    package func clear() {
        queue = []
        _ = timers.removeAll()
    }
}

/// Hears whenever all schedulers of the loop have done what is due.
@EngineActor
package protocol IdleObserver: AnyObject {
    /// Work that other threads sent may wait; see ``EngineLoop/isEmpty``.
    ///
    /// - Returns: Whether it made work for the loop.
    func loopIsIdle() -> Bool
}

/// The schedulers that the loop runs.
@EngineActor
package final class SchedulerList {
    package static let shared = SchedulerList()

    private struct Member {
        weak var scheduler: Scheduler?
    }
    private var members: [Member] = []
    private var idleObservers: [any IdleObserver] = []

    func add(_ scheduler: Scheduler) {
        members.removeAll { $0.scheduler == nil }
        members.append(Member(scheduler: scheduler))
    }

    /// Tells the observer from now on when the loop is idle, until it is removed.
    package func add(_ observer: any IdleObserver) { idleObservers.append(observer) }

    package func remove(_ observer: any IdleObserver) { idleObservers.removeAll { $0 === observer } }

    /// Runs one tick of each. Returns how many milliseconds the loop may wait: 0 when there is more to do, -1
    /// for forever.
    ///
    /// - Parameter isLast: Whether the loop has done all the work that it took.
    func runPass(isLast: Bool) -> Int32 {
        var wait = Double.infinity
        // No task runs now, so no scope may apply.
        WorkScope.outside {
            for member in members {
                guard let scheduler = member.scheduler else { continue }
                scheduler.runTick()
                if let time = scheduler.loopWait { wait = min(wait, time) }
            }
        }
        if isLast, wait > 0, !idleObservers.isEmpty {
            for observer in idleObservers where observer.loopIsIdle() { return 0 }
        }
        guard wait.isFinite else { return -1 }
        return Int32(min((wait * 1000).rounded(.up), 60_000))
    }
}
