/// A task that waits for a request. It goes on once: with the outcome, or when it is cancelled.
@EngineActor
final class RequestWait {
    private let request: Request
    private var continuation: CheckedContinuation<ResponseInfo, Never>?

    init(_ request: Request) { self.request = request }

    func begin(_ continuation: CheckedContinuation<ResponseInfo, Never>) {
        self.continuation = continuation
        request.waitingTasks += 1
        request.onCompletion { self.end($0) }
    }

    private func end(_ info: ResponseInfo) {
        guard let continuation else { return }
        self.continuation = nil
        request.waitingTasks -= 1
        continuation.resume(returning: info)
    }

    /// The task doesn't wait any more. A load goes on, and so does what another task waits for.
    func cancel() {
        guard continuation != nil, request.info == nil else { return }
        if request.waitingTasks == 1, !request.isLoad { request.cancel() }
        end(ResponseInfo(.failure(request.cancellation)))
    }
}
