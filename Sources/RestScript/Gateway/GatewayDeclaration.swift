package import RestEngine

/// The gateway as a script declared it.
public struct GatewayDeclaration: Sendable, Equatable {
    public struct AccessPolicy: Sendable, Equatable {
        /// Globs on the path behind the service's name; nil means all paths.
        public var paths: [String]?
        public var methods: [String]
    }

    public struct Rate: Sendable, Equatable {
        public var requests: Double
        /// The time in seconds.
        public var per: Double
        public var burst: Double?

        package init(requests: Double, per: Double, burst: Double? = nil) {
            (self.requests, self.per, self.burst) = (requests, per, burst)
        }
    }

    /// A token that clients may send. It has either its text or its hash.
    public struct Token: Sendable, Equatable {
        public var name: String
        public var text: String?
        public var sha256: [UInt8]?
        public var expose: [String: AccessPolicy]?
        /// Clients with this token may request the host's status.
        public var isOperator = false
    }

    /// API keys in a header of their own.
    public struct Keys: Sendable, Equatable {
        public var header = "X-Api-Key"
        public var keys: [Token] = []
    }

    /// Tokens of an issuer.
    package struct JWT: Sendable, Equatable {
        package var issuer = ""
        package var audiences: [String] = []
        /// The URL or the file of the issuer's keys.
        package var keys = ""
        package var keysAreFile = false
        package var algorithms: Set<SignatureAlgorithm> = [.rs256, .es256, .edDSA]
        /// Seconds.
        package var clockSkew = 30.0
        package var required: [TokenRules.Required] = []
        package var expose: [String: AccessPolicy]?
        package var isOperator = false

        package init() {}
    }

    /// A client that is known by a name and a password.
    public struct User: Sendable, Equatable {
        public var name: String
        /// Of the password.
        public var hash = ""
        public var expose: [String: AccessPolicy]?
        /// This client may request the host's status.
        public var isOperator = false
    }

    /// The paths of PEM files.
    public struct TLS: Sendable, Equatable {
        public var certificate: String
        public var key: String
    }

    /// A client that is known by a name in its certificate.
    public struct Client: Sendable, Equatable {
        public var name: String
        public var expose: [String: AccessPolicy]?
        /// This client may request the host's status.
        public var isOperator = false
    }

    /// The rules for pages of other origins.
    public struct CORS: Sendable, Equatable {
        public var origins: [String]
        public var methods: [String] = []
        public var headers: [String] = []
        public var allowsCredentials = false
        public var maxAge: Int?
    }

    /// The limits for clients; nil means the default. Times are in seconds.
    public struct Limits: Sendable, Equatable {
        public var connections: Int?
        /// The most bytes of a request line together with its header fields.
        public var headerBytes: Int?
        /// The most bytes of a request's path and query.
        public var targetBytes: Int?
        public var headerTimeout: Double?
        public var idleTimeout: Double?
        /// The rate of requests for one client.
        public var perClient: Rate?
        /// The most requests and streams that one client may have in progress.
        public var requestsPerClient: Int?
        public var streamsPerClient: Int?
        /// The most bytes of a request's body that is held.
        public var bodyBytes: Int?
        /// Of one that goes to an API as it comes, because it is longer than that.
        public var streamBodyBytes: Int?

        /// With nothing in it.
        package static var unset: Limits { Limits() }
    }

    /// Addresses, `host:port` or `unix:/path`; empty means the default one.
    public var listen: [String] = []
    /// Names of client headers that are forwarded to the API.
    public var forwardedHeaders: [String] = []
    /// Those of them that are credentials of the client's own.
    public var forwardedCredentials: [String] = []
    /// Names of API headers that are sent to clients, beside the default ones.
    public var keptHeaders: [String] = []
    /// The access policy by service; nil means every service, with GET and HEAD.
    public var expose: [String: AccessPolicy]?
    public var bearerToken: String?
    public var tokens: [Token] = []
    /// Where streams of events may have their token; nil means in `Authorization` only.
    public var eventSource: EventSource?
    public var keys: Keys?
    package var jwt: JWT?
    public var users: [User] = []
    /// A PEM file. Certificates of clients must be signed by one of its certificates.
    public var clientAuthority: String?
    /// The clients that are let in; nil means all with a signed certificate.
    public var clients: [Client]?
    public var tls: TLS?
    /// TLS of single addresses; nil as the value means no TLS there.
    public var listenerTLS: [String: TLS?] = [:]
    public var cors: CORS?
    /// The access policy of single addresses, in place of `expose`.
    public var listenerPolicy: [String: [String: AccessPolicy]] = [:]
    /// Addresses and networks of proxies, and `unix`.
    public var trustedProxies: [String] = []
    /// Addresses whose connections begin with a header of the PROXY protocol.
    public var proxyProtocolListeners: Set<String> = []
    /// Addresses whose clients may request the host's status.
    public var operatorListeners: Set<String> = []
    /// The modes of Unix sockets, by address.
    public var socketModes: [String: Int] = [:]
    /// Seconds from a request to its answer; nil leaves it to the timeouts of the requested resource.
    public var timeout: Double?
    /// Names in Host that are accepted beside the addresses' own.
    public var serverNames: [String] = []
    public var limits = Limits()
    /// True when each answer is a line of the log.
    public var logsAccess = false
    /// A path that a function of the script answers.
    public struct Route: Sendable, Equatable {
        public var method: String
        /// Whether it was declared for `"*"`.
        public var isForAllMethods = false
        public var path: String
        /// Seconds for which an answer to GET is kept.
        public var expirationTime: Double?
        /// True if the function reads the body as it arrives.
        public var streamsBody = false
        public var handler: ScriptRoute
        public var file: String?
        public var line: Int?
    }

    /// True when clients have to show something.
    public var hasAuth: Bool {
        bearerToken != nil || !tokens.isEmpty || keys != nil || jwt != nil || !users.isEmpty
            || clientAuthority != nil
    }

    public var routes: [Route] = []

    /// A function that runs before or after requests below a path are answered.
    public struct Hook: Sendable, Equatable {
        public enum Stage: String, Sendable {
            case before, after
        }

        public var stage: Stage
        public var path: String
        /// Nil means all methods.
        public var methods: Set<String>?
        /// How often one client may send these requests.
        public var rate: Rate?
        /// Nil if there is only the rate.
        public var handler: ScriptGatewayHook?
        public var file: String?
        public var line: Int?
    }

    public var hooks: [Hook] = []
    /// The place of the declaration in the script.
    public var file: String?
    public var line: Int?
}
