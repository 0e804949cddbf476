import LuaRuntime
import Platform
import RestEngine

/// The message for a request that no stub answers.
@EngineActor
struct UnstubbedRequest {
    private static let shown = 5

    private let request: TransportRequest
    private let host: TestHost

    init(_ request: TransportRequest, _ host: TestHost) {
        self.request = request
        self.host = host
    }

    func diagnostic(place: (file: String, line: Int)?) -> Diagnostic {
        let address = "\(request.method) \(request.url)"
        let message =
            host.isClosed
            ? "\(address) was sent by a host that has ended with its test"
            : replays ?? "\(address) has no stub" + stubs
        return Diagnostic(.error, message, file: place?.file, line: place?.line)
    }

    /// The reason given by the newest of the host's recordings.
    private var replays: String? { host.transport.replays.last?.miss(request) }

    private var stubs: String {
        let stubs = host.transport.stubs
        guard !stubs.isEmpty else {
            return "\n  the host has no stubs: host:stub(\"\(request.method)\", \"…\", { json = … }) adds one"
        }
        let url = URLText(request.url)
        let nearest = host.transport.nearest(to: request)
        var text = "\n  stubs of the host, nearest first:"
        for stub in nearest.prefix(Self.shown) {
            let isNear = url.map { stub.hasAddress(of: request, $0) } ?? false
            text += "\n    \(stub.summary)"
            if isNear { text += "  (its 'when' is not met)" }
        }
        if stubs.count > Self.shown { text += "\n    and \(stubs.count - Self.shown) more" }
        return text
    }
}
