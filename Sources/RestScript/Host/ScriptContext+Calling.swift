import LuaRuntime
import RestEngine

/// How the engine's callbacks enter the script.
extension ScriptContext {
    /// Calls a function that may not wait and reads its results, which lie on top of the stack.
    func call<Result>(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function)
        let count = try arguments(lua)
        do throws(LuaError) {
            try lua.call(arguments: count, results: results, phase: phase)
        } catch { throw ScriptFailures.requestCause(of: error, in: state) }
        return try read(lua)
    }

    /// Runs a function that may wait; what it raises is logged, for nobody else would see it.
    func run(
        _ function: LuaReference, as what: @autoclosure @escaping () -> String, arguments: (Lua) -> Int32
    ) {
        state.spawn(
            function, phase: ScriptPhases.hook, arguments: arguments,
            completion: onLoop { [weak self] (_: Lua, result: Result<Int32, LuaError>) in
                if case .failure(let error) = result { self?.report(error, in: what()) }
            })
    }

    /// Logs an error that ends nothing but the function it came from.
    func report(_ error: LuaError, in what: String) {
        guard error.kind != .cancelled else { return }
        let failure = ScriptFailures.failure(of: error)
        options.log(
            ScriptLogEntry(
                level: .error, text: "\(what): \(failure.message)",
                fields: error.traceback.isEmpty ? [] : [("traceback", error.traceback)],
                place: failure.file.map { "\($0):\(failure.line ?? 0)" }))
    }

    /// Ends the script's part in everything; the engine's objects live on.
    func close() -> LeakReport {
        isClosed = true
        jobs.cancelAll()
        services = []
        state.errorPresenter = nil
        let report = state.close()
        trees.close()
        return report
    }
}
