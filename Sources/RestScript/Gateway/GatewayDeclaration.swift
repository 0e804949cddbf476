/// What a script said about the gateway.
public struct GatewayDeclaration: Sendable, Equatable {
    public struct Exposure: Sendable, Equatable {
        /// Globs on the path behind the service's name; nil: all.
        public var paths: [String]?
        public var methods: [String]
    }

    /// What clients may use; nil: as usual. Times are in seconds.
    public struct Limits: Sendable, Equatable {
        public var connections: Int?
        /// Of a request line and its header fields together.
        public var headerBytes: Int?
        /// Of a request's path and query.
        public var targetBytes: Int?
        public var headerTimeout: Double?
        public var idleTimeout: Double?
        /// Of a request's body, in bytes.
        public var bodyBytes: Int?
    }

    /// `host:port` or `unix:/path`; empty: the usual one.
    public var listen: [String] = []
    /// Names of clients' headers that go to the API.
    public var forwardedHeaders: [String] = []
    /// Names of the API's headers that go to clients, beside the usual ones.
    public var keptHeaders: [String] = []
    /// By service; nil: every service, GET and HEAD.
    public var expose: [String: Exposure]?
    public var bearerToken: String?
    /// Seconds from a request to its answer; nil leaves it to the time-outs of what is asked for.
    public var timeout: Double?
    /// Names in Host that are answered beside the addresses' own.
    public var serverNames: [String] = []
    public var limits = Limits()
    /// Each answer is a line of the log.
    public var logsAccess = false
    /// Where the script says it.
    public var file: String?
    public var line: Int?
}
