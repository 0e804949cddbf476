import LuaRuntime
import RestEngine

/// Collects the results of several functions or requests, in the order of the list.
@EngineActor
final class Gathering {
    private let context: ScriptContext
    let waiter: LuaWaiter
    /// The state of each item, by position.
    private enum Result {
        /// The item has no work and counts as done.
        case hole
        case pending
        case value(LuaReference)
    }

    private var results: [Result]
    private var firstFailure: (index: Int, error: RequestError)?
    private var left: Int
    private let limit: Int
    private var next = 0
    private var inFlight = 0
    private var isStarting = false
    /// After so many seconds of starting work, other work gets a tick.
    private static let slice = 0.005
    private var isCancelled = false
    /// The running functions, by position.
    var jobs: [Int: ScriptJob] = [:]
    private let begin: @EngineActor (Gathering, Int) -> Void

    init(
        _ context: ScriptContext, _ waiter: LuaWaiter, count: Int, limit: Int, holes: Set<Int> = [],
        begin: @escaping @EngineActor (Gathering, Int) -> Void
    ) {
        self.context = context
        self.waiter = waiter
        self.limit = limit
        self.begin = begin
        results = (0..<count).map { holes.contains($0) ? .hole : .pending }
        left = count - holes.count
    }

    func start() {
        if left == 0 { return answer() }
        // The state cancels a waiter on the engine loop.
        waiter.onCancel = onLoop { [weak self] in self?.cancel() }
        startNext()
    }

    /// The waiter was cancelled, so the functions end, too. Requests go on, because they belong to the
    /// script.
    private func cancel() {
        isCancelled = true
        for job in jobs.values { job.cancel() }
    }

    /// Starts the next work. Work that ends at once does not start the next one itself, because a long list
    /// would overflow the stack. A long list starts in parts, and the rest of it in later ticks, because work
    /// that starts inside of the waiting call has no time limit of its own.
    private func startNext() {
        guard !isStarting else { return }
        isStarting = true
        let scheduler = context.engine.scheduler
        let end = scheduler.uptime + Self.slice
        while inFlight < limit, next < results.count, !isCancelled {
            next += 1
            if case .hole = results[next - 1] { continue }
            inFlight += 1
            begin(self, next - 1)
            guard scheduler.uptime <= end, !context.state.isSpent else {
                return scheduler.nextTick { [self] in
                    isStarting = false
                    startNext()
                }
            }
        }
        isStarting = false
        if left == 0 { answer() }
    }

    func finish(_ index: Int, _ result: Swift.Result<LuaReference?, RequestError>) {
        switch result {
        case .success(let value): if let value { results[index] = .value(value) }
        case .failure(let error):
            if firstFailure.map({ index < $0.index }) ?? true { firstFailure = (index, error) }
        }
        jobs[index] = nil
        left -= 1
        inFlight -= 1
        startNext()
    }

    /// Resumes the waiter with the list; or with nil, the first error by position, and the results so far.
    private func answer() {
        if let error = firstFailure?.error { return context.runner.fail(waiter, error, and: pushResults) }
        waiter.resume(onLoop(pushResults))
    }

    private func pushResults(on lua: Lua) -> Int32 {
        lua.newTable(array: Int32(results.count), record: 1)
        for (index, result) in results.enumerated() {
            switch result {
            case .hole: continue
            case .pending: lua.push(false)
            case .value(let value): lua.push(value)
            }
            lua.rawSet(-2, index + 1)
        }
        lua.push(results.count)
        lua.rawSet(-2, "n")
        context.values.trees.markArray(lua, -1)
        return 1
    }
}
