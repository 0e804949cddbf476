import Synchronization

/// The current answer of one resource, for readers on any thread without a call to the engine loop.
///
/// It is written only on the engine loop.
package final class AnswerSnapshot: Sendable {
    private struct State {
        var answer: PublishedAnswer?
        var isRetired = false
        var lastUse = -Double.infinity
    }
    private let state = Mutex(State())

    /// Makes the gateway's rendering of a content. Large content is rendered before it appears here, off the
    /// loop.
    let prepare: (@Sendable (EncodedContent) -> Void)?

    package init(preparing prepare: (@Sendable (EncodedContent) -> Void)? = nil) { self.prepare = prepare }

    /// The answer if it is fresh.
    ///
    /// - Parameter now: The current time on the clock that never jumps, as the scheduler's uptime.
    package func answer(at now: Double) -> PublishedAnswer? {
        state.withLock {
            $0.lastUse = now
            return $0.answer
        }.flatMap { $0.isFresh(at: now) ? $0 : nil }
    }

    /// Whether there is an answer. If there is none, a rendering of an earlier answer can be released.
    package var hasAnswer: Bool { state.withLock { $0.answer != nil } }

    /// The time of the last read, on the same clock.
    var lastUse: Double { state.withLock { $0.lastUse } }

    /// Whether the resource is gone; the reader must ask the service again.
    package var isRetired: Bool { state.withLock { $0.isRetired } }

    package func set(_ answer: PublishedAnswer?) { state.withLock { $0.answer = answer } }

    func retire() {
        state.withLock {
            $0.answer = nil
            $0.isRetired = true
        }
    }
}

/// The current content of a resource with its times, for readers on any thread. Immutable.
package struct PublishedAnswer: Sendable {
    /// The content in the form that is sent.
    package let content: EncodedContent
    /// When the data was received or confirmed, on the clock that never jumps (D43).
    package let timestamp: Double
    /// When it stops being fresh, on the same clock.
    package let expiresAt: Double

    package init(content: EncodedContent, timestamp: Double, expiresAt: Double) {
        (self.content, self.timestamp, self.expiresAt) = (content, timestamp, expiresAt)
    }

    /// Whether it may be used at that time without a request to the server.
    package func isFresh(at now: Double) -> Bool { now <= expiresAt }
}
