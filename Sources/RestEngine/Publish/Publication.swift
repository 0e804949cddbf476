import Synchronization

/// The place where one resource's answer is found without asking the loop.
///
/// Written on the engine loop alone, read from anywhere.
public final class Publication: Sendable {
    private struct State {
        var answer: PublishedAnswer?
        var isRetired = false
    }
    private let state = Mutex(State())

    init() {}

    /// The answer if it is fresh.
    public func answer(at now: Double) -> PublishedAnswer? {
        state.withLock { $0.answer }.flatMap { $0.isFresh(at: now) ? $0 : nil }
    }

    /// The resource is gone; ask the service again.
    public var isRetired: Bool { state.withLock { $0.isRetired } }

    func set(_ answer: PublishedAnswer?) { state.withLock { $0.answer = answer } }

    func retire() {
        state.withLock {
            $0.answer = nil
            $0.isRetired = true
        }
    }
}
