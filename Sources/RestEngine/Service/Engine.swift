package import Platform

/// The shared parts of the services of one host: time, transport, log.
@EngineActor
public final class Engine {
    /// Ticks, timers and the time.
    public nonisolated let scheduler: Scheduler
    /// Sends the requests of services that have no transport of their own.
    public let transport: any Transport
    /// The log of the engine.
    public nonisolated let log: EngineLog
    /// The limit for the content of the resources of all services.
    public let contentBudget = ContentBudget()
    let cacheFailureList = CacheFailureList()
    var knownCaches = KnownCaches()
    let decorations = DecorationStack()
    let contentTypes = KnownContentTypes()
    /// Nil if there are no listeners.
    var listeners: EventListeners?
    var feeds = EventFeeds()
    private var cookieJars: [String: CookieJar] = [:]
    /// See ``NotifiedRequest``.
    var lastRequestNumber: UInt64 = 0

    /// With the system's clock the engine runs by itself; see ``Scheduler/init(clock:)``.
    public init(transport: any Transport, scheduler: Scheduler = Scheduler(), log: EngineLog = EngineLog()) {
        self.transport = transport
        self.scheduler = scheduler
        self.log = log
    }

    /// Whether to record which pipeline made a resource's data, so that a reload can detect stale data. This
    /// takes some time for each configuration.
    package var remembersPipelines = false

    /// Whether attempts contain the address that answered. This takes some time for each attempt.
    package var recordsAddresses = false
    /// The bytes that all ``DeliveredBody``s hold now.
    var copiedBytes = 0

    /// Whether messages are spans for listeners of events even if servers do not get the span (rule 70.1).
    package var recordsSpans = false
    /// Gets the spans of computations.
    package var onComputation: (@EngineActor (ComputationSpan) -> Void)?

    /// Whether large bodies and Swift transformers are handled on other threads. False in tests that move the
    /// time by hand and wait for no work.
    package var movesLargeContent = true

    /// Its connection with other hosts; nil for a host by itself.
    package var coordination: (any HostCoordination)?

    /// A number from 0 to 1, for the waits between attempts. Tests set their own.
    package var random: @EngineActor () -> Double = { Double.random(in: 0...1) }
    private(set) lazy var attemptControl = AttemptControl(self)
    /// Whether no request is sent: reads give the existing data of any age, and all other requests fail with
    /// `offline` (rule 44.4).
    public var isOffline = false
    /// The worker in which it runs; nil in a process by itself, which has the limits of requests to itself.
    package var worker: WorkerNumber?

    /// Another host has given back a part of a limit that hosts share.
    ///
    /// - Parameter name: See ``HostCoordination/count(_:of:_:completion:)``.
    package func wakeLimit(_ name: String) { attemptControl.wakeLimiter(name) }

    /// Limits in use and breakers that are not closed.
    package var attemptFacts: AttemptFacts { attemptControl.facts }

    /// The number of requests that have started and whose hooks have not all been called.
    public var openRequests: Int { openCount }
    // Changed by each request; see EngineLog.
    private var openCount = 0
    /// Called whenever the last open request or stream of events has ended.
    package var onQuiet: (@EngineActor () -> Void)?
    /// The epoch of requests that start from now on; set a new one to distinguish earlier requests from later
    /// ones.
    package var epoch = RequestEpoch()

    /// Makes messages spans of a trace that the engine doesn't know; nil for none.
    package var messageTracer: (any MessageTracer)?
    /// The registrations of other modules, by type.
    package var installed: [ObjectIdentifier: AnyObject] = [:]
    /// The requests that begin; see ``EngineAdmission``.
    var admission = EngineAdmission.open
    /// The requests in flight; nil for an engine that is never shut down.
    var roll: RequestRoll?
    private var quietWaiters: [CheckedContinuation<Void, Never>] = []

    /// The number of work items on other threads whose results will come to the loop.
    package private(set) var offloadedWork = 0
    /// Called whenever the last of them has ended.
    package var onOffloadedWorkDone: (@EngineActor () -> Void)?
    private var offloadWaiters: [CheckedContinuation<Void, Never>] = []

    /// Counts a work item on another thread; see ``offloadedWork``.
    package func beginOffloadedWork() { offloadedWork += 1 }

    /// Counts the end of a work item.
    package func endOffloadedWork() {
        offloadedWork -= 1
        guard offloadedWork == 0 else { return }
        onOffloadedWorkDone?()
        let waiters = offloadWaiters
        offloadWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no work is left on other threads. Call it before a process ends, so that no writes are
    /// lost.
    package func offloadedWorkIsDone() async {
        guard offloadedWork > 0 else { return }
        await withCheckedContinuation { offloadWaiters.append($0) }
    }

    /// The jar with that name, made at the first call: a service that is declared again finds its cookies.
    package func cookieJar(_ name: String, _ make: () throws -> CookieJar) rethrows -> CookieJar {
        if let known = cookieJars[name] { return known }
        let new = try make()
        cookieJars[name] = new
        return new
    }

    /// Returns when no request is in flight.
    func requestsHaveEnded() async {
        guard openCount > 0 else { return }
        await withCheckedContinuation { quietWaiters.append($0) }
    }

    func requestBegan(_ request: Request) -> RequestEpoch {
        openCount += 1
        if let roll { roll.add(request) }
        let epoch = epoch
        epoch.began()
        return epoch
    }

    func requestEnded(_ request: Request, _ epoch: RequestEpoch) {
        openCount -= 1
        if let roll { roll.remove(request) }
        epoch.ended()
        guard openCount == 0 else { return }
        onQuiet?()
        endQuietWait()
    }

    func endQuietWait() {
        guard !quietWaiters.isEmpty else { return }
        let waiters = quietWaiters
        quietWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Called when a stream of events has ended, possibly while it waited for its next connection.
    func streamEnded(_ feed: EventFeed) {
        guard feeds.remove(feed), feeds.isEmpty, openCount == 0 else { return }
        onQuiet?()
    }
}

/// The requests that started in a period of time.
@EngineActor
package final class RequestEpoch {
    /// The number of these requests whose hooks have not all been called.
    package var openRequests: Int { openCount }
    private var openCount = 0
    /// Called whenever the last of these requests has ended.
    package var onQuiet: (@EngineActor () -> Void)?

    package nonisolated init() {}

    fileprivate func began() { openCount += 1 }

    fileprivate func ended() {
        openCount -= 1
        if openCount == 0 { onQuiet?() }
    }
}
