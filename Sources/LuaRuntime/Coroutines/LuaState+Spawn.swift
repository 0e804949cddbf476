import CLua
import Platform

extension LuaState {
    /// Runs `function` as a coroutine of the main sandbox, at once and until it first waits or ends.
    ///
    /// - Parameters:
    ///   - arguments: pushes the arguments and answers how many.
    ///   - completion: called once, perhaps before `spawn` returns, with the results on top of the stack or
    ///     the error. A cancelled coroutine fails with kind `cancelled`.
    ///   - phase: What it runs for, with its budget.
    ///   - function: A function of the main sandbox.
    @discardableResult
    public func spawn(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) -> Int32 = { _ in 0 },
        completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) -> LuaCoroutine {
        spawn(function, phase: phase, in: mainSandbox, arguments: arguments, completion: completion)
    }

    func spawn(
        _ function: LuaReference, phase: RunPhase, in sandbox: LuaSandbox, arguments: (Lua) -> Int32,
        completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) -> LuaCoroutine {
        let thread = takeThread()
        let lua = Lua(thread.pointer, self)
        clua_prepare(thread.pointer)
        lua.push(function)
        return start(thread, phase, sandbox, argumentCount: arguments(lua), completion)
    }

    /// The same with a function that `pushCall` pushes, before its arguments; nil: there is nothing to run.
    @discardableResult
    public func spawn(
        phase: RunPhase, in sandbox: LuaSandbox? = nil, pushCall: (Lua) throws(LuaError) -> Int32?,
        completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) throws(LuaError) -> LuaCoroutine? {
        let thread = takeThread()
        guard let count = try call(on: thread, pushCall) else { return nil }
        return start(thread, phase, sandbox ?? mainSandbox, argumentCount: count, completion)
    }

    /// The same without results, which costs a third less: many of these functions never wait. Gives the
    /// coroutine that waits, and nil when there is nothing more to come. Throws what the function raised at
    /// once.
    public func run(
        phase: RunPhase, in sandbox: LuaSandbox, pushCall: (Lua) throws(LuaError) -> Int32?
    ) throws(LuaError) -> LuaCoroutine? {
        let thread = takeThread()
        guard let count = try call(on: thread, pushCall) else { return nil }
        var coroutine: LuaCoroutine
        if let idle = idleCoroutine.take() {
            idle.reuse(state: self, sandbox: sandbox, thread: thread, phase: phase)
            coroutine = idle
        } else {
            coroutine = LuaCoroutine(state: self, sandbox: sandbox, thread: thread, phase: phase)
        }
        coroutine.start(argumentCount: count)
        guard let outcome = coroutine.outcome else { return coroutine }
        // A wait that failed may have left a waiter behind that knows it.
        if isKnownUniquelyReferenced(&coroutine) { idleCoroutine = coroutine }
        _ = try outcome.get()
        return nil
    }

    /// Pushes a call; nil, with the thread given back, when there is none.
    private func call(
        on thread: AnchoredThread, _ pushCall: (Lua) throws(LuaError) -> Int32?
    ) throws(LuaError) -> Int32? {
        clua_prepare(thread.pointer)
        let count: Int32?
        do throws(LuaError) { count = try pushCall(Lua(thread.pointer, self)) } catch {
            giveBack(thread)
            throw error
        }
        if count == nil { giveBack(thread) }
        return count
    }

    private func start(
        _ thread: AnchoredThread, _ phase: RunPhase, _ sandbox: LuaSandbox, argumentCount: Int32,
        _ completion: @escaping (Lua, Result<Int32, LuaError>) -> Void
    ) -> LuaCoroutine {
        let coroutine = LuaCoroutine(
            state: self, sandbox: sandbox, thread: thread, phase: phase, completion: completion)
        coroutine.start(argumentCount: argumentCount)
        return coroutine
    }

    private func takeThread() -> AnchoredThread {
        if let thread = idleThreads.popLast() {
            verifyOwner()
            return thread
        }
        let main = mainThread
        guard lua_checkstack(main, 1) != 0, let pointer = clua_new_thread(main) else {
            Shortage.stop("there is no memory for a Lua thread")
        }
        return AnchoredThread(pointer: pointer, slot: anchor(main))
    }

    /// Enough idle threads for the usual load; beyond it they are garbage.
    func giveBack(_ thread: AnchoredThread) {
        guard !isClosed else { return }
        let isSound = lua_status(thread.pointer) == LUA_OK
        if isSound { lua_settop(thread.pointer, 0) }
        if isSound, idleThreads.count < 64 { idleThreads.append(thread) } else { release(slot: thread.slot) }
    }
}

/// A Lua thread that the registry keeps alive under `slot`.
struct AnchoredThread {
    let pointer: OpaquePointer
    let slot: Int
}
