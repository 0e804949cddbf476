/// The life of one request: started once, completed once, whatever comes afterwards ignored (rules 7, 8).
struct RequestStateMachine {
    enum State: Equatable { case notStarted, inProgress, completed }

    enum Completion: Equatable {
        /// The outcome counts: store it and tell the hooks in the next turn.
        case accept
        /// Something after a cancellation: expected, of no interest.
        case ignoreAfterCancel
        /// A second outcome (7.12).
        case ignoreDuplicate
    }

    private(set) var state = State.notStarted
    private var wasCancelled = false

    /// True when the work is to begin now.
    mutating func start() -> Bool {
        guard state == .notStarted else { return false }
        state = .inProgress
        return true
    }

    /// What ``complete()`` would answer.
    var outcome: Completion {
        guard state == .completed else { return .accept }
        return wasCancelled ? .ignoreAfterCancel : .ignoreDuplicate
    }

    mutating func complete() -> Completion {
        let outcome = outcome
        state = .completed
        return outcome
    }

    /// True when there is something to cancel: not after completion (8.2). A request that is cancelled before
    /// its start never starts (8.3).
    mutating func cancel() -> (cancelled: Bool, stopWork: Bool) {
        guard state != .completed else { return (false, false) }
        let running = state == .inProgress
        state = .completed
        wasCancelled = true
        return (true, running)
    }
}
