/// A request on its way to the answer of a stub.
@EngineActor
final class StubTransfer: Transfer {
    private var stub: StubTransport.Stub?
    private var reply = StubReply(.success(TransportResponse(status: 200)))
    private let scheduler: Scheduler
    /// Called once: with the answer, or with nil when the transfer was cancelled.
    private var end: (@EngineActor (StubTransfer, TransportResult?) -> Void)?

    init(
        scheduler: Scheduler, end: @escaping @EngineActor (StubTransfer, TransportResult?) -> Void
    ) {
        self.scheduler = scheduler
        self.end = end
    }

    var isOver: Bool { end == nil }

    func start(_ stub: StubTransport.Stub?, _ reply: StubReply) {
        self.stub = stub
        self.reply = reply
        let arrive: @EngineActor () -> Void = { self.arrive() }
        if reply.delay > 0 { scheduler.after(reply.delay, arrive) } else { scheduler.nextTurn(arrive) }
    }

    private func arrive() {
        guard end != nil else { return }
        if let stub, stub.holds(reply) { stub.hold(self) } else { finish(reply.result) }
    }

    /// The stub opened, from within a call of the engine perhaps, which must return before an answer comes.
    func release() {
        scheduler.nextTurn { self.finish(self.reply.result) }
    }

    func cancel() {
        stub?.forget(self)
        finish(nil)
    }

    func fail(_ error: TransportError) {
        stub?.forget(self)
        finish(.failure(error))
    }

    var progress: TransferProgress { stub?.progress ?? TransferProgress() }

    private func finish(_ result: TransportResult?) {
        guard let end else { return }
        self.end = nil
        end(self, result)
    }
}
