import NIOCore
import Synchronization

/// Carries the engine's answers to one event loop, which is woken once for all that come together.
final class LoopMailbox: Sendable {
    private struct State {
        var isOpen = true
        var answers: [@Sendable () -> Void] = []
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs `answer` on the event loop; drops it when the gateway has stopped, whose event loops take nothing
    /// more. Any thread.
    func send(_ answer: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard state.isOpen else { return }
            state.answers.append(answer)
            if state.answers.count == 1 { eventLoop.execute { self.deliver() } }
        }
    }

    private func deliver() {
        let answers = state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
        for answer in answers { answer() }
    }

    func close() {
        state.withLock { state in
            state.isOpen = false
            state.answers = []
        }
    }
}
