/// What one client, and all of them together, may use. Times are in seconds.
public struct GatewayLimits: Sendable, Equatable {
    /// Request line and header fields together.
    public var maxHeaderBytes = 16 << 10
    public var maxTargetBytes = 8 << 10
    public var maxConnections = 10_000
    /// A connection between two requests, or whose client doesn't read its answer.
    public var idleTimeout: Double = 60
    /// From the first byte of a request to the last of its head.
    public var headerTimeout: Double = 10
    /// How long health waits for the engine before it reports that the engine is busy.
    public var healthTimeout: Double = 0.05
    /// How long other `/-/` routes wait for the engine; a reload takes as long as it takes.
    public var controlTimeout: Double = 10

    public init() {}
}
