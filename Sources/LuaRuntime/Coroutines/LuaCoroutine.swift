import CLua

/// One run of a script function that may wait. Made by `LuaState.spawn`.
public final class LuaCoroutine {
    enum Stage {
        case running
        case waiting(LuaWaiter)
        case finished
    }

    let state: LuaState
    let thread: AnchoredThread
    let phase: RunPhase
    private var stage = Stage.running
    private var isCancelled = false
    private var usedTicks: UInt64 = 0
    private var completion: ((Lua, Result<Int32, LuaError>) -> Void)?
    /// Set by the host function that waits, read when the thread has come to rest.
    var nextWaiter: LuaWaiter?

    init(
        state: LuaState, thread: AnchoredThread, phase: RunPhase,
        completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) {
        self.state = state
        self.thread = thread
        self.phase = phase
        self.completion = completion
    }

    public var isFinished: Bool {
        if case .finished = stage { true } else { false }
    }

    public var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    /// Ends it where it waits: no value reaches it, its to-be-closed variables run, and its completion gets an error
    /// of kind `cancelled`. One that is running ends at its next wait. A finished one stays as it is.
    public func cancel() {
        state.verifyOwner()
        switch stage {
        case .finished: break
        case .running: isCancelled = true
        case .waiting(let waiter): abandon(waiter)
        }
    }

    func start(argumentCount: Int32) {
        // The message handler and the script's function come first.
        advance(target: thread.pointer, count: argumentCount + 2, raising: false)
    }

    func proceed(with answer: LuaWaiter.Answer, from waiter: LuaWaiter) {
        // A wait that failed before it began left its waiter behind.
        guard case .waiting(let current) = stage, current === waiter else { return }
        let target = waiter.thread
        state.waiting[ObjectIdentifier(self)] = nil
        stage = .running
        let lua = Lua(target, state)
        switch answer {
        case .values(let push):
            let count = push(lua)
            advance(target: target, count: count, raising: false)
        case .failure(let error):
            state.present(error, on: lua)
            if error is LuaUsageError { clua_push_position(target) }
            advance(target: target, count: 1, raising: true)
        }
    }

    private func advance(target: OpaquePointer, count: Int32, raising: Bool) {
        var results: Int32 = 0
        var used: UInt64 = 0
        let (ticks, milliseconds) = allowance
        let saved = state.enter(phase, coroutine: self)
        let status = clua_resume(
            state.core, thread.pointer, target, count, raising, ticks, milliseconds, &results, &used)
        state.leave(saved)
        usedTicks += used
        let lua = Lua(thread.pointer, state)
        switch status {
        case LUA_OK: finish(.success(results), on: lua)
        case LUA_YIELD: park()
        default: finish(.failure(state.takeError(status, from: lua)), on: lua)
        }
    }

    /// The budget of this go: its own, or what is left of the whole.
    private var allowance: (ticks: UInt64, milliseconds: Int64) {
        let left = phase.totalTicks > usedTicks ? phase.totalTicks - usedTicks : 1
        return left < phase.budgetTicks
            ? (left, RunPhase.milliseconds(phase.totalSeconds))
            : (phase.budgetTicks, RunPhase.milliseconds(phase.budgetSeconds))
    }

    private func park() {
        guard let waiter = nextWaiter else {
            fatalError("resthost: a Lua coroutine yielded without a waiter")
        }
        nextWaiter = nil
        stage = .waiting(waiter)
        state.waiting[ObjectIdentifier(self)] = self
        if isCancelled { abandon(waiter) }
    }

    private func abandon(_ waiter: LuaWaiter) {
        state.waiting[ObjectIdentifier(self)] = nil
        stage = .finished
        waiter.cancel()
        let saved = state.enter(phase)
        clua_cancel(
            state.core, thread.pointer, phase.budgetTicks, RunPhase.milliseconds(phase.budgetSeconds))
        state.leave(saved)
        conclude(.failure(LuaError(kind: .cancelled, message: "cancelled while it waited")))
        // A thread that was closed in the middle isn't used again.
        state.release(slot: thread.slot)
    }

    private func finish(_ result: Result<Int32, LuaError>, on lua: Lua) {
        stage = .finished
        conclude(result)
        state.giveBack(thread)
    }

    private func conclude(_ result: Result<Int32, LuaError>) {
        let tell = completion
        completion = nil
        tell?(Lua(thread.pointer, state), result)
    }
}
