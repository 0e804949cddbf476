import Platform
public import RestEngine

/// The time of engines in a test. It stands still except where the test moves it.
///
/// Work that is due runs by itself, as in a program. Only what waits for a later time, such as a repetition,
/// a timeout or a slow answer, waits until the clock gets there:
///
/// ```swift
/// let user = try await clock.run { try await users.get("octocat", as: User.self)() }
/// ```
@EngineActor
public final class TestClock {
    let time: ManualClock
    let scheduler: Scheduler
    let tasks = TestedTasks()
    private let start: Double
    private var engines: [WeakEngine] = []
    /// Describes what waits, for errors.
    var waiting: @EngineActor () -> [String] = { [] }

    private var steps: [Step] = []
    private var runs: [any ClockRun] = []
    private var isListening = false
    /// Ends waits in vain, on the machine's clock.
    private let watchdog = Scheduler()
    private var watch: EngineTimer?
    private var lastActivity = (jobs: 0, moves: 0, ticks: UInt64(0))
    private var moves = 0

    /// The real time after which a test that waits in vain fails. It is the only use of real time.
    public var patience = Duration.seconds(10)

    private struct WeakEngine {
        weak var engine: Engine?
    }

    private struct Step {
        let target: Double
        let end: CheckedContinuation<TestClockError?, Never>
    }

    /// A clock that stands still.
    ///
    /// - Parameter now: The time of day at the start, in Unix seconds.
    public init(startingAt now: Double = 1_000_000) {
        start = now
        time = ManualClock(now: now)
        scheduler = Scheduler(clock: time, isRunByLoop: true, tasks: tasks)
    }

    /// The time of day, in Unix seconds, as in `Entity.timestamp`.
    public var now: Double { time.now }

    /// The time since the start.
    public var elapsed: Duration { Duration(inSeconds: time.uptime) }

    func add(_ engine: Engine) { engines.append(WeakEngine(engine: engine)) }

    // MARK: Moving the time

    /// Moves the clock forward, from timer to timer. Before each move, and at the end, everything runs that
    /// is due, with all that follows from it.
    ///
    /// With `.zero` it only lets run what is due.
    ///
    /// - Throws: ``TestClockError`` when that never ends.
    public func advance(by duration: Duration) async throws(TestClockError) {
        let target = time.uptime + max(0, duration.inSeconds)
        let error = await withCheckedContinuation { continuation in
            steps.append(Step(target: target, end: continuation))
            listen()
        }
        if let error { throw error }
    }

    /// Runs code, and moves the clock to the next timer whenever all of it waits. So code that repeats a call
    /// four times, with waits in between, takes no real time.
    ///
    /// The code and its child tasks (`async let`, task groups) run one after the other, in an order that is
    /// always the same. The clock sees their waits, and those of the engine. It does not see what other
    /// actors, such as the main actor, and tasks that are made with `Task { … }` do meanwhile.
    ///
    /// - Parameters:
    ///   - limit: The most time of the clock that the code may take.
    ///   - code: It may move the clock, too, by ``advance(by:)``.
    /// - Throws: What the code throws, or ``TestClockError`` when it can't go on. Then its task is cancelled.
    @discardableResult
    public func run<Value: Sendable>(
        upTo limit: Duration = .days(1), _ code: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let run = CodeRun<Value>(until: time.uptime + limit.inSeconds, limit)
        run.task = TaskPreference.$executor.withValue(tasks) {
            Task(executorPreference: tasks) {
                let result: Result<Value, any Error>
                do { result = .success(try await code()) } catch { result = .failure(error) }
                await run.end(result)
            }
        }
        runs.append(run)
        listen()
        defer {
            runs.removeAll { $0 === run }
            rest()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedContinuation { run.wait($0) }.get()
        } onCancel: {
            EngineLoop.shared.submit { run.task?.cancel() }
        }
    }

    private func listen() {
        guard !isListening else { return }
        isListening = true
        SchedulerList.shared.add(self)
        look()
        // The loop may be idle already.
        EngineLoop.shared.submit {}
    }

    private func rest() {
        guard isListening, steps.isEmpty, runs.isEmpty else { return }
        isListening = false
        SchedulerList.shared.remove(self)
        watch?.cancel()
        watch = nil
    }

    private func move(to uptime: Double) {
        moves += 1
        time.move(toUptime: uptime, now: start + uptime)
    }

    // MARK: Waits in vain

    /// Looks again after a while whether anything has happened.
    private func look() {
        lastActivity = (tasks.count, moves, scheduler.tick)
        watch = watchdog.after(patience) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        let hasMoved = (tasks.count, moves) != (lastActivity.jobs, lastActivity.moves)
        let isRestless = scheduler.timeUntilWork == 0 && scheduler.tick > lastActivity.ticks
        if !hasMoved {
            let error = error(isRestless ? .restless : .standstill)
            for step in steps { step.end.resume(returning: error) }
            steps = []
            for run in runs { run.fail(error) }
        }
        rest()
        if isListening { look() }
    }
}

extension TestClock: IdleObserver {
    package func loopIsIdle() -> Bool {
        // The tasks come first: if they wait, what they sent to the loop is there.
        guard tasks.areWaiting, engines.allSatisfy({ $0.engine?.offloadedWork ?? 0 == 0 }),
            EngineLoop.shared.isEmpty
        else { return false }
        let next = scheduler.nextDeadline
        if let target = steps.map(\.target).min() {
            guard time.uptime >= target else {
                move(to: max(time.uptime, min(next ?? target, target)))
                return true
            }
            let done = steps.filter { $0.target <= time.uptime }
            steps.removeAll { $0.target <= time.uptime }
            for step in done { step.end.resume(returning: nil) }
            rest()
            return true
        }
        let waiting = runs.filter { !$0.hasFailed }
        guard let run = waiting.min(by: { $0.deadline < $1.deadline }), let next else { return false }
        if next > run.deadline {
            run.fail(error(.limit, limit: run.limit))
        } else {
            move(to: max(time.uptime, next))
        }
        return true
    }
}
