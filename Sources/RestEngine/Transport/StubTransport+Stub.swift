extension StubTransport {
    /// One rule of a ``StubTransport``: which requests it is for, and what they get.
    @EngineActor
    public final class Stub {
        /// Nil for every method.
        public let method: String?
        /// The URLs that it is for.
        public let pattern: GlobPattern
        private let condition: StubCondition
        private let reply: @EngineActor (TransportRequest) -> StubReply
        private var waiting: [StubTransfer] = []

        /// Its requests wait for ``go()``.
        public private(set) var isHeld: Bool
        private var isOpen = false

        /// How many requests wait for ``go()`` now.
        public var heldRequests: Int { waiting.count }

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
            isOpen = true
            let ready = waiting
            waiting = []
            for transfer in ready { transfer.release() }
        }

        func matches(_ request: TransportRequest, _ url: URLText) -> Bool {
            hasAddress(of: request, url) && condition.matches(request)
        }

        /// Whether method and URL match, whatever else a request must have.
        public func hasAddress(of request: TransportRequest, _ url: URLText) -> Bool {
            (method == nil || method == request.method) && (pattern.matches(url) || pattern.matchesWhole(url))
        }

        func holds(_ reply: StubReply) -> Bool { !isOpen && (isHeld || reply.isHeld) }

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

        func forget(_ transfer: StubTransfer) { waiting.remove(identical: transfer) }
    }
}
