import LuaRuntime
import Platform
import RestEngine

/// Runs functions of the script for the engine.
@EngineActor
final class ScriptRunner {
    /// The run of the script whose used-up time was logged.
    private var spentRun: UInt64?
    /// Runs work between two ticks; set by a test, which runs the ticks itself.
    var betweenTicks: (@EngineActor (@escaping @EngineActor () -> Void) -> Void)?
    /// After so many seconds of functions that the engine calls, other work gets a tick. Each function has a
    /// time limit of its own, and one event may call thousands of them.
    private static let slice = 0.01
    /// The tick of `sliceEnd`, which is on the scheduler's uptime.
    private var tick: UInt64 = 0
    private var sliceEnd = 0.0
    /// The tick of `keySeconds`, which is the CPU time of keys of caches.
    private var keyTick: UInt64 = 0
    private var keySeconds = 0.0
    /// How many times the time of one function the keys of one tick may take.
    private static let keysOfOneTick = 5.0
    /// Work for a later tick, in order.
    private let late = LateHooks()
    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    private var state: LuaState { context.state }
    private var jobs: JobList { context.jobs }

    /// Calls a function that may not wait and reads its results, which are on top of the stack.
    func call<Result>(
        _ function: LuaReference, phase: RunPhase, arguments: (Lua) throws -> Int32, results: Int32 = 1,
        read: (Lua) throws -> Result
    ) throws -> Result {
        try call(
            ScriptFunction(reference: function, file: nil, line: nil), phase: phase, arguments: arguments,
            results: results, read: read)
    }

    /// The same. An error without a place, such as one of a library function, gets the place of the function.
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
        // Reading a table of results may take long, so it has a time limit, too.
        guard (0..<results).contains(where: { lua.type(-1 - $0) == .table }) else { return try read(lua) }
        do { return try state.limited(by: phase) { try read(lua) } } catch let error as LuaError {
            throw ScriptFailures.requestCause(
                of: error.placed(file: function.file, line: function.line), in: context.values)
        }
    }

    // MARK: Many functions in one tick

    /// True when functions that the engine calls now have to wait for a later tick; see ``later(_:)``.
    /// Functions that a function of the script causes are part of its time.
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

    /// Runs `work`, which calls functions of the script, after all work that already waits.
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

    /// Runs a function that may wait. Its error is logged, because no caller gets it.
    func run(
        _ function: LuaReference, as what: @autoclosure () -> String, arguments: (Lua) -> Int32
    ) {
        run(as: what()) { lua in
            lua.push(function)
            return arguments(lua)
        }
    }

    /// Runs a function that may wait. `completion` gets its results, which are on top of the stack, or its
    /// error. The result cancels it.
    @discardableResult
    func run(
        _ function: LuaReference, phase: RunPhase? = nil, arguments: (Lua) -> Int32,
        completion: @escaping @EngineActor (Lua, Result<Int32, LuaError>) -> Void
    ) -> ScriptHook {
        let hook = ScriptHook()
        hook.coroutine = context.sandbox.spawn(
            function, phase: phase ?? context.phases.hook, arguments: arguments,
            completion: onLoop { [weak context] (lua: Lua, result: Result<Int32, LuaError>) in
                completion(lua, result)
                context?.jobs.remove(hook)
            })
        // A function that has already finished need not be remembered.
        if hook.coroutine?.isFinished == false { jobs.add(hook) }
        return hook
    }

    /// The same with a function that `pushCall` pushes, before its arguments; nil means that there is none.
    /// When the time of the function that causes this call is used up, the call would end at its first
    /// instruction. One log line then replaces the lines of all such calls.
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

    /// Keeps a waiting function until it has finished.
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

    /// Calls a function that makes the key of a cache. It has to be called at once, whatever else has been
    /// called in this tick, and a resource may have hundreds of caches. Those of one tick therefore share a
    /// time limit (limit L315).
    func withinKeyTime<Result>(_ work: () throws -> Result) throws -> Result {
        let scheduler = context.engine.scheduler
        if keyTick != scheduler.tick { (keyTick, keySeconds) = (scheduler.tick, 0) }
        let most = Self.keysOfOneTick * context.options.limits[.predicate].burst
        guard keySeconds < most else {
            throw ScriptCacheError(
                description: "the functions that make keys of caches have used "
                    + "\(Int(keySeconds * 1000)) ms of CPU time in one go, which is the limit")
        }
        let began = ClockReading.threadTime
        defer { keySeconds += ClockReading.threadTime - began }
        return try work()
    }

    // MARK: Failures

    /// The error of the wait whose function goes on right now.
    private var failedWait: RequestError?

    /// Resumes a waiting function with nil and the error, and with the values that `more` pushes.
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

    /// The reason of a failed wait, for an error of a function that used the nil of the wait as a result.
    private func hiddenReason(_ error: LuaError) -> String {
        guard let failedWait, error.kind == .runtime, !error.isDeliberate,
            error.message.contains(" a nil value")
        else { return "" }
        return "; what it waited for has failed, and gave nil and this error: \(failedWait)"
    }

    /// Logs an error that ends only the function that raised it.
    func report(_ error: LuaError, in what: String) {
        // Functions that are cancelled together when the script ends are not reported.
        guard error.kind != .cancelled, !context.isClosed else { return }
        let failure = ScriptFailures.failure(of: error)
        var more = hiddenReason(error)
        if error.kind == .budget, state.isSpent {
            guard spentRun != state.runNumber else { return }
            spentRun = state.runNumber
            more = "; \(Self.leftOut)"
        }
        context.options.log(
            .failure(
                "\(what): \(failure.message)\(more)",
                fields: error.traceback.isEmpty ? [] : [("traceback", error.traceback)],
                place: failure.file.map { "\($0):\(failure.line ?? 0)" }))
    }

    private static let leftOut =
        "the function that caused it has used up its CPU time, and its further effects are left out"

    /// Runs `work` after the caller that resumed the script has returned, because the caller may hold objects
    /// that `work` expects to be unused. When the script may not wait, it runs at once.
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

    /// Throws when the script is being closed, so that nothing new starts.
    func requireUnclosed(for what: String) throws(LuaUsageError) {
        if context.isClosed { throw LuaUsageError("\(what) starts nothing while the script is being closed") }
    }
}

/// A hook of a script that waits.
@EngineActor
final class ScriptHook: ScriptActivity {
    var coroutine: LuaCoroutine?
    /// It has no end of its own, so a reload ends it.
    var isDetached = false

    func cancel() { coroutine?.cancel() }
}

/// Functions of a script that wait for a later tick. The host stays open while there are any.
@EngineActor
private final class LateHooks: ScriptActivity {
    private var waiting: ArraySlice<@EngineActor () -> Void> = []
    /// True when a tick for them is scheduled.
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
