/// One request: it starts once, ends once, and notifies its hooks (rules 7).
@EngineActor
public final class Request {
    /// The state of the request between start and end (7.1).
    public enum State: String, Sendable {
        /// Before ``Request/start()``.
        case notStarted = "not_started"
        /// It has started, and has no outcome yet.
        case inProgress = "in_progress"
        /// It has an outcome, or was cancelled.
        case completed
    }

    let engine: Engine
    let work: any RequestWork
    /// The attempt number within its call, from 1; repeats continue the count.
    private(set) var attempt = 1
    /// The messages of the requests that it repeats.
    private(set) var earlierMessages = 0
    private var machine = RequestStateMachine()
    private var hooks = CompletionHooks()
    /// Set at the start; nil before, and after the hooks have been called.
    private var epoch: RequestEpoch?
    private var hasWarned = false
    /// Nil until there is a progress hook.
    private var reporter: ProgressReporter?
    private var latestProgress = 0.0
    /// Nil until the first event about the request.
    var notified: NotifiedRequest?
    /// The scheduler's tick in which it started.
    private(set) var startTick: UInt64 = 0
    /// The refreshes that depend on this request, so that it must not wait for them.
    private(set) var neededBy: [RefreshPass] = []
    /// The client's request for which it was made; nil for others.
    private(set) var origin: RequestOrigin?

    /// The deadline of the call that the request is part of, on the scheduler's uptime clock (41.8). The time
    /// limit of the request itself may end earlier.
    var deadline = Double.infinity

    /// The number of tasks that wait for the outcome.
    var waitingTasks = 0
    /// Whether the outcome becomes the state of a resource (5.13).
    var isLoad = false
    /// The server may have answered before a later change; see ``Resource/outdate()``.
    var isOutdated = false
    /// A wipe of its resource cancelled it (21.5).
    private(set) var isWiped = false

    /// The last answer of the server; nil before it, and for requests that use no network.
    public internal(set) var exchange: Exchange?
    /// The messages that have ended, if there is more information about them than in ``exchange``.
    var trail: [RequestAttempt]?

    /// The messages that it sent with their results, in order (rule 40.1); empty if no message was needed. A
    /// chain has those of the request that it waited for last.
    public var attempts: [RequestAttempt] { trail ?? exchange.map { [$0.attempt(attempt)] } ?? [] }

    /// The outcome; nil before the end.
    public private(set) var info: ResponseInfo?

    private var accounts = RequestAccounts()

    init(engine: Engine, work: any RequestWork) {
        self.engine = engine
        self.work = work
        let scope = WorkScope.current
        (neededBy, origin) = (scope.refreshes, scope.origin)
    }

    /// A request that has already ended, with an outcome that starting or cancelling does not change (11.5).
    public init(engine: Engine, outcome: Response) {
        self.engine = engine
        work = HardWiredWork()
        _ = machine.start()
        _ = machine.complete()
        info = ResponseInfo(outcome)
        hooks = .ended
    }

    /// A request that has failed already (11.6).
    public convenience init(engine: Engine, failedWith error: RequestError) {
        self.init(engine: engine, outcome: .failure(error))
    }

    /// ``State/completed`` as soon as the outcome is known; hooks run one tick later (7.9).
    public var state: State {
        switch machine.state {
        case .notStarted: .notStarted
        case .inProgress: .inProgress
        case .completed: .completed
        }
    }

    /// Whether it ended by being cancelled (7.11).
    public var isCancelled: Bool { info?.isCancellation ?? false }

    /// 0…1, never decreasing; 1 for every completed request, with any outcome (12.1, 12.4).
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

    /// For logs: method and URL, or another description.
    public var description: String { work.description }

    // MARK: Life

    /// Starts the request if it has not started. This is needed for repeats, custom requests and requests
    /// that a decorator held back (7.2). Its resource lists it from now until its end (D5).
    @discardableResult
    public func start() -> Request {
        if machine.state == .notStarted { work.lister?.track(self, first: true) }
        return begin()
    }

    /// Starts a request that is already listed, or whose chain is.
    @discardableResult
    func begin() -> Request {
        guard machine.start() else { return self }
        engine.log.write(.networkDetails, "start \(description)")
        startTick = engine.scheduler.tick
        for pass in WorkScope.current.refreshes { need(by: pass) }
        epoch = engine.requestBegan(self)
        notifyStart()
        if let refusal = engine.refusal { refuse(refusal) } else { work.start(self) }
        if machine.state == .inProgress {
            holdAccounts()
            reporter?.begin(atOnce: true)
        }
        return self
    }

    /// Ends the request with a cancellation, at once; no effect if it has ended (8.1, 8.2).
    public func cancel() { cancel(message: nil) }

    /// The same because of a wipe, which the error says: nobody cancelled the request itself.
    func cancelByWipe() {
        isWiped = true
        cancel(message: "Request cancelled: its resource was wiped")
    }

    /// - Parameter message: Nil for the usual one.
    private func cancel(message: String?) {
        let effect = machine.cancel()
        guard effect.cancelled else { return }
        engine.log.write(.network, "cancel \(description)")
        work.cancel(isRunning: effect.stopWork)
        finish(
            ResponseInfo(
                .failure(
                    RequestError(
                        userMessage: message, cause: .requestCancelled, timestamp: engine.scheduler.now,
                        url: work.target?.url,
                        method: work.target?.method))))
    }

    /// A new request for the same call, not started (9.1).
    public func repeated() -> Request {
        if work is HardWiredWork { return self }
        let request = Request(engine: engine, work: work.repeated())
        request.attempt = (trail?.last?.number ?? attempt) + 1
        request.earlierMessages = earlierMessages + attempts.count
        request.origin = origin ?? request.origin
        return request
    }

    /// Stores the outcome; false if there is one already.
    @discardableResult
    func complete(_ info: ResponseInfo) -> Bool {
        guard !willIgnoreOutcome() else { return false }
        _ = machine.complete()
        finish(info)
        return true
    }

    /// True if there is an outcome already. Logs a second outcome once (7.12), and an outcome after a
    /// cancellation in the detailed log (8.5).
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
        accounts = RequestAccounts()
        notifyEnd()
        reporter?.stop()
        // Hooks run in the scope of the code that attached them, not of the code that ended the request.
        WorkScope.outside { engine.scheduler.nextTick { self.runHooks() } }
    }

    /// Notifies `keeper` when the request holds more memory, until it has ended.
    package func add(_ keeper: any RequestKeeper) {
        guard machine.state != .completed else { return }
        accounts.add(keeper)
        if machine.state == .inProgress { holdAccounts() }
    }

    private func holdAccounts() {
        // Not in place: a keeper may ask about the request.
        var accounts = accounts
        accounts.hold(self)
        self.accounts = accounts
    }

    func notifyKeepers() { accounts.notify(self) }

    private func counted(_ info: ResponseInfo) -> ResponseInfo {
        guard case .failure(var error) = info.response else { return info }
        let number = max(error.attempt, trail?.last?.number ?? attempt)
        let records = error.attempts.isEmpty ? attempts : error.attempts
        if number == error.attempt, records.count == error.attempts.count { return info }
        error.notify(number: number, records)
        return ResponseInfo(.failure(error), stageOutputs: info.stageOutputs)
    }

    /// Runs hooks until they have taken long; the next tick goes on. There may be thousands, each of which
    /// continues a function of a script.
    private func runHooks() {
        guard let info else { return }
        for hook in reporter?.takeHooks() ?? [] { hook(1) }
        let taken = hooks.take()
        var next = 0
        while next < taken.count {
            taken[next].run(info)
            next += 1
            if next < taken.count, engine.scheduler.isLate {
                hooks.putBack(taken[next...])
                return engine.scheduler.nextTick { self.runHooks() }
            }
        }
        for hook in hooks.end() { engine.scheduler.nextTick { hook.run(info) } }
        if let epoch {
            self.epoch = nil
            engine.requestEnded(self, epoch)
        }
    }

    // MARK: Hooks

    /// Runs `hook` once, in a later tick than the outcome; hooks run in the order in which they were attached
    /// (7.8).
    @discardableResult
    public func onCompletion(_ hook: @escaping @EngineActor (ResponseInfo) -> Void) -> Request {
        onCompletion(first: false, hook)
        return self
    }

    /// - Parameter first: Whether to run it before the hooks that were attached earlier.
    func onCompletion(first: Bool, _ hook: @escaping @EngineActor (ResponseInfo) -> Void) {
        let scope = WorkScope.current
        var hook = hook
        // This does the work of a generic function, which would wrap each closure twice.
        if !scope.isEmpty {
            for pass in scope.refreshes { need(by: pass) }
            hook = WorkScope.bound(hook)
        }
        // Copied, not changed in place, to save exclusivity checks; see EngineLog.
        var hooks = hooks
        self.hooks = CompletionHooks()
        let isAdded = hooks.add(CompletionHooks.Hook(run: hook), first: first)
        self.hooks = hooks
        if !isAdded, let info {
            engine.scheduler.nextTick { [hook] in hook(info) }
        } else if hooks.count.isMultiple(of: 16) {
            notifyKeepers()
        }
    }

    /// Calls the hook with new progress values while the request runs, and with 1 when it has ended, before
    /// the other hooks (12.2, 12.3). On a running request the first call is at the next change (12.5).
    @discardableResult
    public func onProgress(_ hook: @escaping @EngineActor (Double) -> Void) -> Request {
        let hook = WorkScope.bound(hook)
        if hooks.haveBegun {
            engine.scheduler.nextTick { hook(1) }
            return self
        }
        let reporter = reporter ?? ProgressReporter(self)
        self.reporter = reporter
        reporter.add(hook)
        if machine.state == .inProgress { reporter.begin(atOnce: startTick == engine.scheduler.tick) }
        return self
    }

    /// The bytes of the hooks, without the values that they have captured.
    var hookBytes: Int { 128 * hooks.count }

    /// The number of parties that wait for its outcome, including its resource and its lists.
    package var interest: Int { hooks.count + waitingTasks + (reporter == nil ? 0 : 1) }

    /// Marks the request, and the requests that it waits for, as needed by a refresh.
    func need(by pass: RefreshPass) {
        guard machine.state != .completed, !pass.isOver, !neededBy.contains(identical: pass) else {
            return
        }
        // Copied, not changed in place, as in EngineLog: each request reads it, and hardly any changes it.
        neededBy = neededBy + [pass]
        work.need(by: pass)
    }
}
