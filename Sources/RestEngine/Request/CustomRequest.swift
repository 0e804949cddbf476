/// The work of a request that does not use the engine's network but code of the caller (rule 11.1). Make a
/// request of it with `init(engine:custom:)`.
@EngineActor
public protocol CustomRequest: AnyObject {
    /// Starts the work. Called at most once, when the request is started (11.2). Pass the outcome to
    /// `completion`, before this returns or at any later time. Without an outcome the request finally fails
    /// with `timeout`; see ``timeout``.
    func start(_ completion: RequestCompletion)

    /// Called when the request was cancelled after its start, or its time is over. Later outcomes have no
    /// effect.
    func cancel()

    /// The work of a repeat; by default this object again.
    func repeated() -> any CustomRequest

    /// 0…1. By default 0 until the end.
    var progress: Double { get }

    /// The interval at which ``progress`` is read; by default 50 milliseconds.
    var progressInterval: Duration { get }

    /// The time from the start to the outcome, after which the request fails with `timeout` (D33). Nil, the
    /// default: the configured time, ``Timeouts/total``, of the resource that the request loads, or the
    /// standard one.
    var timeout: Duration? { get }

    /// Where it was made, `file:line`, for the timeout error; nil: where its request was made.
    var origin: String? { get }

    /// The name of the request in logs.
    var description: String { get }
}

extension CustomRequest {
    public func cancel() {}
    public func repeated() -> any CustomRequest { self }
    public var progress: Double { 0 }
    public var progressInterval: Duration { .milliseconds(50) }
    public var timeout: Duration? { nil }
    public var origin: String? { nil }
    public var description: String { "custom request" }
}

/// Takes the outcome of a custom request. It keeps the request alive until then.
@EngineActor
public final class RequestCompletion {
    private var open: Request?
    package private(set) weak var request: Request?

    /// Called once when the request has ended, by an outcome or a cancellation.
    public var onEnd: (@EngineActor () -> Void)?
    /// Ends a request that does not end by itself.
    fileprivate weak var deadline: EngineTimer?

    init(_ request: Request) {
        open = request
        self.request = request
    }

    /// Whether another outcome would be ignored because there is one already (11.3).
    public var willIgnore: Bool { request.map { $0.state == .completed } ?? true }

    /// Ends the request. Hooks get the outcome unchanged: it does not go through a pipeline (11.7). A second
    /// outcome is ignored and logged (7.12).
    ///
    /// - Returns: False if it was ignored.
    @discardableResult
    public func complete(_ info: ResponseInfo) -> Bool {
        guard let request, request.complete(info) else { return false }
        close()
        return true
    }

    /// The same for new data or a failure.
    @discardableResult
    public func complete(_ response: Response) -> Bool { complete(ResponseInfo(response)) }

    func close() {
        open = nil
        deadline?.cancel()
        let notify = onEnd
        onEnd = nil
        notify?()
    }
}

extension Request {
    /// A request with work of the caller; it is not started (11.2).
    public convenience init(
        engine: Engine, custom: any CustomRequest, fileID: String = #fileID, line: Int = #line
    ) {
        self.init(engine: engine, work: CustomWork(custom, origin: custom.origin ?? "\(fileID):\(line)"))
    }
}

/// Runs a custom request as the work of a request.
@EngineActor
private final class CustomWork: RequestWork {
    private let custom: any CustomRequest
    private weak var completion: RequestCompletion?
    private let origin: String
    private var limit = Timeouts().totalSeconds

    init(_ custom: any CustomRequest, origin: String) {
        self.custom = custom
        self.origin = origin
    }

    func start(_ request: Request) {
        let completion = RequestCompletion(request)
        self.completion = completion
        let limit = request.timeLeft(of: totalSeconds)
        if limit < .infinity {
            // The waiting caller holds the request; the timer must not keep it alive.
            completion.deadline = request.engine.scheduler.after(limit) { [weak self, weak request] in
                if let request { self?.timeOut(request, after: limit) }
            }
        }
        WorkScope.currentWithinRequest.run { custom.start(completion) }
    }

    private func timeOut(_ request: Request, after limit: Double) {
        let error = RequestError(
            cause: .transport(timeout(limit)), timestamp: request.engine.scheduler.now)
        guard request.complete(ResponseInfo(.failure(error))) else { return }
        completion?.close()
        custom.cancel()
    }

    private func timeout(_ limit: Double) -> TransportError {
        TransportError(
            .timeout, phase: .total,
            message:
                "the custom request made at \(origin) did not complete within \(TransportError.inWords(seconds: limit))"
        )
    }

    func limitTime(to seconds: Double) { limit = seconds }

    var totalSeconds: Double { custom.timeout.map { Timeouts.seconds($0) } ?? limit }

    func cancel(isRunning: Bool) {
        guard isRunning else { return }
        completion?.close()
        custom.cancel()
    }

    /// True, because the caller's code may wait for any request.
    func mayWait(for request: Request) -> Bool { true }

    func repeated() -> any RequestWork { CustomWork(custom.repeated(), origin: origin) }
    /// The memory of the caller's own object is not counted.
    func heldBytes(beside known: Entity?) -> Int { 256 }
    var fraction: Double { custom.progress }
    var progressInterval: Double { custom.progressInterval.inSeconds }
    var description: String { custom.description }
}
