extension StubTransport {
    /// One rule of a ``StubTransport``: which requests it is for, and what they get.
    @EngineActor
    public final class Stub {
        private let method: String?
        private let pattern: GlobPattern
        private let condition: StubCondition
        private let reply: @EngineActor (TransportRequest) -> StubReply
        private var waiting: [@EngineActor () -> Void] = []

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
            for open in ready { open() }
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

        /// Runs `open` when the stub is not held, which may be now.
        func whenOpen(_ open: @escaping @EngineActor () -> Void) {
            if isHeld { waiting.append(open) } else { open() }
        }
    }
}

/// A request on its way to the answer of a stub.
@EngineActor
final class StubTransfer: Transfer {
    private let stub: StubTransport.Stub?
    private let reply: StubReply
    /// Called once: with the answer, or with nil when the transfer was cancelled.
    private var end: (@EngineActor (TransportResult?) -> Void)?

    init(
        stub: StubTransport.Stub?, reply: StubReply, end: @escaping @EngineActor (TransportResult?) -> Void
    ) {
        self.stub = stub
        self.reply = reply
        self.end = end
    }

    func start(on scheduler: Scheduler) {
        let arrive: @EngineActor () -> Void = {
            guard let stub = self.stub, stub.isHeld else { return self.finish(self.reply.result) }
            // Opened from within the engine's own call perhaps, which must not see an answer before it returns.
            stub.whenOpen { scheduler.nextTurn { self.finish(self.reply.result) } }
        }
        if reply.delay > 0 { scheduler.after(reply.delay, arrive) } else { scheduler.nextTurn(arrive) }
    }

    func cancel() { finish(nil) }

    var progress: TransferProgress { stub?.progress ?? TransferProgress() }

    private func finish(_ result: TransportResult?) {
        guard let end else { return }
        self.end = nil
        end(result)
    }
}
