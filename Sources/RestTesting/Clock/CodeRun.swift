import RestEngine

/// Code that a ``TestClock`` runs.
@EngineActor
protocol ClockRun: AnyObject {
    /// The uptime of the clock until which it may wait.
    var deadline: Double { get }
    var limit: Duration { get }
    var hasFailed: Bool { get }
    /// Cancels the code, and ends the wait for it. If the code goes on all the same, a second call no longer
    /// waits for it.
    func fail(_ error: TestClockError)
}

@EngineActor
final class CodeRun<Value: Sendable>: ClockRun {
    let deadline: Double
    let limit: Duration
    var task: Task<Void, Never>?
    private var failure: TestClockError?
    private var result: Result<Value, any Error>?
    private var waiter: CheckedContinuation<Result<Value, any Error>, Never>?

    init(until deadline: Double, _ limit: Duration) {
        self.deadline = deadline
        self.limit = limit
    }

    var hasFailed: Bool { failure != nil }

    func wait(_ waiter: CheckedContinuation<Result<Value, any Error>, Never>) {
        if let result { waiter.resume(returning: result) } else { self.waiter = waiter }
    }

    /// Takes the result of the code. If it was cancelled by a failure, the failure counts.
    func end(_ result: Result<Value, any Error>) {
        let result = failure.map { .failure($0) } ?? result
        guard let waiter else { return self.result = result }
        self.waiter = nil
        waiter.resume(returning: result)
    }

    func fail(_ error: TestClockError) {
        if let failure { return end(.failure(failure)) }
        failure = error
        task?.cancel()
    }
}
