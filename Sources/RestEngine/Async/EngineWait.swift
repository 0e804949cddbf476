/// A task that waits for an answer of the engine, which calls back. It goes on once: with the answer, or when it is
/// cancelled.
@EngineActor
final class EngineWait<Answer: Sendable> {
    private var continuation: CheckedContinuation<Answer, Never>?

    /// - Parameters:
    ///   - begin: Asks; it hands the wait to whoever answers.
    ///   - cancel: The task was cancelled before there was an answer; it answers now.
    static func answer(
        begin: (EngineWait) -> Void, cancel: @escaping @EngineActor (EngineWait) -> Void
    ) async -> Answer {
        let wait = EngineWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.continuation = continuation
                begin(wait)
            }
        } onCancel: {
            // Any thread; in a task that was cancelled before, even earlier than `begin`, so it takes its turn.
            EngineLoop.shared.submit { if wait.continuation != nil { cancel(wait) } }
        }
    }

    /// Lets the task go on, if nobody did before.
    func end(_ answer: Answer) {
        let waiting = continuation
        continuation = nil
        waiting?.resume(returning: answer)
    }
}
