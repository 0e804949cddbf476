/// The purposes of running code: the token refreshes that need it, the computation that it is part of, and
/// the client's request on whose behalf it runs.
///
/// The scope is passed on to hooks, ticks, timers, waits of scripts, and tasks that are made with
/// ``task(on:_:)``, so that later work is still attributed to it; see ``RefreshGate``, ``Computation`` and
/// ``RequestOrigin``.
@EngineActor
package struct WorkScope {
    var refreshes: [RefreshPass]
    var computation: Computation?
    /// Nil for work of the host's own, such as a job, and for work that many share.
    var origin: RequestOrigin?
    /// Whether requests that begin here are parts of a request in flight, which a shutdown waits for.
    var isWithinRequest: Bool

    /// The scope of the running callback; nil outside of callbacks, where the scope of the task applies.
    private static var running: WorkScope?
    @TaskLocal private static var ofTask = WorkScope()
    /// Gives the place of the running task in a trace; nil while no tracer is installed.
    package static var placeOfTask: (@EngineActor () -> (any TracePlace)?)?

    nonisolated init(
        refreshes: [RefreshPass] = [], computation: Computation? = nil, origin: RequestOrigin? = nil,
        isWithinRequest: Bool = false
    ) {
        self.refreshes = refreshes
        self.computation = computation
        self.origin = origin
        self.isWithinRequest = isWithinRequest
    }

    var isEmpty: Bool { canNotEnd && origin == nil && !isWithinRequest }

    /// It has no part that can be over.
    private var canNotEnd: Bool { refreshes.isEmpty && computation == nil }

    /// Almost always empty.
    static var current: WorkScope { running ?? (placeOfTask == nil ? ofTask : scopeOfTask) }

    /// The scope of the task, with its own place in a trace, which is newer than that of its origin.
    private static var scopeOfTask: WorkScope {
        var scope = ofTask
        if let place = placeOfTask?() { scope.origin = (scope.origin ?? RequestOrigin()).at(place) }
        return scope
    }

    /// The same scope for code that is part of a request in flight.
    static var currentWithinRequest: WorkScope {
        var scope = current
        scope.isWithinRequest = true
        return scope
    }

    /// Runs `body` in this scope, without the parts that are over.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = Self.running
        Self.running =
            canNotEnd
            ? self
            : WorkScope(
                refreshes: refreshes.filter { !$0.isOver },
                computation: computation.flatMap { $0.isOver ? nil : $0 }, origin: origin,
                isWithinRequest: isWithinRequest)
        defer { Self.running = outer }
        return try body()
    }

    /// Runs `body` in an empty scope.
    package static func outside(_ body: () -> Void) { WorkScope().run(body) }

    /// Runs `body` as part of no computation, because its reads make no sources, and on behalf of no client,
    /// because it is for all who use a resource.
    static func forAll(_ body: () -> Void) {
        var scope = current
        guard scope.computation != nil || scope.origin != nil || scope.isWithinRequest else { return body() }
        (scope.computation, scope.origin, scope.isWithinRequest) = (nil, nil, false)
        scope.run(body)
    }

    /// Runs `body` on behalf of no client, because it goes on after the client's request.
    package static func outlivingRequest<Result>(_ body: () -> Result) -> Result {
        var scope = current
        guard scope.origin != nil else { return body() }
        scope.origin = nil
        return scope.run(body)
    }

    /// Starts a Swift task in the current scope, which includes its child tasks.
    @discardableResult
    static func task(
        on scheduler: Scheduler, _ work: @escaping @EngineActor () async -> Void
    ) -> Task<Void, Never> {
        let scope = current
        let begin = {
            guard let tasks = scheduler.tasks else { return Task { await work() } }
            return Task(executorPreference: tasks) { await work() }
        }
        return $ofTask.withValue(scope) {
            if let place = scope.origin?.place { place.run(begin) } else { begin() }
        }
    }

    /// The same work, to be run later in the current scope.
    static func bound(_ work: @escaping @EngineActor () -> Void) -> @EngineActor () -> Void {
        let scope = current
        if scope.isEmpty { return work }
        return { scope.run { work() } }
    }

    @inline(__always)
    static func bound<Argument>(
        _ work: @escaping @EngineActor (Argument) -> Void
    ) -> @EngineActor (Argument) -> Void {
        let scope = current
        if scope.isEmpty { return work }
        return { argument in scope.run { work(argument) } }
    }

    /// Returns a function that runs its argument in the current scope, for code that continues by other means
    /// than the engine's.
    package static func resumption() -> (() -> Void) -> Void {
        let scope = current
        return { body in EngineActor.assumeIsolated { scope.run(body) } }
    }
}
