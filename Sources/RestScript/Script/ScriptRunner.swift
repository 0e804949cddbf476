import LuaRuntime
import RestEngine

/// How the engine's callbacks enter the script.
@EngineActor
final class ScriptRunner {
    /// The run of the script of which is known that its time was used up.
    private var spentRun: UInt64?
    /// Runs something between two turns, where a test moves them.
    var betweenTicks: (@EngineActor (@escaping @EngineActor () -> Void) -> Void)?
    /// Others have their turn after so many seconds of functions that the engine set off. Each has its own
    /// time, and there may be thousands of them for one event.
    private static let slice = 0.01
    /// The turn that `sliceEnd` is of, on the scheduler's uptime.
    private var tick: UInt64 = 0
    private var sliceEnd = 0.0
    /// Work that waits for a later turn, in its order.
    private let late = LateHooks()
    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    private var state: LuaState { context.state }
    private var jobs: JobList { context.jobs }

    /// Calls a function that may not wait and reads its results, which lie on top of the stack.
    func call<Result>(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        try call(
            ScriptFunction(reference: function, file: nil, line: nil), phase: phase, arguments: arguments,
            results: results, read: read)
    }

    /// The same. An error that doesn't know its place, as those of the library's functions, is the
    /// function's.
    func call<Result>(
        _ function: ScriptFunction, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        try context.values.requireOpen()
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function.reference)
        let count = try arguments(lua)
        do throws(LuaError) {
            try lua.call(arguments: count, results: results, phase: phase)
        } catch {
            throw ScriptFailures.requestCause(
                of: error.placed(file: function.file, line: function.line), in: context.values)
        }
        // A walk through what it gave has its time too.
        guard (0..<results).contains(where: { lua.type(-1 - $0) == .table }) else { return try read(lua) }
        do { return try state.limited(by: phase) { try read(lua) } } catch let error as LuaError {
            throw ScriptFailures.requestCause(
                of: error.placed(file: function.file, line: function.line), in: context.values)
        }
    }

    // MARK: Many functions in one turn

    /// Functions that the engine sets off now are to wait for a later turn; see ``later(_:)``. What a
    /// function of the script sets off is part of its time.
    var isLate: Bool {
        guard !state.isRunning, !late.isRunning else { return false }
        guard late.isEmpty else { return true }
        let scheduler = context.engine.scheduler
        guard tick == scheduler.tick else {
            tick = scheduler.tick
            sliceEnd = scheduler.uptime + Self.slice
            return false
        }
        return scheduler.uptime > sliceEnd
    }

    /// Does `work`, which runs functions of the script, behind all that waits already.
    func later(_ work: @escaping @EngineActor () -> Void) {
        late.append(work)
        guard !late.isPlanned else { return }
        late.isPlanned = true
        jobs.add(late)
        let scheduler = context.engine.scheduler
        scheduler.nextTick { [context, late] in
            scheduler.inParts {
                if !context.isClosed, late.runNext() { return true }
                late.isPlanned = false
                context.jobs.remove(late)
                return false
            }
        }
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

    /// Runs a function that may wait; `completion` gets its results, which lie on top of the stack, or its
    /// error.
    func run(
        _ function: LuaReference, phase: RunPhase? = nil, arguments: (Lua) -> Int32,
        completion: @escaping @EngineActor (Lua, Result<Int32, LuaError>) -> Void
    ) {
        let hook = ScriptHook()
        hook.coroutine = context.sandbox.spawn(
            function, phase: phase ?? context.phases.hook, arguments: arguments,
            completion: onLoop { [weak context] (lua: Lua, result: Result<Int32, LuaError>) in
                completion(lua, result)
                context?.jobs.remove(hook)
            })
        // Only one that waits needs to be remembered.
        if hook.coroutine?.isFinished == false { jobs.add(hook) }
    }

    /// The same with a function that `pushCall` pushes, before its arguments; nil: there is none.
    /// What is set off by a function whose time is over would end at its first instruction, each with a line
    /// in the log: one says it for all.
    func run(as what: @autoclosure () -> String, pushCall: (Lua) throws(LuaError) -> Int32?) {
        if state.isSpent {
            guard spentRun != state.runNumber else { return }
            spentRun = state.runNumber
            return context.options.log(
                ScriptLogEntry(level: .error, text: "\(what()) did not run: \(Self.leftOut)"))
        }
        do throws(LuaError) {
            guard
                let coroutine = try state.run(
                    phase: context.phases.hook, in: context.sandbox, pushCall: pushCall)
            else {
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
            onLoop { [weak context] (_: Lua, result: Result<Int32, LuaError>) in
                if case .failure(let error) = result { context?.runner.report(error, in: what) }
                context?.jobs.remove(hook)
            })
    }

    // MARK: Failures

    /// What a function waited for failed, and it goes on right now.
    private var failedWait: RequestError?

    /// Gives nil and the error, and what `more` pushes, to a function that waits.
    func fail(
        _ waiter: LuaWaiter, _ error: RequestError,
        and more: @escaping @EngineActor (Lua) -> Int32 = { _ in 0 }
    ) {
        let before = failedWait
        failedWait = error
        defer { failedWait = before }
        waiter.resume(
            onLoop { [context] (lua: Lua) in
                lua.pushNil()
                context.values.pushError(error, on: lua)
                return 2 + more(lua)
            })
    }

    /// A function that took the nil of a failed wait for a result hides the reason, which it had in its
    /// hands.
    private func hiddenReason(_ error: LuaError) -> String {
        guard let failedWait, error.kind == .runtime, !error.isDeliberate,
            error.message.contains(" a nil value")
        else { return "" }
        return "; what it waited for has failed, and gave nil and this error: \(failedWait)"
    }

    /// Logs an error that ends nothing but the function it came from.
    func report(_ error: LuaError, in what: String) {
        // What a function says of others that were cancelled with it, when everything ends, is no news.
        guard error.kind != .cancelled, !context.isClosed else { return }
        let failure = ScriptFailures.failure(of: error)
        var more = hiddenReason(error)
        if error.kind == .budget, state.isSpent {
            guard spentRun != state.runNumber else { return }
            spentRun = state.runNumber
            more = "; \(Self.leftOut)"
        }
        context.options.log(
            ScriptLogEntry(
                level: .error, text: "\(what): \(failure.message)\(more)",
                fields: error.traceback.isEmpty ? [] : [("traceback", error.traceback)],
                place: failure.file.map { "\($0):\(failure.line ?? 0)" }))
    }

    private static let leftOut =
        "the function that set it off has used up its CPU time, and what else it sets off is left out"

    /// Runs `work` when what resumed the script has returned, for that may hold what `work` is to find
    /// unused; at once where the script may not wait.
    func unwound(_ call: Arguments, _ work: @escaping @EngineActor () -> Void) -> CallResult {
        guard call.lua.mayWait else {
            work()
            return .none
        }
        return .wait { [context] waiter in
            let step: @EngineActor () -> Void = {
                work()
                waiter.resume { _ in 0 }
            }
            if let betweenTicks = context.runner.betweenTicks {
                betweenTicks(step)
            } else {
                context.engine.scheduler.nextTick(step)
            }
        }
    }

    /// Throws when nothing may be started any more: what closing runs is the end of what there was.
    func requireUnclosed(for what: String) throws(LuaUsageError) {
        if context.isClosed { throw LuaUsageError("\(what) starts nothing while the script is being closed") }
    }
}

/// A hook of a script that waits for something.
@EngineActor
final class ScriptHook: ScriptActivity {
    var coroutine: LuaCoroutine?

    func cancel() { coroutine?.cancel() }
}

/// Functions of a script that wait for their turn. The host lives for as long as there are any.
@EngineActor
private final class LateHooks: ScriptActivity {
    private var waiting: ArraySlice<@EngineActor () -> Void> = []
    /// They have a turn in sight.
    var isPlanned = false
    private(set) var isRunning = false

    nonisolated init() {}

    var isEmpty: Bool { waiting.isEmpty }

    func append(_ work: @escaping @EngineActor () -> Void) { waiting.append(work) }

    /// False when there was none.
    func runNext() -> Bool {
        guard let next = waiting.popFirst() else { return false }
        if waiting.isEmpty { waiting = [] }
        isRunning = true
        next()
        isRunning = false
        return true
    }

    func cancel() { waiting = [] }
}
