/// The requests that are being decorated now, each inside the decorator of the one before: a decorator may
/// start others, and one that starts its own again would do so without end.
@EngineActor
final class DecorationStack {
    /// A decorator may well ask for its own resource again, once or twice, and then no more.
    static let repeats = 8
    /// Of different ones inside each other.
    static let depth = 32

    private struct Frame {
        let url: String
        let method: String
        /// Of the decorator that runs.
        var origin = ""
    }

    private var frames: [Frame] = []
    /// What was found, and the frames that it fails: from this one on.
    private var fault: (first: Int, cause: RequestError.CauseError)?

    nonisolated init() {}

    /// What the decorators make of a request, in order. Throws when one throws, and when they come round in a
    /// circle: then whatever the circle had made is not sent.
    func decorate(
        _ request: Request, of resource: Resource, method: String,
        by decorators: [ConfiguredFunction<RequestDecorator>]
    ) throws -> Request {
        try enter(resource.urlString, method)
        defer { leave() }
        var decorated = request
        for decorator in decorators {
            frames[frames.count - 1].origin = decorator.origin
            decorated = try decorator.function(resource, decorated)
            if let fault, frames.count > fault.first { throw fault.cause }
        }
        return decorated
    }

    private func enter(_ url: String, _ method: String) throws {
        let same = frames.indices.filter { frames[$0].url == url && frames[$0].method == method }
        if same.count >= Self.repeats || frames.count >= Self.depth {
            let first = same.first ?? 0
            let cause = RequestError.CauseError(.scriptError(circle(from: first, url, method)))
            fault = (first, cause)
            throw cause
        }
        frames.append(Frame(url: url, method: method))
    }

    private func leave() {
        frames.removeLast()
        if let fault, frames.count <= fault.first { self.fault = nil }
    }

    private func circle(from first: Int, _ url: String, _ method: String) -> RequestError.ScriptFailure {
        let origin = frames[first].origin
        let asked = "\(method) \(SecretMask.standard.url(url))"
        let isOwn = frames.last.map { $0.url == url && $0.method == method } ?? false
        let message =
            frames[first].url != url
            ? "decorators request further resources inside each other, \(frames.count) deep: the last is \(asked)"
            : "this decorator of \(asked) requests \(isOwn ? "the same resource again" : "what leads to it again")"
                + ", whose requests it decorates too, and so on without end: return the request that it was given, or "
                + "ask with another method"
        let place = ScriptLocation(origin)
        return RequestError.ScriptFailure(message: message, file: place?.file, line: place?.line)
    }
}
