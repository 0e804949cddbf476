import LuaRuntime
import Platform
import RestEngine

/// `rest.custom_request{ start =, cancel =, progress = }` (rules 11).
struct CustomRequestBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: [customRequest]) }

    private var customRequest: ModuleFunction {
        ModuleFunction(
            "custom_request", "(options: { ... }) -> request",
            "A request whose work is done by functions of the script; not started.",
            options: CustomRequestOptions.schema.descriptions
        ) { call in
            let options = try call.options(1)
            var given = CustomRequestOptions()
            try options.read(CustomRequestOptions.schema, into: &given)
            let start = try options.required("start", given.start)
            let origin = call.place
            let custom = ScriptCustomRequest(
                context, start: start, cancel: given.cancel, progress: given.progress,
                timeout: given.timeout.map { Duration(inSeconds: $0 > 0 ? $0 : .infinity) },
                origin: origin ?? start.place)
            values.push(Request(engine: engine, custom: custom), on: call.lua)
            return .one
        }
    }
}

/// The options of `rest.custom_request`.
private struct CustomRequestOptions {
    var start: ScriptFunction?
    var cancel: ScriptFunction?
    var progress: ScriptFunction?
    /// The timeout in seconds.
    var timeout: Double?

    static let schema = ScriptSchema<CustomRequestOptions>([
        .function(
            "start", type: "function(complete)",
            "Begins the work. Its argument is `complete(response | entity | error) -> boolean`, which it calls once."
        ) { $0.start = $1 }.required(),
        .function("cancel", type: "function()", "Ends the work.") { $0.cancel = $1 },
        .function("progress", type: "function() -> number", "The progress of the work, from 0 to 1.") {
            $0.progress = $1
        },
        .number(
            "timeout",
            "Time in which `complete` has to be called, 0 for any; without it that of `c.timeouts.total`."
        ) { options, seconds in
            guard seconds >= 0 else { throw OptionFault("is 0 seconds or more") }
            options.timeout = seconds
        }.taking(unit: "seconds", "0 or more"),
    ])
}

/// The work of a custom request, done by functions of the script. `start` and `cancel` may wait.
@EngineActor
final class ScriptCustomRequest: CustomRequest, ScriptActivity {
    private weak var context: ScriptContext?
    private let startFunction: ScriptFunction
    private let cancelFunction: ScriptFunction?
    private let progressFunction: ScriptFunction?
    let timeout: Duration?
    let origin: String?
    private weak var completion: RequestCompletion?
    private weak var request: Request?
    private var lastProgress = 0.0
    private var hasProgressFailed = false

    init(
        _ context: ScriptContext, start: ScriptFunction, cancel: ScriptFunction?, progress: ScriptFunction?,
        timeout: Duration?, origin: String?
    ) {
        self.context = context
        startFunction = start
        cancelFunction = cancel
        progressFunction = progress
        self.timeout = timeout
        self.origin = origin
    }

    func start(_ completion: RequestCompletion) {
        guard let context, !context.isClosed else {
            completion.complete(.failure(RequestError(thrown: ScriptContext.closed, timestamp: 0)))
            return
        }
        self.completion = completion
        request = completion.request
        // The request is registered, so that it ends when its script is closed.
        context.jobs.add(self)
        completion.onEnd = { [weak context, self] in context?.jobs.remove(self) }
        // Jobs that `start` spawns are part of the request's work.
        let outer = context.jobs.startingRequest
        context.jobs.startingRequest = self
        defer { context.jobs.startingRequest = outer }
        context.runner.run(startFunction.reference) { lua in
            lua.push(function: answer(completion, context), name: "complete")
            return 1
        } completion: { [weak context, description] _, result in
            guard let context, case .failure(let error) = result else { return }
            if !Self.fail(completion, error, context) {
                context.runner.report(error, in: "start of \(description)")
            }
        }
    }

    /// Called when a job that `start` spawned has failed. False when that has no effect any more.
    func jobFailed(_ error: LuaError) -> Bool {
        guard let completion, let context, error.kind != .cancelled else { return false }
        return Self.fail(completion, error, context)
    }

    private static func fail(
        _ completion: RequestCompletion, _ error: LuaError, _ context: ScriptContext
    ) -> Bool {
        guard !completion.willIgnore else { return false }
        let cause = ScriptFailures.requestCause(of: error, in: context.values)
        return completion.complete(
            .failure(RequestError(thrown: cause, timestamp: context.engine.scheduler.now)))
    }

    /// `complete(response)`. It returns true when the outcome was taken.
    private func answer(_ completion: RequestCompletion, _ context: ScriptContext) -> HostFunction {
        hostFunction { [unowned context] call in
            call.lua.push(completion.complete(try context.values.response(call, 1, "response")))
            return .one
        }
    }

    func cancel() {
        // A completion that was released does not call `onEnd`.
        context?.jobs.remove(self)
        // The script is being closed, so its cancel function does not run.
        if let context, context.isClosed {
            completion?.complete(
                .failure(RequestError(cause: .requestCancelled, timestamp: context.engine.scheduler.now)))
            // The script may have lost its `complete`. The request would then never end.
            if completion == nil { request?.cancel() }
        }
        guard let context, !context.isClosed, let cancelFunction else { return }
        context.runner.run(cancelFunction.reference, as: "cancel of \(self.description)") { _ in 0 }
    }

    func repeated() -> any CustomRequest {
        guard let context else { return self }
        return ScriptCustomRequest(
            context, start: startFunction, cancel: cancelFunction, progress: progressFunction,
            timeout: timeout,
            origin: origin)
    }

    /// The last valid number. When the function fails, the first failure is logged.
    var progress: Double {
        guard let context, let progressFunction, !context.isClosed, !hasProgressFailed else {
            return lastProgress
        }
        do {
            lastProgress = try context.runner.call(
                progressFunction.reference, phase: context.phases.progress, arguments: { _ in 0 }
            ) { lua in
                if let number = lua.number(-1), !number.isNaN { return number }
                throw progressFunction.failure(
                    "a progress function returned \(lua.nameOfResult(-1)) where it must return a number from 0 to 1"
                )
            }
        } catch {
            hasProgressFailed = true
            context.values.report(
                RequestError(thrown: error, timestamp: context.engine.scheduler.now),
                in: "progress of \(description)")
        }
        return lastProgress
    }

    var description: String { "custom request" + (startFunction.place.map { " at \($0)" } ?? "") }
}
