import LuaRuntime
import Platform
import RestEngine

/// The result of `rest.stream_response`.
final class ScriptStreamResponse: LuaObject {
    let stream: ServedStream
    let keptBytes: Int

    @EngineActor
    init(_ context: ScriptContext, _ function: LuaReference, status: Int, _ headers: Headers) {
        keptBytes = 128 + headers.heldBytes
        let isOfEvents = headers["Content-Type"].map { MediaType($0).essence } == "text/event-stream"
        stream = ServedStream(status: status, headers: headers) { [weak context] pipe in
            ScriptBodyWriter(pipe, isOfEvents: isOfEvents).begin(function, context)
        }
    }
}

/// Lets a function of a script write the body of an answer. The function holds it through `write`.
@EngineActor
final class ScriptBodyWriter {
    private let pipe: BodyPipe
    private let isOfEvents: Bool
    private var hook: ScriptHook?
    /// Waits for room in the pipe.
    private var waiter: LuaWaiter?
    /// The function runs, and has not waited yet.
    private var isBeginning = true

    init(_ pipe: BodyPipe, isOfEvents: Bool) {
        self.pipe = pipe
        self.isOfEvents = isOfEvents
    }

    func begin(_ function: LuaReference, _ context: ScriptContext?) {
        guard let context, !context.values.isClosed else { return pipe.fail(.endedScript) }
        guard !pipe.isClosed else { return }
        pipe.onRoom { [weak self] in EngineLoop.shared.submit { self?.goOn() } }
        let begun = context.runner.run(
            function, phase: context.phases.job,
            arguments: { lua in
                lua.push(
                    function: hostFunction { [self] call in try write(call) }, name: "write", keeping: 256)
                return 1
            },
            completion: { [self, weak context] _, result in
                hook = nil
                switch result {
                case .success: pipe.finish()
                case .failure(let error):
                    // A client of events comes back, and then meets the script that runs by that time.
                    if error.kind == .cancelled, isOfEvents { return pipe.finish() }
                    if error.kind == .cancelled { return pipe.fail(.endedScript) }
                    context?.runner.report(error, in: "a stream_response")
                    pipe.fail(TransportError(.internal, phase: .receive, message: "the script failed"))
                }
            })
        isBeginning = false
        guard begun.coroutine?.isFinished == false else { return }
        begun.isDetached = isOfEvents
        hook = begun
    }

    private func write(_ call: Arguments) throws -> CallResult {
        let bytes: [UInt8]
        if call.type(1) == .table {
            guard isOfEvents else {
                throw LuaUsageError(
                    "'write' takes text here: an event, as a table, needs content_type = \"text/event-stream\""
                )
            }
            bytes = try StreamedEvent(call.options(1)).bytes
        } else {
            bytes = try call.bytes(1, "text")
        }
        guard call.lua.mayWait else { throw LuaUsageError("'write' may wait, which is not possible here") }
        guard waiter == nil else {
            throw LuaUsageError("another function is waiting in 'write' of this answer")
        }
        guard hook != nil || isBeginning else { throw LuaUsageError("the answer has ended") }
        // Once the client has left, the function is cancelled in its wait.
        guard pipe.isClosed || !pipe.write(bytes) else { return .none }
        return .wait { [self] waiter in self.waiter = waiter }
    }

    /// The client takes more, or has left.
    private func goOn() {
        let waiter = waiter
        self.waiter = nil
        if pipe.isClosed, let hook {
            self.hook = nil
            return hook.cancel()
        }
        waiter?.resume { _ in 0 }
    }
}

extension TransportError {
    fileprivate static var endedScript: TransportError {
        TransportError(.internal, phase: .receive, message: "the script has ended")
    }
}
