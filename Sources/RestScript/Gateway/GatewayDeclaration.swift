/// What a script said about the gateway.
public struct GatewayDeclaration: Sendable, Equatable {
    public struct Exposure: Sendable, Equatable {
        /// Globs on the path behind the service's name; nil: all.
        public var paths: [String]?
        public var methods: [String]
    }

    /// `host:port` or `unix:/path`.
    public var listen: String?
    /// By service; nil: every service, GET and HEAD.
    public var expose: [String: Exposure]?
    public var bearerToken: String?
    /// Seconds for one request.
    public var timeout: Double?
    /// Names in Host that are answered beside the addresses' own.
    public var serverNames: [String] = []
    /// Where the script says it.
    public var file: String?
    public var line: Int?
}
