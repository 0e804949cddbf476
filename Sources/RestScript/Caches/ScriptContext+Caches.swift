import LuaRuntime
import RestEngine

extension ScriptContext {
    /// Runs a function of a cache, which may wait, but not for longer than the engine waits for a cache. It fails by
    /// raising, or by returning nothing and a reason. `read` gets the place of its first result.
    func runOfCache<Value>(
        _ function: LuaReference, _ name: String, arguments: (Lua) -> Int32,
        read: @escaping @EngineActor (Lua, Int32) throws -> Value?,
        completion: @escaping @EngineActor (Result<Value?, any Error>) -> Void
    ) {
        let hook = ScriptHook()
        var timer: Timer?
        hook.coroutine = state.spawn(
            function, phase: phases.cache, arguments: arguments,
            completion: onLoop { [weak self] (lua: Lua, result: Result<Int32, LuaError>) in
                timer?.cancel()
                timer = nil
                guard let self else { return completion(.failure(ScriptContext.closed)) }
                jobs.remove(hook)
                switch result {
                case .failure(let error): completion(.failure(cacheFault(error)))
                case .success(let count): completion(Result { try cacheResult(name, lua, count, read) })
                }
            })
        // Only one that waits needs to be remembered.
        guard hook.coroutine?.isFinished == false else { return }
        jobs.add(hook)
        timer = engine.scheduler.after(CacheLimits.answerSeconds) { hook.cancel() }
    }

    private func cacheFault(_ error: LuaError) -> any Error {
        if error.kind == .cancelled {
            return isClosed
                ? ScriptContext.closed
                : ScriptCacheFault(description: "no answer within \(Int(CacheLimits.answerSeconds)) seconds")
        }
        return ScriptFailures.raisedError(error, in: state)
            ?? ScriptCacheFault(description: error.description)
    }

    /// The first result; thrown, the reason that follows a first result of nil or false.
    private func cacheResult<Value>(
        _ name: String, _ lua: Lua, _ count: Int32, _ read: @EngineActor (Lua, Int32) throws -> Value?
    ) throws -> Value? {
        let height = lua.top
        defer { lua.setTop(height) }
        let first = height - count + 1
        // Missing results count as nil, and there may be more than two.
        if count < 2 { lua.setTop(first + 1) }
        if !lua.isTruthy(first), lua.type(first + 1) != .nil {
            if let known = lua.object(first + 1, as: ScriptErrorBox.self) { throw known.error }
            throw ScriptCacheFault(
                description: lua.string(first + 1)
                    ?? "\(name) returned \(lua.typeName(first)) and a \(lua.typeName(first + 1))")
        }
        return try read(lua, first)
    }
}
