import Synchronization

/// Passes the first of several answers to the waiting caller. The answer may come before the wait begins.
final class SingleAnswer<Value: Sendable>: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Value?, Never>?
        /// An answer that came before the wait.
        var answer: Value??
        var isGiven = false
    }

    private let state = Mutex(State())

    func expect(_ continuation: CheckedContinuation<Value?, Never>) {
        let answer: Value?? = state.withLock { state in
            if state.answer == nil { state.waiting = continuation }
            return state.answer.take()
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func give(_ answer: Value?) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            guard !state.isGiven else { return nil }
            state.isGiven = true
            if state.waiting == nil { state.answer = .some(answer) }
            return state.waiting.take()
        }
        waiting?.resume(returning: answer)
    }
}
