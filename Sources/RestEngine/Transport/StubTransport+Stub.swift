extension StubTransport {
    /// One rule of a ``StubTransport``: which requests it is for, and what they get.
    @EngineActor
    public final class Stub {
        private let method: String?
        private let pattern: GlobPattern
        private let condition: StubCondition
        private let reply: @EngineActor (TransportRequest) -> StubReply
        private var waiting: [StubTransfer] = []

        /// Its requests wait for ``go()``.
        public private(set) var isHeld: Bool

        /// The requests that it got, in order.
        public private(set) var requests: [TransportRequest] = []

        /// The counters that its transfers show.
        public var progress = TransferProgress()

        init(
            method: String?, pattern: GlobPattern, condition: StubCondition, isHeld: Bool,
            reply: @escaping @EngineActor (TransportRequest) -> StubReply
        ) {
            self.method = method
            self.pattern = pattern
            self.condition = condition
            self.isHeld = isHeld
            self.reply = reply
        }

        /// Lets the answers out: those that wait, and all later ones.
        public func go() {
            isHeld = false
            let ready = waiting
            waiting = []
            for transfer in ready { transfer.release() }
        }

        func matches(_ request: TransportRequest, _ url: URLText) -> Bool {
            (method == nil || method == request.method) && pattern.matches(url) && condition.matches(request)
        }

        func take(_ request: TransportRequest) -> StubReply {
            requests.append(request)
            var reply = reply(request)
            if case .success(let response) = reply.result, response.body.count > request.maxBodyBytes {
                reply.result = .failure(
                    TransportError(
                        .tooLarge, message: "the body is larger than \(request.maxBodyBytes) bytes",
                        limit: request.maxBodyBytes))
            }
            return reply
        }

        /// Keeps a transfer back until ``go()``.
        func hold(_ transfer: StubTransfer) { waiting.append(transfer) }

        func forget(_ transfer: StubTransfer) { waiting.removeFirst { $0 === transfer } }
    }
}
