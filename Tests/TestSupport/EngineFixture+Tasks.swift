import RestEngine

extension EngineFixture {
    /// Runs a task and all turns that it makes, until it is over.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
        await finish(Task { await body() })
    }

    /// The same for a task that has begun.
    public func finish<Result: Sendable>(_ task: Task<Result, Never>) async -> Result {
        let over = Flag()
        Task {
            _ = await task.value
            over.isSet = true
        }
        let begin = ContinuousClock.now
        while !over.isSet {
            precondition(begin.duration(to: .now) < .seconds(300), "the task does not end")
            settle()
            await Task.yield()
        }
        // What the task left for a later turn would hold on to the engine, whose clock stands still.
        settle()
        return await task.value
    }

    private final class Flag {
        var isSet = false
    }
}
