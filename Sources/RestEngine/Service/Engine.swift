/// What the services of one host share: time, transport, log.
@EngineActor
public final class Engine {
    /// Turns, timers and the time.
    public nonisolated let scheduler: Scheduler
    /// Sends the requests of services that have no transport of their own.
    public let transport: any Transport
    /// What the engine says of its work.
    public nonisolated let log: EngineLog
    /// What the resources of all services may hold.
    public let contentBudget = ContentBudget()
    let cacheFailureList = CacheFailureList()
    let decorations = DecorationStack()
    let contentTypes = KnownContentTypes()
    /// Nil when nobody listens to events.
    var listeners: EventListeners?
    var feeds = EventFeeds()
    private var cookieJars: [String: CookieJar] = [:]
    /// See ``tracing(_:_:)``.
    var traceParent: TraceContext?
    /// See ``NotifiedRequest``.
    var lastRequestNumber: UInt64 = 0

    /// With the system's clock the engine works by itself; see ``Scheduler/init(clock:)``.
    public init(transport: any Transport, scheduler: Scheduler = Scheduler(), log: EngineLog = EngineLog()) {
        self.transport = transport
        self.scheduler = scheduler
        self.log = log
    }

    /// Remember which pipeline made a resource's data, so that a reload can tell what it changed. Costs a
    /// little for each configuration that is made.
    public var remembersPipelines = false

    /// Attempts say which address answered. Costs a little for each.
    public var recordsAddresses = false
    /// Bytes of ``DeliveredBody`` that are kept now.
    var copiedBytes = 0

    /// Messages are spans for whoever listens to events, also where servers are not told so (rule 70.1).
    public var recordsSpans = false

    /// Large bodies and Swift's transformers are transformed on other threads. Not where a test moves the
    /// time by hand and awaits nothing.
    package var movesLargeContent = true

    /// From 0 to 1, for the waits between attempts. Tests say what it gives.
    public var random: @EngineActor () -> Double = { Double.random(in: 0...1) }
    private(set) lazy var attemptControl = AttemptControl(self)
    /// Nothing is sent: reads give what is there, whatever its age, and all else fails with `offline` (rule
    /// 44.4).
    public var isOffline = false

    /// Limits in use and breakers that are not closed.
    public var attemptFacts: AttemptFacts { attemptControl.facts }

    /// Requests that have started and whose hooks have not all been called.
    public var openRequests: Int { openCount }
    // Counted by each request; see EngineLog.
    private var openCount = 0
    /// Called whenever the last open request or stream of events has ended.
    public var onQuiet: (@EngineActor () -> Void)?
    /// Those that start from now on belong to it; set another to tell earlier requests from later ones.
    package var epoch = RequestEpoch()

    /// Pieces of work that other threads do for this engine and whose answers will come to the loop.
    public private(set) var offloadedWork = 0
    /// Called whenever the last of them has answered.
    public var onOffloadedWorkDone: (@EngineActor () -> Void)?
    private var offloadWaiters: [CheckedContinuation<Void, Never>] = []

    /// One more piece of work is on another thread; see ``offloadedWork``.
    public func beginOffloadedWork() { offloadedWork += 1 }

    /// One piece has answered.
    public func endOffloadedWork() {
        offloadedWork -= 1
        guard offloadedWork == 0 else { return }
        onOffloadedWorkDone?()
        let waiters = offloadWaiters
        offloadWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when other threads have answered: before a process ends, so that nothing it wrote is lost.
    public func offloadedWorkIsDone() async {
        guard offloadedWork > 0 else { return }
        await withCheckedContinuation { offloadWaiters.append($0) }
    }

    /// The jar of that name, made when it is asked for first: who declares a service anew finds its cookies.
    package func cookieJar(_ name: String, _ make: () throws -> CookieJar) rethrows -> CookieJar {
        if let known = cookieJars[name] { return known }
        let new = try make()
        cookieJars[name] = new
        return new
    }

    func requestBegan() -> RequestEpoch {
        openCount += 1
        let epoch = epoch
        epoch.began()
        return epoch
    }

    func requestEnded(_ epoch: RequestEpoch) {
        openCount -= 1
        epoch.ended()
        if openCount == 0 { onQuiet?() }
    }

    /// Nothing more comes from a stream of events, which may have waited for its next connection.
    func streamEnded(_ feed: EventFeed) {
        guard feeds.remove(feed), feeds.isEmpty, openCount == 0 else { return }
        onQuiet?()
    }
}

/// The requests that started in some stretch of time.
@EngineActor
package final class RequestEpoch {
    /// Those whose hooks have not all been called.
    package var openRequests: Int { openCount }
    private var openCount = 0
    /// Called whenever the last of them has ended.
    package var onQuiet: (@EngineActor () -> Void)?

    package nonisolated init() {}

    fileprivate func began() { openCount += 1 }

    fileprivate func ended() {
        openCount -= 1
        if openCount == 0 { onQuiet?() }
    }
}
