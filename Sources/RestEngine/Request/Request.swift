/// One request: something that starts once, ends once, and tells those who asked (siesta-semantics 7).
@EngineActor
public final class Request {
    public enum State: String, Sendable {
        case notStarted = "not_started"
        case inProgress = "in_progress"
        case completed
    }

    let engine: Engine
    private let work: any RequestWork
    private var machine = RequestStateMachine()
    private var completionHooks: [@EngineActor (ResponseInfo) -> Void] = []
    private var progressHooks: [@EngineActor (Double) -> Void] = []
    private var haveHooksRun = false
    /// It has started, and its hooks have not been called yet.
    private var isOpen = false

    /// Tasks that wait for the outcome.
    var waitingTasks = 0
    /// The outcome becomes the state of a resource (5.13).
    var isLoad = false

    /// What the server answered last; nil before that, and for requests that use no network.
    public internal(set) var exchange: Exchange?

    /// The outcome; nil before the end.
    public private(set) var info: ResponseInfo?

    init(engine: Engine, work: any RequestWork) {
        self.engine = engine
        self.work = work
    }

    /// A request that has ended already, with an outcome that start and cancel do not change (11.5, 11.6).
    init(engine: Engine, outcome: Response) {
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

    public var state: State {
        switch machine.state {
        case .notStarted: .notStarted
        case .inProgress: .inProgress
        case .completed: .completed
        }
    }

    public var isCancelled: Bool { info?.isCancellation ?? false }

    /// 0…1; 1 for every completed request, whatever its outcome (12.1).
    public var progress: Double {
        switch machine.state {
        case .notStarted: 0
        case .inProgress: work.fraction
        case .completed: 1
        }
    }

    public var description: String { work.description }

    // MARK: Life

    /// Starts the request, if it has not started; needed for repeats and for what a decorator held back (7.2).
    @discardableResult
    public func start() -> Request {
        if machine.start() {
            engine.log.write(.networkDetails, "start \(description)")
            isOpen = true
            engine.requestBegan()
            work.start(self)
        }
        return self
    }

    public func cancel() {
        let effect = machine.cancel()
        guard effect.cancelled else { return }
        engine.log.write(.network, "cancel \(description)")
        if effect.stopWork { work.cancel() }
        finish(
            ResponseInfo(.failure(RequestError(cause: .requestCancelled, timestamp: engine.scheduler.now))))
    }

    /// A new request for the same call, not started (9.1).
    public func repeated() -> Request {
        work is HardWiredWork ? self : Request(engine: engine, work: work.repeated())
    }

    /// Records the outcome, unless there is one already.
    func complete(_ info: ResponseInfo) {
        switch machine.complete() {
        case .accept: finish(info)
        case .ignoreAfterCancel: engine.log.write(.networkDetails, "answer after cancel: \(description)")
        case .ignoreDuplicate: engine.log.write(.warning, "second outcome ignored: \(description)")
        }
    }

    private func finish(_ info: ResponseInfo) {
        self.info = info
        engine.scheduler.nextTurn { self.runHooks(info) }
    }

    private func runHooks(_ info: ResponseInfo) {
        let progress = progressHooks
        progressHooks = []
        for hook in progress { hook(1) }
        // A hook may attach another, which belongs to a later turn (7.7).
        let hooks = completionHooks
        completionHooks = []
        haveHooksRun = true
        for hook in hooks { hook(info) }
        if isOpen {
            isOpen = false
            engine.requestEnded()
        }
    }

    // MARK: Hooks

    /// Runs `hook` once, in a later turn than the outcome; hooks run in the order in which they were attached (7.8).
    @discardableResult
    public func onCompletion(_ hook: @escaping @EngineActor (ResponseInfo) -> Void) -> Request {
        if haveHooksRun, let info {
            engine.scheduler.nextTurn { hook(info) }
        } else {
            completionHooks.append(hook)
        }
        return self
    }

    @discardableResult
    public func onSuccess(_ hook: @escaping @EngineActor (Entity) -> Void) -> Request {
        onCompletion { if case .success(let entity) = $0.response { hook(entity) } }
    }

    @discardableResult
    public func onNewData(_ hook: @escaping @EngineActor (Entity) -> Void) -> Request {
        onCompletion { if $0.isNew, case .success(let entity) = $0.response { hook(entity) } }
    }

    @discardableResult
    public func onNotModified(_ hook: @escaping @EngineActor () -> Void) -> Request {
        onCompletion { if !$0.isNew, case .success = $0.response { hook() } }
    }

    @discardableResult
    public func onFailure(_ hook: @escaping @EngineActor (RequestError) -> Void) -> Request {
        onCompletion { if case .failure(let error) = $0.response { hook(error) } }
    }

    /// Called with 1 when the request has ended, before the other hooks (12.3).
    @discardableResult
    public func onProgress(_ hook: @escaping @EngineActor (Double) -> Void) -> Request {
        if haveHooksRun {
            engine.scheduler.nextTurn { hook(1) }
        } else {
            progressHooks.append(hook)
        }
        return self
    }
}
