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
