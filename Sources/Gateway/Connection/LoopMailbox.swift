import NIOCore
import Synchronization

/// Carries the engine's answers to one event loop. It wakes the loop once for all answers that come together.
final class LoopMailbox: Sendable {
    private struct State {
        var isOpen = true
        var answers: [@Sendable () -> Void] = []
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())
    /// Whether the event loop still takes tasks. It has its own lock, because the loop may want the answers
    /// before the call that woke it has returned.
    private let isAwake = Mutex(true)

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Answers wait for the event loop.
    var hasMail: Bool { state.withLock { !$0.answers.isEmpty } }

    /// Runs `answer` on the event loop. Drops it if the gateway has stopped, because its event loops then
    /// take no tasks. Any thread.
    func send(_ answer: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            guard state.isOpen else { return false }
            state.answers.append(answer)
            return state.answers.count == 1
        }
        guard isFirst else { return }
        isAwake.withLock { isAwake in
            if isAwake { eventLoop.execute { self.deliver() } }
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
        isAwake.withLock { $0 = false }
    }
}
