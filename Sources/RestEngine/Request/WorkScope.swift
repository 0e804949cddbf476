/// The purposes of running code: the token refreshes that need it, the computation that it is part of, and the
/// client that it serves.
///
/// The scope is passed on to hooks, ticks, timers, waits of scripts, and tasks that are made with
/// ``task(_:)``, so that later work is still attributed to it; see ``RefreshGate`` and ``Computation``.
@EngineActor
package struct WorkScope {
    var refreshes: [RefreshPass]
    var computation: Computation?
    /// Its headers go with requests of its partition.
    var client: ClientHeaders?

    /// The scope of the running callback; nil outside of callbacks, where the scope of the task applies.
    private static var running: WorkScope?
    @TaskLocal private static var ofTask = WorkScope()

    nonisolated init(
        refreshes: [RefreshPass] = [], computation: Computation? = nil, client: ClientHeaders? = nil
    ) {
        self.refreshes = refreshes
        self.computation = computation
        self.client = client
    }

    var isEmpty: Bool { refreshes.isEmpty && computation == nil && client == nil }

    /// Almost always empty.
    static var current: WorkScope { running ?? ofTask }

    /// Runs `body` in this scope, without the parts that are over.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = Self.running
        Self.running =
            isEmpty
            ? self
            : WorkScope(
                refreshes: refreshes.filter { !$0.isOver },
                computation: computation.flatMap { $0.isOver ? nil : $0 }, client: client)
        defer { Self.running = outer }
        return try body()
    }

    /// Runs `body` in an empty scope.
    package static func outside(_ body: () -> Void) { WorkScope().run(body) }

    /// Runs `body` for a client; nil changes nothing.
    package static func serving<Result>(_ client: ClientHeaders?, _ body: () -> Result) -> Result {
        guard let client else { return body() }
        var scope = current
        scope.client = client
        return scope.run(body)
    }

    /// Runs `body` as part of no computation: reads in it make no sources.
    static func outsideOfComputation(_ body: () -> Void) {
        var scope = current
        guard scope.computation != nil else { return body() }
        scope.computation = nil
        scope.run(body)
    }

    /// Starts a Swift task in the current scope, which includes its child tasks.
    @discardableResult
    static func task(_ work: @escaping @EngineActor () async -> Void) -> Task<Void, Never> {
        $ofTask.withValue(current) { Task { await work() } }
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
