/// The hooks that get the outcome of a request: each once, in the order in which they were attached (7.8).
struct CompletionHooks {
    /// A struct, because a plain closure would be wrapped when it enters an array and again when it leaves.
    struct Hook {
        let run: @EngineActor (ResponseInfo) -> Void
    }

    private enum Phase { case waiting, running, ended }

    private var phase = Phase.waiting
    private var hooks: [Hook] = []

    /// The hooks of a request that never has any to wait for.
    static let ended: CompletionHooks = {
        var hooks = CompletionHooks()
        hooks.phase = .ended
        return hooks
    }()

    var count: Int { hooks.count }

    /// Whether the first hook has been taken.
    var haveBegun: Bool { phase != .waiting }

    /// False once all have run: the caller then runs the hook in a later tick.
    mutating func add(_ hook: Hook, first: Bool) -> Bool {
        guard phase != .ended else { return false }
        if hooks.isEmpty { hooks.reserveCapacity(4) }
        if first { hooks.insert(hook, at: 0) } else { hooks.append(hook) }
        return true
    }

    /// The hooks to run now. Hooks that are attached from now on run in a later tick (7.7).
    mutating func take() -> [Hook] {
        phase = .running
        defer { hooks = [] }
        return hooks
    }

    /// Leaves hooks that were taken for a later tick, before those that were attached since.
    mutating func putBack(_ rest: ArraySlice<Hook>) { hooks.insert(contentsOf: rest, at: 0) }

    /// The hooks that were attached while the last ones ran.
    mutating func end() -> [Hook] {
        phase = .ended
        defer { hooks = [] }
        return hooks
    }
}
