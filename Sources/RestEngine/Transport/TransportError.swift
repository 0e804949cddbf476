/// The reason why there is no answer. The codes are few and fixed: they serve as labels of metrics and as
/// `cause.type` in scripts.
public struct TransportError: Error, Sendable, Equatable {
    /// The kind of error.
    public enum Code: String, Sendable, CaseIterable {
        case invalidURL = "invalid_url"
        case connectionFailed = "connection_failed"
        case dnsFailed = "dns_failed"
        case tlsFailed = "tls_failed"
        case timeout
        case tooLarge = "too_large"
        /// A transport that follows redirects itself gave up; the engine's limit is a cause of the same name.
        case tooManyRedirects = "too_many_redirects"
        /// A content encoding or transfer framing that can't be decoded.
        case decodingFailed = "decoding_failed"
        case queueFull = "queue_full"
        /// The server fails too often, and no requests are sent to it for a while; made by the engine.
        case circuitOpen = "circuit_open"
        /// A limit has no slot for the request within the time that it may wait; made by the engine.
        case rateLimited = "rate_limited"
        /// The engine is offline, and there is no data; made by the engine.
        case offline
        case `internal`
    }

    /// The phase of the transfer in which the error occurred; for ``Code/timeout`` also the limit that was
    /// exceeded.
    public enum Phase: String, Sendable {
        case dns, connect, tls
        case send
        case firstByte = "first_byte"
        case idle, receive, total
        /// The request waited for one of the engine's limits.
        case queue
    }

    /// The kind of error, for programs.
    public var code: Code
    /// Nil where it is irrelevant.
    public var phase: Phase?
    /// One sentence for people, without URL, headers or body.
    public var message: String
    /// For ``Code/tooLarge``: the limit in bytes.
    public var limit: Int?
    /// The reason, if the system or the other side gave one: "connection refused".
    public var reason: String?
    /// The target that could not be reached: `host:port`, a proxy, the path of a socket. It is for operators
    /// of the host, and is not sent to clients.
    public var peer: String?

    /// Whether this process lacked a resource, for example file descriptors: the server is not the cause, and
    /// a later attempt may succeed.
    public let isShortage: Bool
    /// Whether a reused connection broke before the first byte of the answer: the server may have closed it
    /// before this request arrived. On a new connection the request is likely to succeed (RFC 9112 9.3.1).
    public let isStaleConnection: Bool
    /// When another request may be worthwhile, in Unix seconds; nil if unknown.
    public var retryAt: Double?

    public init(
        _ code: Code, phase: Phase? = nil, message: String, limit: Int? = nil, reason: String? = nil,
        peer: String? = nil, isShortage: Bool = false, isStaleConnection: Bool = false,
        retryAt: Double? = nil
    ) {
        self.code = code
        self.phase = phase
        self.message = message
        self.limit = limit
        self.reason = reason
        self.peer = peer
        self.isShortage = isShortage
        self.isStaleConnection = isStaleConnection
        self.retryAt = retryAt
    }
}

extension TransportError: CustomStringConvertible {
    /// All that is known: "cannot connect to the server: connection refused (127.0.0.1:80)".
    public var description: String {
        message + (reason.map { ": \($0)" } ?? "") + (peer.map { " (\($0))" } ?? "")
    }
}

extension TransportError {
    /// A file of the body that could be read when the request was made can't be read now.
    public init(_ failure: FileError) {
        self.init(.internal, phase: .send, message: "\(failure)")
    }
}
