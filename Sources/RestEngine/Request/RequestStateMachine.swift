/// The life of one request: it starts once, completes once, and ignores later outcomes (rules 7, 8).
struct RequestStateMachine {
    enum State: Equatable { case notStarted, inProgress, completed }

    enum Completion: Equatable {
        /// The outcome counts: store it, and notify the hooks in the next tick.
        case accept
        /// An outcome after a cancellation, as expected: ignore it.
        case ignoreAfterCancel
        /// A second outcome (7.12).
        case ignoreDuplicate
    }

    private(set) var state = State.notStarted
    private var wasCancelled = false

    /// True if the work must begin now.
    mutating func start() -> Bool {
        guard state == .notStarted else { return false }
        state = .inProgress
        return true
    }

    /// The result of ``complete()``, without calling it.
    var outcome: Completion {
        guard state == .completed else { return .accept }
        return wasCancelled ? .ignoreAfterCancel : .ignoreDuplicate
    }

    mutating func complete() -> Completion {
        let outcome = outcome
        state = .completed
        return outcome
    }

    /// True if there is something to cancel: not after completion (8.2). A request that is cancelled before
    /// its start never starts (8.3).
    mutating func cancel() -> (cancelled: Bool, stopWork: Bool) {
        guard state != .completed else { return (false, false) }
        let running = state == .inProgress
        state = .completed
        wasCancelled = true
        return (true, running)
    }
}
