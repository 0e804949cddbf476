import LuaRuntime
import RestEngine

/// How the engine's callbacks enter the script.
extension ScriptContext {
    /// Calls a function that may not wait and reads its results, which lie on top of the stack.
    func call<Result>(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        try call(
            ScriptFunction(reference: function, file: nil, line: nil), phase: phase, arguments: arguments,
            results: results, read: read)
    }

    /// The same. An error that doesn't know its place, as those of the library's functions, is the function's.
    func call<Result>(
        _ function: ScriptFunction, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        try requireOpen()
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function.reference)
        let count = try arguments(lua)
        do throws(LuaError) {
            try lua.call(arguments: count, results: results, phase: phase)
        } catch {
            throw ScriptFailures.requestCause(
                of: error.placed(file: function.file, line: function.line), in: self)
        }
        return try read(lua)
    }

    /// Runs a function that may wait; what it raises is logged, for nobody else would see it.
    func run(
        _ function: LuaReference, as what: @autoclosure () -> String, arguments: (Lua) -> Int32
    ) {
        run(as: what()) { lua in
            lua.push(function)
            return arguments(lua)
        }
    }

    /// Runs a function that may wait; `completion` gets its results, which lie on top of the stack, or its error.
    func run(
        _ function: LuaReference, arguments: (Lua) -> Int32,
        completion: @escaping @EngineActor (Lua, Result<Int32, LuaError>) -> Void
    ) {
        let hook = ScriptHook()
        hook.coroutine = realm.spawn(
            function, phase: phases.hook, arguments: arguments,
            completion: onLoop { [weak self] (lua: Lua, result: Result<Int32, LuaError>) in
                completion(lua, result)
                self?.jobs.remove(hook)
            })
        // Only one that waits needs to be remembered.
        if hook.coroutine?.isFinished == false { jobs.add(hook) }
    }

    /// The same with a function that `pushCall` pushes, before its arguments; nil: there is none.
    /// What is set off by a function whose time is over would end at its first instruction, each with a line in the log:
    /// one says it for all.
    func run(as what: @autoclosure () -> String, pushCall: (Lua) throws(LuaError) -> Int32?) {
        if state.isSpent {
            guard spentRun != state.runNumber else { return }
            spentRun = state.runNumber
            return options.log(
                ScriptLogEntry(level: .error, text: "\(what()) did not run: \(Self.leftOut)"))
        }
        do throws(LuaError) {
            guard let coroutine = try state.run(phase: phases.hook, in: realm, pushCall: pushCall) else {
                return
            }
            remember(coroutine, as: what())
        } catch { report(error, in: what()) }
    }

    /// Until what it waits for has come.
    private func remember(_ coroutine: LuaCoroutine, as what: String) {
        let hook = ScriptHook()
        hook.coroutine = coroutine
        jobs.add(hook)
        coroutine.whenFinished(
            onLoop { [weak self] (_: Lua, result: Result<Int32, LuaError>) in
                if case .failure(let error) = result { self?.report(error, in: what) }
                self?.jobs.remove(hook)
            })
    }

    /// Logs an error that ends nothing but the function it came from.
    func report(_ error: LuaError, in what: String) {
        // What a function says of others that were cancelled with it, when everything ends, is no news.
        guard error.kind != .cancelled, !isClosed else { return }
        let failure = ScriptFailures.failure(of: error)
        var more = ""
        if error.kind == .budget, state.isSpent {
            guard spentRun != state.runNumber else { return }
            spentRun = state.runNumber
            more = "; \(Self.leftOut)"
        }
        options.log(
            ScriptLogEntry(
                level: .error, text: "\(what): \(failure.message)\(more)",
                fields: error.traceback.isEmpty ? [] : [("traceback", error.traceback)],
                place: failure.file.map { "\($0):\(failure.line ?? 0)" }))
    }

    private static let leftOut =
        "the function that set it off has used up its CPU time, and what else it sets off is left out"

    /// Runs `work` when what resumed the script has returned, for that may hold what `work` is to find unused; at
    /// once where the script may not wait.
    func unwound(_ call: Arguments, _ work: @escaping @EngineActor () -> Void) -> Verdict {
        guard call.lua.mayWait else {
            work()
            return .none
        }
        return .wait { [self] waiter in
            let step: @EngineActor () -> Void = {
                work()
                waiter.resume { _ in 0 }
            }
            if let betweenTurns { betweenTurns(step) } else { engine.scheduler.nextTurn(step) }
        }
    }

    nonisolated static var closed: RequestError.CauseError {
        RequestError.CauseError(.internal(message: "the script has been closed"))
    }

    /// Throws when nothing may be started any more: what closing runs is the end of what there was.
    func requireUnclosed(for what: String) throws(LuaUsageError) {
        if isClosed { throw LuaUsageError("\(what) starts nothing while the script is being closed") }
    }

    /// Ends the script's part in everything; the engine's objects live on. Gives the report of the state if that ended
    /// with the script.
    @discardableResult
    func close() -> LeakReport? {
        isClosed = true
        modules?.close()
        jobs.cancelAll()
        forgetStarts()
        reloadFunctions = []
        shutdownFunctions = []
        let declared = services
        services = []
        stopObserving(declared)
        let report = closeState()
        // A service and its resources hold each other until a flush (siesta-semantics 2.7, 2.9).
        for service in declared { service.flushUnusedResources() }
        return report
    }
}
