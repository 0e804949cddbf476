/// The requests that are being decorated, each inside a decorator of the one before. A decorator may start
/// other requests; one that starts its own request again would do so endlessly.
@EngineActor
final class DecorationStack {
    /// A decorator may request its own resource again a few times.
    static let repeats = 8
    /// The limit for different resources inside each other.
    static let depth = 32

    private struct Frame {
        let url: String
        let method: String
        /// The origin of the running decorator.
        var origin = ""
    }

    private var frames: [Frame] = []
    /// The detected fault, and the index of the first frame that fails with it.
    private var fault: (first: Int, cause: RequestError.CauseError)?

    nonisolated init() {}

    /// Runs the decorators in order. Throws if one throws, or if they form an endless loop: then the requests
    /// made in the loop are not sent.
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
            ? "decorators request further resources, nested \(frames.count) deep: the last is \(asked)"
            : "this decorator of \(asked) requests \(isOwn ? "the same resource again" : "one that leads back to it")"
                + ", whose requests it decorates too, endlessly: return the given request, or "
                + "use another method"
        let place = ScriptLocation(origin)
        return RequestError.ScriptFailure(message: message, file: place?.file, line: place?.line)
    }
}
