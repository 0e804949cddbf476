/// The reason why there is no answer. The codes are few and fixed: they serve as labels of metrics and as
/// `cause.type` in scripts.
public struct TransportError: Error, Sendable, Equatable {
    /// The kind of error.
    public enum Code: String, Sendable, CaseIterable {
        /// The transport can't send to this URL.
        case invalidURL = "invalid_url"
        /// No connection could be made, or it broke.
        case connectionFailed = "connection_failed"
        /// The name of the host has no address.
        case dnsFailed = "dns_failed"
        /// TLS failed: for example, the certificate is not trusted.
        case tlsFailed = "tls_failed"
        /// A time limit ended the transfer; ``phase`` says which.
        case timeout
        /// The body, or the header, is larger than its limit.
        case tooLarge = "too_large"
        /// A transport that follows redirects itself gave up; the engine's limit is a cause of the same name.
        case tooManyRedirects = "too_many_redirects"
        /// A content encoding or transfer framing that can't be decoded.
        case decodingFailed = "decoding_failed"
        /// Too many requests wait already; made by the engine.
        case queueFull = "queue_full"
        /// The server fails too often, and no requests are sent to it for a while; made by the engine.
        case circuitOpen = "circuit_open"
        /// A limit has no slot for the request within the time that it may wait; made by the engine.
        case rateLimited = "rate_limited"
        /// The engine is offline, and there is no data; made by the engine.
        case offline
        /// Another failure of the transport.
        case `internal`
    }

    /// The phase of the transfer in which the error occurred; for ``Code/timeout`` also the limit that was
    /// exceeded.
    public enum Phase: String, Sendable {
        /// The name of the host is looked up.
        case dns
        /// The connection is made.
        case connect
        /// TLS is negotiated.
        case tls
        /// The request is sent.
        case send
        /// The request was sent, and no byte of the response has come.
        case firstByte = "first_byte"
        /// No byte came or went for some time.
        case idle
        /// The response is received.
        case receive
        /// The whole transfer.
        case total
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
    package var reason: String?
    /// The target that could not be reached: `host:port`, a proxy, the path of a socket. It is for operators
    /// of the host, and is not sent to clients.
    package var peer: String?

    /// Whether this process lacked a resource, for example file descriptors: the server is not the cause, and
    /// a later attempt may succeed.
    package let isShortage: Bool
    /// Whether a reused connection broke before the first byte of the answer: the server may have closed it
    /// before this request arrived. On a new connection the request is likely to succeed (RFC 9112 9.3.1).
    package let isStaleConnection: Bool
    /// When another request may be worthwhile, in Unix seconds; nil if unknown.
    public var retryAt: Double?

    /// An error of a transport. The values are those of the properties by the same names.
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
