/// Sends requests. It knows nothing of pipelines, caches, redirects or retries: one request in, one answer
/// out.
@EngineActor
public protocol Transport: AnyObject, Sendable {
    /// Starts a transfer. `completion` is called exactly once, on the engine loop, never before this call
    /// returns, and never after ``Transfer/cancel()``.
    func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer
    /// What all its requests share; nil where nothing goes over a network.
    var options: TransportOptions? { get }
    /// The fields that a request has on the wire, with those that the transport adds.
    func fields(of request: TransportRequest) -> Headers
}

extension Transport {
    public var options: TransportOptions? { nil }
    public func fields(of request: TransportRequest) -> Headers { request.headers }
}

/// One request on its way.
@EngineActor
public protocol Transfer: AnyObject {
    /// Aborts the transfer; its completion is not called any more. No effect when it has ended.
    func cancel()
    /// Gives the body of a success to a receiver, in place of that of the request; false when an answer has
    /// begun to come.
    func giveBody(to receiver: any BodyReceiver) -> Bool
    /// Goes on with a body whose ``BodyReceiver`` wanted no more for a while. No effect on any other.
    func resume()
    /// How far it is.
    var progress: TransferProgress { get }
}

extension Transfer {
    public func giveBody(to receiver: any BodyReceiver) -> Bool { false }
    public func resume() {}
}

/// How a transfer ends. A type of its own, because for the first `Result` with an error of ours Swift's
/// runtime looks through all conformances in the program: a hundredth of a short command's time.
public enum TransportResult: Sendable {
    case success(TransportResponse)
    /// One reference, as a success is.
    indirect case failure(TransportError)

    /// Why there is no response.
    public var error: TransportError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The response; throws why there is none.
    public func get() throws(TransportError) -> TransportResponse {
        switch self {
        case .success(let response): return response
        case .failure(let error): throw error
        }
    }
}

/// Counters of a transfer in bytes of body; nil totals are unknown.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes of the request's body that have gone out.
    public var bytesSent: Int64 = 0
    /// The size of the request's body.
    public var bytesToSend: Int64?
    /// Bytes of the response's body that have come.
    public var bytesReceived: Int64 = 0
    /// What the response says of its size.
    public var bytesToReceive: Int64?

    public init() {}
}

/// An answer of a server, whatever its status, with its body decoded (gzip, br, zstd) and complete.
public struct TransportResponse: Sendable {
    /// One reference in place of five: a response is handed on from step to step and hardly ever changed;
    /// then it is made anew.
    private var storage: Storage

    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private struct Fields {
        var status: Int
        var httpVersion: String
        var headers: Headers
        var body: [UInt8]
        var timings: TransferTimings
        var remoteAddress: String?
        var bodyError: TransportError?
        var isDecoded = false
    }

    private mutating func change(_ edit: (inout Fields) -> Void) {
        var fields = storage.fields
        edit(&fields)
        storage = Storage(fields)
    }

    /// The status code, 100 to 999.
    public var status: Int {
        get { storage.fields.status }
        set { change { $0.status = newValue } }
    }
    /// `HTTP/1.1`, `HTTP/2`, …
    public var httpVersion: String {
        get { storage.fields.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }
    /// Of the final response (1xx are dropped), names as received, repeats kept. When the body was
    /// decompressed, Content-Encoding and Content-Length are left out.
    public var headers: Headers {
        get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    /// Empty when there was none (rule 5.17).
    public var body: [UInt8] {
        get { storage.fields.body }
        set { change { $0.body = newValue } }
    }
    /// Where the time went.
    public var timings: TransferTimings {
        get { storage.fields.timings }
        set { change { $0.timings = newValue } }
    }
    /// `address:port` of the other side; nil unless it was asked for.
    public var remoteAddress: String? {
        get { storage.fields.remoteAddress }
        set { change { $0.remoteAddress = newValue } }
    }

    /// Why the body of a response that is no success isn't there: it can't be decoded, or is too large. What
    /// its head says holds all the same; a success without its body is a failure of the transfer.
    public var bodyError: TransportError? {
        get { storage.fields.bodyError }
        set { change { $0.bodyError = newValue } }
    }

    /// The body is, or will be, another than that on the wire, of which Content-Range and ETag speak.
    package var isDecoded: Bool {
        get { storage.fields.isDecoded }
        set { change { $0.isDecoded = newValue } }
    }

    public init(
        status: Int, httpVersion: String = "HTTP/1.1", headers: Headers = Headers(), body: [UInt8] = [],
        timings: TransferTimings = TransferTimings()
    ) {
        storage = Storage(
            Fields(
                status: status, httpVersion: httpVersion, headers: headers, body: body, timings: timings))
    }
}

/// Where the time of a transfer went, in seconds from its start; zero for a phase that did not happen.
public struct TransferTimings: Sendable, Equatable {
    /// Waiting for a connection.
    public var queue: Double = 0
    /// Until the host's address was known.
    public var nameLookup: Double = 0
    /// Until the connection was made.
    public var connect: Double = 0
    /// Until TLS was agreed on.
    public var tls: Double = 0
    /// Until the response began.
    public var firstByte: Double = 0
    /// Until it was complete.
    public var total: Double = 0
    /// Bytes of body on the wire, before decoding.
    public var bytesReceived: Int64 = 0
    /// Bytes of the request: its head, which is counted as HTTP/1.1 writes it, and its body.
    public var bytesSent: Int64 = 0
    /// Those of the head among them.
    package var headBytesSent: Int64 = 0
    /// The connection was one of an earlier request.
    public var isConnectionReused = false

    public init() {}
}

/// Sends nothing and never answers: for an engine whose scripts are only looked at.
@EngineActor
public final class NullTransport: Transport {
    private final class NullTransfer: Transfer {
        func cancel() {}
        var progress: TransferProgress { TransferProgress() }
    }

    public nonisolated let options: TransportOptions?

    /// - Parameter options: What a transport in its place would have.
    public nonisolated init(options: TransportOptions? = nil) { self.options = options }

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        NullTransfer()
    }
}
