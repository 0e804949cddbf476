/// In whose service code runs: the token refreshes that started it. It is handed on to hooks, turns, timers and the
/// waits of scripts, so that what a refresh does later, is still known as its doing; see ``RefreshGate``.
@EngineActor
public enum RefreshScope {
    /// Almost always empty.
    private(set) static var current: [RefreshPass] = []

    static func run<Result>(in passes: [RefreshPass], _ body: () throws -> Result) rethrows -> Result {
        let outer = current
        current = passes.filter { !$0.isOver }
        defer { current = outer }
        return try body()
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
