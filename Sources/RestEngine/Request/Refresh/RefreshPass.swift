/// One run of a refresh, with the chains that wait for its end.
@EngineActor
final class RefreshPass {
    private(set) var isOver = false
    private(set) var waiting: [ChainDecision] = []
    /// Refreshes for whose end this one waits, because a request that it needs does.
    private var waitsFor: [RefreshPass] = []

    /// By the scheduler's uptime.
    let began: Double

    nonisolated init(began: Double) { self.began = began }

    /// Lets a chain wait; false when this refresh depends on the chain itself, so that both would wait for
    /// ever.
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

    /// A refresh began to need a chain that waits: when it is this one, the chain must go.
    private func recheck(_ decision: ChainDecision) {
        waiting.remove(identical: decision)
        if !admit(decision) { decision.answer(.useThisResponse) }
    }

    /// Ends the run; what waited is the caller's to answer.
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

/// In whose service code runs: the token refreshes that started it. It is handed on to hooks, turns, timers,
/// the waits of scripts and the tasks that are made with `task`, so that what a refresh does later, is still
/// known as its doing; see ``RefreshGate``.
@EngineActor
package enum RefreshScope {
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

    /// In no scope: what is begun here is nobody's doing who is busy now.
    package static func outside(_ body: () -> Void) { run(in: [], body) }

    /// A Swift task in the scope of now: what it requests, and what its own tasks do, is known as the scope's
    /// doing.
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

    @inline(__always)
    static func bound<Argument>(
        _ work: @escaping @EngineActor (Argument) -> Void
    ) -> @EngineActor (Argument) -> Void {
        let passes = current
        if passes.isEmpty { return work }
        return { argument in run(in: passes) { work(argument) } }
    }

    /// Runs its argument in the scope of now. For whoever continues code by other means than the engine's.
    package static func resumption() -> (() -> Void) -> Void {
        let passes = current
        return { body in EngineActor.assumeIsolated { run(in: passes, body) } }
    }
}
