/// One request: something that starts once, ends once, and tells those who asked (rules 7).
@EngineActor
public final class Request {
    /// Where it is between start and end (7.1).
    public enum State: String, Sendable {
        case notStarted = "not_started"
        case inProgress = "in_progress"
        case completed
    }

    /// A closure by itself would be wrapped as it enters an array and again as it leaves.
    private struct CompletionHook {
        let run: @EngineActor (ResponseInfo) -> Void
    }

    let engine: Engine
    let work: any RequestWork
    /// Of its call, from 1: repeats count on.
    private(set) var attempt = 1
    private var machine = RequestStateMachine()
    private var completionHooks: [CompletionHook] = []
    private var haveHooksRun = false
    /// When it started; nil before that, and after its hooks have been called.
    private var epoch: RequestEpoch?
    private var hasWarned = false
    /// Nil until somebody listens.
    private var reporter: ProgressReporter?
    private var latestProgress = 0.0
    /// Nil until an event has told of it.
    var notified: NotifiedRequest?
    /// The scheduler's turn in which it started.
    private(set) var startTick: UInt64 = 0
    /// The refreshes that depend on this request, so that it must not wait for them.
    private(set) var neededBy = RefreshScope.current

    /// When it must have ended because the call that it is part of must, on the scheduler's uptime (41.8).
    /// Its own time may be over before.
    var deadline = Double.infinity

    /// Tasks that wait for the outcome.
    var waitingTasks = 0
    /// The outcome becomes the state of a resource (5.13).
    var isLoad = false

    /// What the server answered last; nil before that, and for requests that use no network.
    public internal(set) var exchange: Exchange?
    /// The messages that have ended, where there is more to say of them than ``exchange`` does.
    var trail: [RequestAttempt]?

    /// What it sent and what came of that, in order (rule 40.1); none for what needed no server. A chain has
    /// those of the request that it waited for last.
    public var attempts: [RequestAttempt] { trail ?? exchange.map { [$0.attempt(attempt)] } ?? [] }

    /// The outcome; nil before the end.
    public private(set) var info: ResponseInfo?

    /// Those who answer for what it keeps, until it has ended.
    private var keepers: [any RequestKeeper] = []

    init(engine: Engine, work: any RequestWork) {
        self.engine = engine
        self.work = work
    }

    /// A request that has ended already, with an outcome that start and cancel do not change (11.5).
    public init(engine: Engine, outcome: Response) {
        self.engine = engine
        work = HardWiredWork()
        _ = machine.start()
        _ = machine.complete()
        info = ResponseInfo(outcome)
        haveHooksRun = true
    }

    /// A request that has failed already (11.6).
    public convenience init(engine: Engine, failedWith error: RequestError) {
        self.init(engine: engine, outcome: .failure(error))
    }

    /// ``State/completed`` as soon as the outcome is known; hooks follow a turn later (7.9).
    public var state: State {
        switch machine.state {
        case .notStarted: .notStarted
        case .inProgress: .inProgress
        case .completed: .completed
        }
    }

    /// It ended by being cancelled (7.11).
    public var isCancelled: Bool { info?.isCancellation ?? false }

    /// 0…1, never going back; 1 for every completed request, whatever its outcome (12.1, 12.4).
    public var progress: Double {
        switch machine.state {
        case .notStarted: return 0
        case .completed: return 1
        case .inProgress:
            let fraction = work.fraction
            if fraction > latestProgress { latestProgress = min(1, fraction) }
            return latestProgress
        }
    }

    /// There is more to say of what it sent than of one message.
    package var isOfManyMessages: Bool { (trail?.count ?? 0) > 1 }

    /// For logs: method and URL, or what it is.
    public var description: String { work.description }

    // MARK: Life

    /// Starts the request, if it has not started; needed for repeats, custom requests and what a decorator
    /// held back (7.2). Its resource lists it from here to its end (D5).
    @discardableResult
    public func start() -> Request {
        if machine.state == .notStarted { work.lister?.track(self, first: true) }
        return begin()
    }

    /// Starts a request that is listed already, or for which a chain is.
    @discardableResult
    func begin() -> Request {
        guard machine.start() else { return self }
        engine.log.write(.networkDetails, "start \(description)")
        startTick = engine.scheduler.tick
        for pass in RefreshScope.current { need(by: pass) }
        epoch = engine.requestBegan()
        notifyStart()
        work.start(self)
        if machine.state == .inProgress { reporter?.begin(atOnce: true) }
        return self
    }

    /// Ends the request with a cancellation, at once; no effect when it has ended (8.1, 8.2).
    public func cancel() {
        let effect = machine.cancel()
        guard effect.cancelled else { return }
        engine.log.write(.network, "cancel \(description)")
        work.cancel(isRunning: effect.stopWork)
        finish(
            ResponseInfo(
                .failure(
                    RequestError(
                        cause: .requestCancelled, timestamp: engine.scheduler.now, url: work.target?.url,
                        method: work.target?.method))))
    }

    /// A new request for the same call, not started (9.1).
    public func repeated() -> Request {
        if work is HardWiredWork { return self }
        let request = Request(engine: engine, work: work.repeated())
        request.attempt = (trail?.last?.number ?? attempt) + 1
        return request
    }

    /// Records the outcome, unless there is one already; then it is false.
    @discardableResult
    func complete(_ info: ResponseInfo) -> Bool {
        guard !willIgnoreOutcome() else { return false }
        _ = machine.complete()
        finish(info)
        return true
    }

    /// True when there is an outcome already, which the log is told of: once for a second outcome (7.12), in
    /// its details for what comes after a cancellation (8.5).
    func willIgnoreOutcome() -> Bool {
        switch machine.outcome {
        case .accept: return false
        case .ignoreAfterCancel: engine.log.write(.networkDetails, "answer after cancel: \(description)")
        case .ignoreDuplicate:
            if !hasWarned { engine.log.write(.warning, "second outcome ignored: \(description)") }
            hasWarned = true
        }
        return true
    }

    private func finish(_ info: ResponseInfo) {
        self.info = counted(info)
        notifyKeepers()
        keepers = []
        notifyEnd()
        reporter?.stop()
        // Hooks run in the scope of whoever attached them, not of whoever ended the request.
        RefreshScope.run(in: []) { engine.scheduler.nextTick { self.runHooks() } }
    }

    /// `keeper` is told when it keeps more, until it has ended.
    package func add(_ keeper: any RequestKeeper) {
        guard machine.state != .completed, !keepers.contains(where: { $0 === keeper }) else { return }
        keepers.append(keeper)
    }

    func notifyKeepers() {
        for keeper in keepers { keeper.requestGrew(self) }
    }

    private func counted(_ info: ResponseInfo) -> ResponseInfo {
        guard case .failure(var error) = info.response else { return info }
        let number = max(error.attempt, trail?.last?.number ?? attempt)
        let records = error.attempts.isEmpty ? attempts : error.attempts
        if number == error.attempt, records.count == error.attempts.count { return info }
        error.notify(number: number, records)
        return ResponseInfo(.failure(error), stageOutputs: info.stageOutputs)
    }

    private func runHooks() {
        guard let info else { return }
        for hook in reporter?.takeHooks() ?? [] { hook(1) }
        // A hook may attach another, which belongs to a later turn (7.7).
        let hooks = completionHooks
        completionHooks = []
        haveHooksRun = true
        for hook in hooks { hook.run(info) }
        if let epoch {
            self.epoch = nil
            engine.requestEnded(epoch)
        }
    }

    // MARK: Hooks

    /// Runs `hook` once, in a later turn than the outcome; hooks run in the order in which they were attached
    /// (7.8).
    @discardableResult
    public func onCompletion(_ hook: @escaping @EngineActor (ResponseInfo) -> Void) -> Request {
        onCompletion(first: false, hook)
        return self
    }

    /// - Parameter first: Before those that were attached earlier.
    func onCompletion(first: Bool, _ hook: @escaping @EngineActor (ResponseInfo) -> Void) {
        let passes = RefreshScope.current
        var hook = hook
        // The function that does it is a generic one, which wraps each closure twice.
        if !passes.isEmpty {
            for pass in passes { need(by: pass) }
            hook = RefreshScope.bound(hook)
        }
        if haveHooksRun, let info {
            engine.scheduler.nextTick { [hook] in hook(info) }
        } else {
            // Not changed in place, so that nobody's reading has to be checked; see EngineLog.
            var hooks = completionHooks
            completionHooks = []
            if hooks.isEmpty { hooks.reserveCapacity(4) }
            hooks.insert(CompletionHook(run: hook), at: first ? 0 : hooks.count)
            completionHooks = hooks
        }
    }

    /// Called as the request goes on, when there is something new to say, and with 1 when it has ended,
    /// before the other hooks (12.2, 12.3). On a running request it waits for the next change (12.5).
    @discardableResult
    public func onProgress(_ hook: @escaping @EngineActor (Double) -> Void) -> Request {
        let hook = RefreshScope.bound(hook)
        if haveHooksRun {
            engine.scheduler.nextTick { hook(1) }
            return self
        }
        let reporter = reporter ?? ProgressReporter(self)
        self.reporter = reporter
        reporter.add(hook)
        if machine.state == .inProgress { reporter.begin(atOnce: startTick == engine.scheduler.tick) }
        return self
    }

    /// How many wait for its outcome, its resource and its lists among them.
    package var interest: Int { completionHooks.count + waitingTasks + (reporter == nil ? 0 : 1) }

    /// Marks the request, and what it waits for, as something that a refresh depends on.
    func need(by pass: RefreshPass) {
        guard machine.state != .completed, !pass.isOver, !neededBy.contains(identical: pass) else {
            return
        }
        // Not changed in place, as in EngineLog: each request reads it, and hardly any gets one.
        neededBy = neededBy + [pass]
        work.need(by: pass)
    }
}
