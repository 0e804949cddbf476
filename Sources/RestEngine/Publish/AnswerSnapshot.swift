import Synchronization

/// The place where one resource's answer is found without asking the loop.
///
/// Written on the engine loop alone, read from anywhere.
package final class AnswerSnapshot: Sendable {
    private struct State {
        var answer: PublishedAnswer?
        var isRetired = false
        var lastUse = -Double.infinity
    }
    private let state = Mutex(State())

    /// What a face makes of a content before it shows it. Large ones go through it before they appear here,
    /// where nobody waits for it.
    let prepare: (@Sendable (EncodedContent) -> Void)?

    package init(preparing prepare: (@Sendable (EncodedContent) -> Void)? = nil) { self.prepare = prepare }

    /// The answer if it is fresh.
    ///
    /// - Parameter now: on the clock that never jumps, as the scheduler's uptime.
    package func answer(at now: Double) -> PublishedAnswer? {
        state.withLock {
            $0.lastUse = now
            return $0.answer
        }.flatMap { $0.isFresh(at: now) ? $0 : nil }
    }

    /// There is an answer to be had, or there was none yet: whoever keeps a rendering of an earlier one lets
    /// it go.
    package var hasAnswer: Bool { state.withLock { $0.answer != nil } }

    /// When somebody last asked, on the same clock.
    var lastUse: Double { state.withLock { $0.lastUse } }

    /// The resource is gone; ask the service again.
    package var isRetired: Bool { state.withLock { $0.isRetired } }

    package func set(_ answer: PublishedAnswer?) { state.withLock { $0.answer = answer } }

    func retire() {
        state.withLock {
            $0.answer = nil
            $0.isRetired = true
        }
    }
}

/// A resource's current content with its times, for readers on any thread. Immutable.
package struct PublishedAnswer: Sendable {
    /// The content as it goes out.
    package let content: EncodedContent
    /// When the data was received or confirmed, on the clock that never jumps (D43).
    package let timestamp: Double
    /// When it stops being fresh, on the same clock.
    package let expiresAt: Double

    package init(content: EncodedContent, timestamp: Double, expiresAt: Double) {
        (self.content, self.timestamp, self.expiresAt) = (content, timestamp, expiresAt)
    }

    /// It may be given out at that time without asking the server.
    package func isFresh(at now: Double) -> Bool { now <= expiresAt }
}
