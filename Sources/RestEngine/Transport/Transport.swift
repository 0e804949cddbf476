/// Sends requests. It knows nothing of pipelines, caches, redirects or retries: one request in, one answer out.
@EngineActor
public protocol Transport: AnyObject {
    /// Starts a transfer. `completion` is called exactly once, on the engine loop, never before this call returns,
    /// and never after ``Transfer/cancel()``.
    func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer
}

/// One request on its way.
@EngineActor
public protocol Transfer: AnyObject {
    /// Aborts the transfer; its completion is not called any more. No effect when it has ended.
    func cancel()
    /// How far it is.
    var progress: TransferProgress { get }
}

/// How a transfer ends.
public typealias TransportResult = Result<TransportResponse, TransportError>

/// Counters of a transfer in bytes of body; nil totals are unknown.
public struct TransferProgress: Sendable, Equatable {
    /// Of the request's body.
    public var bytesSent: Int64 = 0
    /// The size of the request's body.
    public var bytesToSend: Int64?
    /// Of the response's body.
    public var bytesReceived: Int64 = 0
    /// What the response says of its size.
    public var bytesToReceive: Int64?

    public init() {}
}
