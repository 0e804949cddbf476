/// What a script said about the gateway.
public struct GatewayDeclaration: Sendable, Equatable {
    public struct AccessPolicy: Sendable, Equatable {
        /// Globs on the path behind the service's name; nil: all.
        public var paths: [String]?
        public var methods: [String]
    }

    public struct Rate: Sendable, Equatable {
        public var requests: Double
        /// Seconds.
        public var per: Double
        public var burst: Double?
    }

    /// One that clients may show; either its text or its hash.
    public struct Token: Sendable, Equatable {
        public var name: String
        public var text: String?
        public var sha256: [UInt8]?
        public var expose: [String: AccessPolicy]?
        /// It may ask what the host does.
        public var isOperator = false
    }

    /// Files in PEM.
    public struct TLS: Sendable, Equatable {
        public var certificate: String
        public var key: String
    }

    /// One that is known by a name in its certificate.
    public struct Client: Sendable, Equatable {
        public var name: String
        public var expose: [String: AccessPolicy]?
        /// It may ask what the host does.
        public var isOperator = false
    }

    /// Which pages of other origins may use it.
    public struct CORS: Sendable, Equatable {
        public var origins: [String]
        public var methods: [String] = []
        public var headers: [String] = []
        public var allowsCredentials = false
        public var maxAge: Int?
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
        /// How often one client may ask.
        public var perClient: Rate?
        /// Requests and streams that one client has under way.
        public var requestsPerClient: Int?
        public var streamsPerClient: Int?
        /// Of a request's body, in bytes.
        public var bodyBytes: Int?
        /// Of one that goes to an API as it comes, because it is longer than that.
        public var streamBodyBytes: Int?
    }

    /// `host:port` or `unix:/path`; empty: the usual one.
    public var listen: [String] = []
    /// Names of clients' headers that go to the API.
    public var forwardedHeaders: [String] = []
    /// Names of the API's headers that go to clients, beside the usual ones.
    public var keptHeaders: [String] = []
    /// By service; nil: every service, GET and HEAD.
    public var expose: [String: AccessPolicy]?
    public var bearerToken: String?
    public var tokens: [Token] = []
    /// File in PEM: whose signature a client's certificate has.
    public var clientAuthority: String?
    /// Nil: all whom that authority has signed.
    public var clients: [Client]?
    public var tls: TLS?
    /// Of single addresses; nil: none there.
    public var listenerTLS: [String: TLS?] = [:]
    public var cors: CORS?
    /// By address: what it shows in place of `expose`.
    public var listenerPolicy: [String: [String: AccessPolicy]] = [:]
    /// Addresses whose clients may ask what the host does.
    public var operatorListeners: Set<String> = []
    /// Modes of Unix sockets, by address.
    public var socketModes: [String: Int] = [:]
    /// Seconds from a request to its answer; nil leaves it to the time-outs of what is asked for.
    public var timeout: Double?
    /// Names in Host that are answered beside the addresses' own.
    public var serverNames: [String] = []
    public var limits = Limits()
    /// Each answer is a line of the log.
    public var logsAccess = false
    /// A function of the script's that answers a path.
    public struct Route: Sendable, Equatable {
        public var method: String
        public var path: String
        /// Seconds for which an answer to GET is kept.
        public var expirationTime: Double?
        public var handler: ScriptRoute
        public var file: String?
        public var line: Int?
    }

    public var routes: [Route] = []
    /// Where the script says it.
    public var file: String?
    public var line: Int?
}
