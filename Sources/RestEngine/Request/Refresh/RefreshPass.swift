/// One run of a refresh, with the chains that wait for its end.
@EngineActor
final class RefreshPass {
    private(set) var isOver = false
    private(set) var waiting: [ChainDecision] = []
    /// Refreshes for whose end this one waits, because a request that it needs does.
    private var waitsFor: [RefreshPass] = []

    nonisolated init() {}

    /// Lets a chain wait; false when this refresh depends on the chain itself, so that both would wait for ever.
    func admit(_ decision: ChainDecision) -> Bool {
        let dependents = decision.chain.neededBy.filter { !$0.isOver }
        guard !dependents.contains(where: reaches) else { return false }
        for dependent in dependents where !dependent.reaches(self) { dependent.waitsFor.append(self) }
        waiting.append(decision)
        decision.onNeeded = { [weak self, weak decision] in
            guard let self, let decision else { return }
            recheck(decision)
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
