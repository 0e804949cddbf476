import LuaRuntime
import RestEngine

/// `rest.stream`.
struct StreamBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "stream",
                "(request: request | definition, fn: function(chunk: string)) -> entity | nil, error",
                """
                Calls fn with each decoded piece of a success's body as it arrives, and waits for the end, whose entity has no content. fn may wait: the \
                server then waits, too. An error that fn raises ends the request and is its error.
                """
            ) { call in
                try context.runner.requireUnclosed(for: "rest.stream")
                let function = try call.function(2, "fn")
                let request = try request(call)
                let stream = ScriptStream(context, request, function)
                guard request.giveBody(to: stream) else {
                    throw LuaUsageError(
                        "a request can be streamed as long as no answer has come, and if it asks a server: give rest.stream a definition, or a request as soon as it is made"
                    )
                }
                return .wait { waiter in stream.wait(waiter) }
            }
        ])
    }

    private func request(_ call: Arguments) throws -> Request {
        if let definition = call.lua.object(call.slot(1), as: ScriptDefinition.self) {
            return definition.definition.send()
        }
        return try call.object(1, "request", as: Request.self)
    }
}

/// Delivers a body to a function of a script, one piece after the other.
@EngineActor
final class ScriptStream: BodyReceiver {
    private let context: ScriptContext
    /// Nil after the end, because the work of the request holds this object for repeats.
    private var request: Request?
    private let function: LuaReference
    private weak var transfer: (any Transfer)?
    private var waiter: LuaWaiter?
    /// The job that runs the function for a piece.
    private var job: ScriptJob?
    /// True while the function is called and has not begun to wait.
    private var isCalling = false
    private var failure: RequestError?

    init(_ context: ScriptContext, _ request: Request, _ function: LuaReference) {
        self.context = context
        self.request = request
        self.function = function
    }

    /// Starts the request unless it has started, and resumes the waiter at its end.
    func wait(_ waiter: LuaWaiter) {
        self.waiter = waiter
        // The state cancels a waiter on the engine loop.
        waiter.onCancel = onLoop { [weak self] in self?.cancel() }
        guard let request else { return }
        request.onCompletion { [self] info in
            self.request = nil
            self.waiter = nil
            if let error = failure ?? info.response.error { return context.runner.fail(waiter, error) }
            waiter.resume(
                onLoop { [context] (lua: Lua) in context.values.pushOutcome(info.response, on: lua) })
        }
        request.start()
    }

    private func cancel() {
        job?.cancel()
        request?.cancel()
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) { self.transfer = transfer }

    func receive(_ bytes: [UInt8]) -> Bool {
        guard failure == nil, let waiter else { return true }
        let lua = context.state.main
        lua.push(bytes: bytes)
        let chunk = lua.reference(-1)
        lua.pop()
        let job = ScriptJob(context, gatherer: waiter) { [weak self] job in self?.ended(job) }
        self.job = job
        isCalling = true
        job.start(function, [chunk])
        isCalling = false
        return self.job == nil
    }

    private func ended(_ job: ScriptJob) {
        self.job = nil
        if case .failure(let error)? = job.outcome {
            failure = context.values.requestError(of: error)
            request?.cancel()
            return
        }
        if !isCalling { transfer?.resume() }
    }
}
