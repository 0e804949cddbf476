import RestEngine

/// A transport without a network. Requests wait until the test replies, or are answered by `automatic`.
@EngineActor
final class ManualTransport: Transport {
    typealias Completion = @EngineActor (TransportResult) -> Void

    final class Call: Transfer {
        let request: TransportRequest
        fileprivate var completion: Completion?
        let progress = TransferProgress()

        init(_ request: TransportRequest, _ completion: @escaping Completion) {
            self.request = request
            self.completion = completion
        }

        func cancel() { completion = nil }
    }

    var automatic: ((TransportRequest) -> TransportResult)?
    private(set) var requests: [TransportRequest] = []
    private var calls: [Call] = []
    private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    nonisolated init() {}

    func send(_ request: TransportRequest, completion: @escaping Completion) -> any Transfer {
        requests.append(request)
        let call = Call(request, completion)
        if let automatic {
            let result = automatic(request)
            EngineLoop.shared.submit { call.completion?(result) }
        } else {
            calls.append(call)
        }
        for arrival in arrivals where arrival.count <= requests.count { arrival.continuation.resume() }
        arrivals.removeAll { $0.count <= requests.count }
        return call
    }

    /// Returns when so many requests have been sent in all.
    func waitForRequests(_ count: Int) async {
        if requests.count >= count { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }

    /// Ends the oldest waiting request.
    func finish(_ result: TransportResult) { calls.removeFirst().completion?(result) }

    func reply(_ body: String, status: Int = 200, type: String = "application/json") {
        finish(.success(.stub(body, status: status, type: type)))
    }
}

extension TransportResponse {
    static func stub(
        _ body: String, status: Int = 200, type: String = "application/json"
    ) -> TransportResponse {
        TransportResponse(
            status: status, headers: Headers([("Content-Type", type)]), body: Array(body.utf8))
    }
}
