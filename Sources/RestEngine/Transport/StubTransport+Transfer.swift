/// A request on its way to the answer of a stub.
@EngineActor
final class StubTransfer: Transfer {
    private let stub: StubTransport.Stub?
    private let reply: StubReply
    private let scheduler: Scheduler
    /// Called once: with the answer, or with nil when the transfer was cancelled.
    private var end: (@EngineActor (TransportResult?) -> Void)?

    init(
        stub: StubTransport.Stub?, reply: StubReply, scheduler: Scheduler,
        end: @escaping @EngineActor (TransportResult?) -> Void
    ) {
        self.stub = stub
        self.reply = reply
        self.scheduler = scheduler
        self.end = end
    }

    func start() {
        let arrive: @EngineActor () -> Void = { self.arrive() }
        if reply.delay > 0 { scheduler.after(reply.delay, arrive) } else { scheduler.nextTurn(arrive) }
    }

    private func arrive() {
        guard end != nil else { return }
        if let stub, stub.isHeld { stub.hold(self) } else { finish(reply.result) }
    }

    /// The stub opened, from within a call of the engine perhaps, which must return before an answer comes.
    func release() {
        scheduler.nextTurn { self.finish(self.reply.result) }
    }

    func cancel() {
        stub?.forget(self)
        finish(nil)
    }

    var progress: TransferProgress { stub?.progress ?? TransferProgress() }

    private func finish(_ result: TransportResult?) {
        guard let end else { return }
        self.end = nil
        end(result)
    }
}
