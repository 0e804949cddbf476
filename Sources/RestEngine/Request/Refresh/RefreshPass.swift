/// One run of a refresh, with the chains that wait for its end.
@EngineActor
final class RefreshPass {
    private(set) var isOver = false
    private(set) var waiting: [ChainDecision] = []
    /// Refreshes that this one waits for, because a request that it needs waits for them.
    private var waitsFor: [RefreshPass] = []

    /// On the scheduler's uptime clock.
    let began: Double

    nonisolated init(began: Double) { self.began = began }

    /// Lets a chain wait; false if this refresh depends on the chain itself, so that both would wait forever.
    func admit(_ decision: ChainDecision) -> Bool {
        let dependents = decision.chain.neededBy.filter { !$0.isOver }
        guard !dependents.contains(where: reaches) else { return false }
        for dependent in dependents where !dependent.reaches(self) { dependent.waitsFor.append(self) }
        waiting.append(decision)
        decision.onNeeded = { [weak self, weak decision] in
            guard let self, let decision else { return }
            recheck(decision)
        }
        decision.onWithdrawal = { [weak self, weak decision] in
            self?.waiting.remove(identical: decision)
        }
        return true
    }

    /// Called when a refresh starts to depend on a waiting chain: if it is this refresh, the chain must not
    /// wait.
    private func recheck(_ decision: ChainDecision) {
        waiting.remove(identical: decision)
        if !admit(decision) { decision.answer(.useThisResponse) }
    }

    /// Ends the run; the caller must answer the waiting chains.
    func end() -> [ChainDecision] {
        isOver = true
        waitsFor = []
        defer { waiting = [] }
        return waiting
    }

    /// Whether `other` is this refresh, or one that it waits for.
    private func reaches(_ other: RefreshPass) -> Bool {
        var seen: [RefreshPass] = []
        var next = [self]
        while let pass = next.popLast() {
            if pass === other { return true }
            guard !seen.contains(identical: pass) else { continue }
            seen.append(pass)
            next += pass.waitsFor
        }
        return false
    }
}

/// The token refreshes on whose behalf code runs. The scope is passed on to hooks, ticks, timers, waits of
/// scripts and tasks that are made with `task`, so that later work of a refresh is still attributed to it;
/// see ``RefreshGate``.
@EngineActor
package enum RefreshScope {
    /// The scope of the running callback; nil outside of callbacks, where the scope of the task applies.
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

    /// Runs `body` in no scope: its work is attributed to no refresh.
    package static func outside(_ body: () -> Void) { run(in: [], body) }

    /// Starts a Swift task in the current scope: its requests, and those of its child tasks, are attributed
    /// to the scope.
    @discardableResult
    static func task(_ work: @escaping @EngineActor () async -> Void) -> Task<Void, Never> {
        $ofTask.withValue(current) { Task { await work() } }
    }

    /// The same work, to be run later in the current scope.
    static func bound(_ work: @escaping @EngineActor () -> Void) -> @EngineActor () -> Void {
        let passes = current
        if passes.isEmpty { return work }
        return { run(in: passes) { work() } }
    }

    @inline(__always)
    static func bound<Argument>(
        _ work: @escaping @EngineActor (Argument) -> Void
    ) -> @EngineActor (Argument) -> Void {
        let passes = current
        if passes.isEmpty { return work }
        return { argument in run(in: passes) { work(argument) } }
    }

    /// Returns a function that runs its argument in the current scope, for code that continues by other means
    /// than the engine's.
    package static func resumption() -> (() -> Void) -> Void {
        let passes = current
        return { body in EngineActor.assumeIsolated { run(in: passes, body) } }
    }
}
