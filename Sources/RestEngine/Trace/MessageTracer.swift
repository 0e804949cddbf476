/// The place in a trace of the code that begins requests, as a tracer of another module knows it.
package protocol TracePlace: Sendable {
    /// Runs code at this place.
    func run<Result>(_ body: () -> Result) -> Result
}

/// Makes the messages of an engine's requests spans of a trace, in place of the engine's own spans.
@EngineActor
package protocol MessageTracer: AnyObject {
    /// Called before each message is sent.
    ///
    /// - Parameter joined: The places of the callers that share the request.
    func begin(_ message: TracedMessage, joined: [any TracePlace]) -> any MessageSpan
}

/// The span of a message in flight.
@EngineActor
package protocol MessageSpan: AnyObject {
    /// The header fields that announce the span to the server. Another origin doesn't get them (59.2).
    var fields: [Headers.Field] { get }
    /// Another caller shares the request from now on.
    func join(_ place: any TracePlace)
    /// The message has ended, that many seconds after it was sent. Called once.
    func end(_ result: TransportResult, after seconds: Double)
}

/// The facts about a message that its span has from the beginning.
package struct TracedMessage: Sendable {
    package let service: String
    package let method: String
    /// It may contain secrets.
    package let url: String
    /// The messages of the same call before this one, for whatever reason.
    package let resends: Int
    /// In Unix seconds.
    package let began: Double
    /// The place of the code that began the request; nil outside of a trace.
    package let place: (any TracePlace)?
    /// See ``EngineEvent/requestID``.
    package let requestID: String?
}

/// The span of a request's message in flight, and the callers that share the request.
@EngineActor
final class MessageFollower {
    /// Further callers of one request; see docs/reference/limits.md, L392.
    private static let mostJoined = 128

    private var span: (any MessageSpan)?
    private var joined: [any TracePlace] = []

    func begin(_ message: TracedMessage, _ tracer: any MessageTracer) -> [Headers.Field] {
        let span = tracer.begin(message, joined: joined)
        self.span = span
        return span.fields
    }

    func join(_ place: any TracePlace) {
        guard joined.count < Self.mostJoined else { return }
        joined.append(place)
        span?.join(place)
    }

    func end(_ result: TransportResult, after seconds: Double) {
        let ended = span
        span = nil
        ended?.end(result, after: seconds)
    }
}

extension Request {
    /// Called when another caller waits for it in place of a request of its own.
    func joined() -> Request {
        engine.messageTracer == nil ? self : joined(at: WorkScope.current.origin?.place)
    }

    /// The same for a caller at that place.
    func joined(at place: (any TracePlace)?) -> Request {
        guard engine.messageTracer != nil, let place, let network = work.network else { return self }
        let follower = network.follower ?? MessageFollower()
        network.follower = follower
        follower.join(place)
        return self
    }
}
