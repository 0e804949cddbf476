/// What one client, and all of them together, may use. Times are in seconds.
public struct GatewayLimits: Sendable, Equatable {
    /// Request line and header fields together.
    public var maxHeaderBytes = 16 << 10
    public var maxTargetBytes = 8 << 10
    var maxHeaderFields = 128
    /// Fewer where the process may not have the descriptors for them: three quarters of those beyond 64. One more closes
    /// the clients that have been idle longest; when none is, it gets 503, but an answer to `/-/health`.
    public var maxConnections = 10_000
    /// A connection between two requests, or whose client doesn't take its answer.
    public var idleTimeout: Double = 60
    /// Bytes each second, on average over ``idleTimeout``, that a client takes of its answer: one that takes less holds its
    /// memory for nothing.
    var minAnswerRate = 8 << 10
    /// From the first byte of a request to the last of its head.
    public var headerTimeout: Double = 10
    /// From a request to its answer, in place of twice the total time of its resource's configuration
    /// (``RestEngine/Timeouts/total``); then it is answered with 504, and the load goes on for whoever asks next.
    public var requestTimeout: Double?

    public init() {}
}
