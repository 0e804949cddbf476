/// Sends requests. It has no pipelines, caches, redirects or retries: one request gets one answer.
@EngineActor
public protocol Transport: AnyObject, Sendable {
    /// Starts a transfer. `completion` is called exactly once, on the engine loop, never before this call
    /// returns, and never after ``Transfer/cancel()``.
    func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer
    /// The options of all its requests; nil if it uses no network.
    var options: TransportOptions? { get }
    /// The header fields of a request as sent, including those that the transport adds.
    func fields(of request: TransportRequest) -> Headers
}

extension Transport {
    public var options: TransportOptions? { nil }
    public func fields(of request: TransportRequest) -> Headers { request.headers }
}

/// One request in flight.
@EngineActor
public protocol Transfer: AnyObject {
    /// Aborts the transfer; its completion is not called. No effect if it has ended.
    func cancel()
    /// Delivers the body of a success to a receiver, instead of that of the request; false if an answer has
    /// begun to arrive.
    func giveBody(to receiver: any BodyReceiver) -> Bool
    /// Continues a body whose ``BodyReceiver`` has paused it. No effect otherwise.
    func resume()
    /// The progress of the transfer.
    var progress: TransferProgress { get }
}

extension Transfer {
    public func giveBody(to receiver: any BodyReceiver) -> Bool { false }
    public func resume() {}
}

/// The end of a transfer. It is a type of its own, because for the first `Result` with an error type of this
/// program Swift's runtime searches all conformances: a hundredth of the time of a short command.
public enum TransportResult: Sendable {
    /// The server's response, of any status.
    case success(TransportResponse)
    /// A reference, like a success.
    indirect case failure(TransportError)

    /// The reason why there is no response.
    public var error: TransportError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The response; throws the error if there is none.
    public func get() throws(TransportError) -> TransportResponse {
        switch self {
        case .success(let response): return response
        case .failure(let error): throw error
        }
    }
}

/// Counters of a transfer in bytes of the bodies; unknown totals are nil.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int64 = 0
    /// The size of the request's body.
    public var bytesToSend: Int64?
    /// Bytes of the response's body that were received.
    public var bytesReceived: Int64 = 0
    /// The size that the response states.
    public var bytesToReceive: Int64?

    /// Of a transfer that has not begun.
    public init() {}
}

/// An answer of a server, of any status, with its complete body, decoded (gzip, br, zstd).
public struct TransportResponse: Sendable {
    /// One reference instead of five: a response is passed on from step to step and rarely changed; a change
    /// makes a new one.
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
    /// The headers of the final response (1xx are dropped), with names as received, including repeats. If the
    /// body was decompressed, Content-Encoding and Content-Length are left out.
    public var headers: Headers {
        get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    /// Empty if there was none (rule 5.17).
    public var body: [UInt8] {
        get { storage.fields.body }
        set { change { $0.body = newValue } }
    }
    /// The times of the phases.
    public var timings: TransferTimings {
        get { storage.fields.timings }
        set { change { $0.timings = newValue } }
    }
    /// `address:port` of the other side; nil unless it was requested.
    public var remoteAddress: String? {
        get { storage.fields.remoteAddress }
        set { change { $0.remoteAddress = newValue } }
    }

    /// The reason why the body of a response that is no success is missing: it can't be decoded, or is too
    /// large. The head is valid all the same. A success without its body is a failure of the transfer.
    public var bodyError: TransportError? {
        get { storage.fields.bodyError }
        set { change { $0.bodyError = newValue } }
    }

    /// Whether the body differs, or will differ, from the one on the wire, to which Content-Range and ETag
    /// refer.
    package var isDecoded: Bool {
        get { storage.fields.isDecoded }
        set { change { $0.isDecoded = newValue } }
    }

    /// A response. The values are those of the properties by the same names.
    public init(
        status: Int, httpVersion: String = "HTTP/1.1", headers: Headers = Headers(), body: [UInt8] = [],
        timings: TransferTimings = TransferTimings()
    ) {
        storage = Storage(
            Fields(
                status: status, httpVersion: httpVersion, headers: headers, body: body, timings: timings))
    }
}

/// When the phases of a transfer ended, in seconds from its start; zero for a phase that did not occur.
public struct TransferTimings: Sendable, Equatable {
    package var queueSeconds = 0.0
    package var nameLookupSeconds = 0.0
    package var connectSeconds = 0.0
    package var tlsSeconds = 0.0
    package var firstByteSeconds = 0.0
    package var totalSeconds = 0.0

    /// The wait for a connection.
    public var queue: Duration { Duration(inSeconds: queueSeconds) }
    /// Until the host's address was known.
    public var nameLookup: Duration { Duration(inSeconds: nameLookupSeconds) }
    /// Until the connection was made.
    public var connect: Duration { Duration(inSeconds: connectSeconds) }
    /// Until the TLS handshake was complete.
    public var tls: Duration { Duration(inSeconds: tlsSeconds) }
    /// Until the response began.
    public var firstByte: Duration { Duration(inSeconds: firstByteSeconds) }
    /// Until it was complete.
    public var total: Duration { Duration(inSeconds: totalSeconds) }
    /// Bytes of body on the wire, before decoding.
    public var bytesReceived: Int64 = 0
    /// Bytes of the request: its head, counted as in HTTP/1.1, and its body.
    public var bytesSent: Int64 = 0
    /// Bytes of the head among them.
    package var headBytesSent: Int64 = 0
    /// Whether the connection was used by an earlier request.
    public var isConnectionReused = false

    /// Of a transfer that took no time.
    public init() {}
}

/// Sends no request and never answers: for an engine whose scripts are only checked.
@EngineActor
package final class NullTransport: Transport {
    private final class NullTransfer: Transfer {
        func cancel() {}
        var progress: TransferProgress { TransferProgress() }
    }

    package nonisolated let options: TransportOptions?

    /// - Parameter options: The options that a real transport would have.
    package nonisolated init(options: TransportOptions? = nil) { self.options = options }

    package func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        NullTransfer()
    }
}
