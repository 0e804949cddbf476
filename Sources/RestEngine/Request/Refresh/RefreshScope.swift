/// In whose service code runs: the token refreshes that started it. It is handed on to hooks, turns, timers, the
/// waits of scripts and the tasks that are made with `task`, so that what a refresh does later, is still known as its
/// doing; see ``RefreshGate``.
@EngineActor
public enum RefreshScope {
    /// Of the callback that runs; nil outside of all, where a task's own counts.
    private static var running: [RefreshPass]?
    @TaskLocal private static var ofTask: [RefreshPass] = []

    /// Almost always empty.
    static var current: [RefreshPass] { running ?? ofTask }

    static func run<Result>(in passes: [RefreshPass], _ body: () throws -> Result) rethrows -> Result {
        let outer = running
        running = passes.filter { !$0.isOver }
        defer { running = outer }
        return try body()
    }

    /// A Swift task in the scope of now: what it requests, and what its own tasks do, is known as the scope's doing.
    @discardableResult
    static func task(_ work: @escaping @EngineActor () async -> Void) -> Task<Void, Never> {
        $ofTask.withValue(current) { Task { await work() } }
    }

    /// The same work, which will run in the scope of now.
    static func bound(_ work: @escaping @EngineActor () -> Void) -> @EngineActor () -> Void {
        let passes = current
        if passes.isEmpty { return work }
        return { run(in: passes) { work() } }
    }

    static func bound<Argument>(
        _ work: @escaping @EngineActor (Argument) -> Void
    ) -> @EngineActor (Argument) -> Void {
        let passes = current
        if passes.isEmpty { return work }
        return { argument in run(in: passes) { work(argument) } }
    }

    /// Runs its argument in the scope of now. For whoever continues code by other means than the engine's.
    public static func resumption() -> (() -> Void) -> Void {
        let passes = current
        return { body in EngineActor.assumeIsolated { run(in: passes, body) } }
    }
}
