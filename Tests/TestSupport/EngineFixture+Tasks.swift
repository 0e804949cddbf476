public import RestEngine
public import Testing

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
        await yielding(until: "the task ends") {
            settle()
            return over.isSet
        }
        if !over.isSet {
            // Most tasks end when they are cancelled; one that doesn't has no result to give.
            task.cancel()
            await TestTimeout.$limit.withValue(3) {
                await yielding(until: "the task ends when it is cancelled") {
                    settle()
                    return over.isSet
                }
            }
            precondition(over.isSet, "the task does not end")
        }
        // What the task left for a later turn would hold on to the engine, whose clock stands still.
        settle()
        return await task.value
    }

    private final class Flag {
        var isSet = false
    }
}

extension Engine {
    /// Waits for what other threads do for it. False when that takes too long, which fails the test.
    @discardableResult
    public func offloadedWorkEnds(at location: SourceLocation = #_sourceLocation) async -> Bool {
        guard offloadedWork > 0 else { return true }
        let isDone: Bool? = await waiting(for: "work on other threads to end", at: location) { notified in
            Task {
                await offloadedWorkIsDone()
                notified(true)
            }
        }
        return isDone ?? false
    }
}
