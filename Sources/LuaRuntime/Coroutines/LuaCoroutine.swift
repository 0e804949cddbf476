import CLua

/// One run of a script function that may wait. Made by `LuaState.spawn`.
public final class LuaCoroutine {
    enum Stage {
        case running
        case waiting(LuaWaiter)
        case finished
    }

    /// Gone at the end, so that a finished coroutine keeps no state alive.
    private var state: LuaState?
    /// The script that it belongs to, with which it ends; nil once it has ended.
    private(set) var sandbox: LuaSandbox?
    private(set) var thread: AnchoredThread
    private(set) var phase: RunPhase
    private var stage = Stage.running
    private var isCancelled = false
    private var usedTicks: UInt64 = 0
    private var completion: ((Lua, Result<Int32, LuaError>) -> Void)?
    /// How it ended, when there was no completion to call.
    private(set) var outcome: Result<Int32, LuaError>?
    /// Set by the host function that waits, read when the thread has come to rest.
    var nextWaiter: LuaWaiter?

    init(
        state: LuaState, sandbox: LuaSandbox, thread: AnchoredThread, phase: RunPhase,
        completion: ((Lua, Result<Int32, LuaError>) -> Void)? = nil
    ) {
        self.state = state
        self.sandbox = sandbox
        self.thread = thread
        self.phase = phase
        self.completion = completion
    }

    /// Makes another coroutine of one that has ended and has no other holder.
    func reuse(state: LuaState, sandbox: LuaSandbox, thread: AnchoredThread, phase: RunPhase) {
        self.state = state
        self.sandbox = sandbox
        self.thread = thread
        self.phase = phase
        stage = .running
        isCancelled = false
        usedTicks = 0
        outcome = nil
    }

    /// Gives a completion to a coroutine that waits and has none yet.
    public func whenFinished(_ completion: @escaping (Lua, Result<Int32, LuaError>) -> Void) {
        self.completion = completion
    }

    public var isFinished: Bool {
        if case .finished = stage { true } else { false }
    }

    public var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    /// Where in its script it waits; nil when it doesn't.
    public var place: (file: String, line: Int)? {
        guard let state, case .waiting(let waiter) = stage else { return nil }
        return Lua(waiter.thread, state).callerPlace
    }

    /// Ends it where it waits: no value reaches it, its to-be-closed variables run, and its completion gets
    /// an error of kind `cancelled`. One that is running ends at its next wait. A finished one stays as it
    /// is.
    public func cancel() {
        guard let state else { return }
        state.verifyOwner()
        switch stage {
        case .finished: break
        case .running: isCancelled = true
        case .waiting(let waiter): abandon(waiter, state)
        }
    }

    /// Ends it at its next wait if it waits for work now, otherwise at the end of the wait that it is in.
    public func cancelLater() {
        state?.verifyOwner()
        isCancelled = true
    }

    /// It waits for something that would be lost if it were cancelled.
    public var waitsForWork: Bool {
        if case .waiting(let waiter) = stage { waiter.isForWork } else { false }
    }

    func verifyOwner() {
        state?.verifyOwner()
    }

    /// The thread's stack may have no room to go on with it.
    var isDeep: Bool { state.map { clua_is_nearly_deep($0.core) } ?? false }

    func start(argumentCount: Int32) {
        // The message handler and the script's function come first.
        if let state { advance(state, target: thread.pointer, count: argumentCount + 2, raising: false) }
    }

    func proceed(with answer: LuaWaiter.Answer, from waiter: LuaWaiter) {
        guard let state else { return }
        state.verifyOwner()
        // A wait that failed before it began left its waiter behind.
        guard case .waiting(let current) = stage, current === waiter else { return }
        if isCancelled, !waiter.isForWork { return abandon(waiter, state) }
        let target = waiter.thread
        state.waiting[ObjectIdentifier(self)] = nil
        stage = .running
        let lua = Lua(target, state)
        switch answer {
        case .values(let push):
            let count = push(lua)
            advance(state, target: target, count: count, raising: false)
        case .failure(let error):
            state.present(error, on: lua)
            if error is LuaUsageError { clua_push_position(target) }
            advance(state, target: target, count: 1, raising: true)
        }
    }

    private func advance(_ state: LuaState, target: OpaquePointer, count: Int32, raising: Bool) {
        var results: Int32 = 0
        var used: UInt64 = 0
        var budget = phase.budget(after: usedTicks)
        let saved = state.enter(phase, coroutine: self)
        let status = clua_resume(
            state.core, thread.pointer, target, count, raising, &budget, &results, &used)
        state.leave(saved)
        usedTicks += used
        let lua = Lua(thread.pointer, state)
        switch status {
        case LUA_OK: finish(.success(results), lua)
        case LUA_YIELD: park(state)
        default: finish(.failure(state.takeError(status, from: lua)), lua)
        }
    }

    private func park(_ state: LuaState) {
        guard let waiter = nextWaiter else {
            fatalError("resthost: a Lua coroutine yielded without a waiter")
        }
        nextWaiter = nil
        stage = .waiting(waiter)
        state.waiting[ObjectIdentifier(self)] = self
        if isCancelled { abandon(waiter, state) }
    }

    private func abandon(_ waiter: LuaWaiter, _ state: LuaState) {
        state.waiting[ObjectIdentifier(self)] = nil
        stage = .finished
        waiter.cancel()
        var budget = phase.budget
        let saved = state.enter(phase)
        clua_cancel(state.core, thread.pointer, &budget)
        state.leave(saved)
        conclude(
            .failure(LuaError(kind: .cancelled, message: "cancelled while it waited")),
            Lua(thread.pointer, state))
        // A thread that was closed in the middle isn't used again.
        state.release(slot: thread.slot)
    }

    private func finish(_ result: Result<Int32, LuaError>, _ lua: Lua) {
        stage = .finished
        conclude(result, lua)
        lua.state.giveBack(thread)
    }

    private func conclude(_ result: Result<Int32, LuaError>, _ lua: Lua) {
        let notify = completion
        completion = nil
        state = nil
        sandbox = nil
        if let notify { notify(lua, result) } else { outcome = result }
    }
}
