import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// A function before requests, which waits until the test lets it decide.
@EngineActor
final class HeldHook {
    private var waiting:
        [(forward: Headers, completion: (Result<GatewayHook.Decision, RequestError>) -> Void)] =
            []
    /// The requests that the function has seen.
    private(set) var requests: [ServedRequest] = []

    nonisolated init() {}

    nonisolated func hook(_ template: String = "/**") -> GatewayHook {
        GatewayHook(
            template: template, methods: nil,
            action: .before { [self] request, forward, completion in
                requests.append(request)
                waiting.append((forward, completion))
            })
    }

    /// Adds `X-Seen` to each head: the partition and the status.
    nonisolated static let seen = GatewayHook(
        template: "/**", methods: nil,
        action: .after { request, head, completion in
            var head = head
            head.headers.set("X-Seen", "\(request.partition ?? "-") \(head.status)")
            completion(.success(head))
        })

    /// Returns when the function has seen this number of requests.
    func seen(_ count: Int = 1) async {
        await yielding(until: "\(count) requests meet the function") { requests.count >= count }
    }

    /// The oldest request that waits goes on.
    func goOn(in partition: String? = nil, adding header: (String, String)? = nil) {
        var (forward, completion) = waiting.removeFirst()
        if let header { forward.set(header.0, header.1) }
        completion(.success(.proceed(forward: forward, partition: partition)))
    }

    /// The function answers the oldest request that waits.
    func answer(_ text: String) {
        let entity = Entity(content: .text(text), contentType: "text/plain", timestamp: 0)
        waiting.removeFirst().completion(.success(.answer(.content(entity))))
    }
}
