public import RestEngine
public import Testing

extension EngineFixture {
    /// Runs a task until it is over, with all loop ticks that it causes.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
        await finish(Task { await body() })
    }

    /// Does the same for a task that has begun.
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
            // Most tasks end when they are cancelled; others have no result.
            task.cancel()
            await TestTimeout.$limit.withValue(3) {
                await yielding(until: "the task ends when it is cancelled") {
                    settle()
                    return over.isSet
                }
            }
            precondition(over.isSet, "the task does not end")
        }
        // Work that the task left for a later tick would keep the engine alive, because its clock stands
        // still.
        settle()
        return await task.value
    }

    private final class Flag {
        var isSet = false
    }
}

extension Engine {
    /// Waits for work of other threads. False if it takes too long, which fails the test.
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
