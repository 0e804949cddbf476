/// Why there is no answer. The codes are few and fixed: they serve as metric labels and as `cause.type` in
/// scripts.
public struct TransportError: Error, Sendable, Equatable {
    /// What happened to a transfer.
    public enum Code: String, Sendable, CaseIterable {
        case invalidURL = "invalid_url"
        case connectionFailed = "connection_failed"
        case dnsFailed = "dns_failed"
        case tlsFailed = "tls_failed"
        case timeout
        case tooLarge = "too_large"
        /// A transport that follows redirects by itself gave up; the engine's own are the cause of that name.
        case tooManyRedirects = "too_many_redirects"
        /// A content encoding or transfer framing that can't be decoded.
        case decodingFailed = "decoding_failed"
        case queueFull = "queue_full"
        /// The server fails too often, and nothing is sent there for a while; the engine's own.
        case circuitOpen = "circuit_open"
        /// A limit has no turn for the request in the time that it may wait; the engine's own.
        case rateLimited = "rate_limited"
        /// Nothing may be sent, and there is no data; the engine's own.
        case offline
        case `internal`
    }

    /// In which part of the transfer it happened; for ``Code/timeout`` also which limit was hit.
    public enum Phase: String, Sendable {
        case dns, connect, tls
        case send
        case firstByte = "first_byte"
        case idle, receive, total
        /// It waited for one of the engine's limits.
        case queue
    }

    /// What happened, for programs.
    public var code: Code
    /// Nil where it doesn't matter.
    public var phase: Phase?
    /// One sentence for people, without URL, headers or body.
    public var message: String
    /// For ``Code/tooLarge``: the limit in bytes.
    public var limit: Int?
    /// Why, where the system or the other side said so: "connection refused".
    public var reason: String?
    /// What could not be reached: `host:port`, a proxy, the path of a socket. For those who run the host
    /// alone, clients are not told.
    public var peer: String?

    /// It was this process that lacked something, file descriptors for example: the server is not to blame,
    /// and a later try may do better.
    public let isShortage: Bool
    /// The connection was one of an earlier request, and broke before a byte of the answer came: the server
    /// may have closed it before this request reached it. On a fresh connection the same is likely to succeed
    /// (RFC 9112 9.3.1).
    public let isStaleConnection: Bool
    /// When it may be worth while to ask again, in Unix seconds; nil where nobody knows.
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
    /// A file of the body could be read when the request was made, and can't be now.
    public init(_ failure: FileError) {
        self.init(.internal, phase: .send, message: "\(failure)")
    }
}
