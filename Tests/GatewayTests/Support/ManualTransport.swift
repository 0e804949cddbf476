import RestEngine
import TestSupport
import Testing

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

        func cancel() {
            completion = nil
            onCancel?()
        }

        fileprivate var onCancel: (() -> Void)?
        fileprivate var isOpen: Bool { completion != nil }
    }

    var automatic: ((TransportRequest) -> TransportResult)?
    private(set) var requests: [TransportRequest] = []
    private var calls: [Call] = []
    private var arrivals: [(count: Int, arrived: @Sendable (Bool) -> Void)] = []

    /// Answers whose bodies go to receivers.
    private(set) var streamed = StreamTransport()

    nonisolated init() {}

    func send(_ request: TransportRequest, completion: @escaping Completion) -> any Transfer {
        requests.append(request)
        defer {
            for arrival in arrivals where arrival.count <= requests.count { arrival.arrived(true) }
            arrivals.removeAll { $0.count <= requests.count }
        }
        if request.receiver != nil { return streamed.send(request, completion: completion) }
        let call = Call(request, completion)
        if let automatic {
            let result = automatic(request)
            EngineLoop.shared.submit { call.completion?(result) }
        } else {
            calls.append(call)
        }
        return call
    }

    /// Returns when this number of requests has been sent in all.
    func waitForRequests(_ count: Int) async {
        if requests.count >= count { return }
        let _: Bool? = await waiting(for: "\(count) requests, of which \(requests.count) were sent so far") {
            arrivals.append((count, $0))
        }
    }

    /// The number of requests that wait for a reply and were not cancelled.
    var openCalls: Int { calls.count(where: \.isOpen) }

    /// Returns when only this number is left.
    func waitForOpenCalls(_ count: Int) async {
        if openCalls <= count { return }
        let _: Bool? = await waiting(for: "\(count) open calls, of \(openCalls)") { arrived in
            for call in calls {
                call.onCancel = { [unowned self] in if openCalls <= count { arrived(true) } }
            }
        }
    }

    /// Ends the transport, because no more replies will come.
    func end() {
        automatic = nil
        streamed.end()
        // A body that was forwarded references both of its ends.
        (requests, streamed) = ([], StreamTransport())
        while let call = calls.popLast() {
            call.completion?(.failure(TransportError(.connectionFailed, message: "the test is over")))
        }
    }

    /// Finishes the oldest waiting request.
    func finish(_ result: TransportResult) {
        guard !calls.isEmpty else {
            Issue.record("no request waits for a reply")
            return
        }
        calls.removeFirst().completion?(result)
    }

    func reply(_ body: String, status: Int = 200, type: String = "application/json") {
        finish(.success(.stub(body, status: status, type: type)))
    }

    /// Finishes the oldest waiting request with this method.
    func reply(_ body: String, to method: String) {
        guard let place = calls.firstIndex(where: { $0.request.method == method }) else {
            Issue.record("no \(method) waits for a reply")
            return
        }
        calls.remove(at: place).completion?(.success(.stub(body)))
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
