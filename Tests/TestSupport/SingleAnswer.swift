import Synchronization

/// The first of several answers goes to who waits; it may come before anybody does.
final class SingleAnswer<Value: Sendable>: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Value?, Never>?
        var answer: Value??
    }

    private let state = Mutex(State())

    func expect(_ continuation: CheckedContinuation<Value?, Never>) {
        let answer: Value?? = state.withLock { state in
            if state.answer == nil { state.waiting = continuation }
            return state.answer
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func give(_ answer: Value?) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            guard state.answer == nil else { return nil }
            state.answer = .some(answer)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: answer)
    }
}
