/// How many requests may be on their way at once, and how many in some time (rules 42).
public struct RequestLimits: Sendable, Equatable {
    /// So many requests in so long.
    public struct Rate: Sendable, Equatable {
        public var requests: Int
        package var perSeconds: Double
        /// How many may go out at once after a rest; nil: as many as ``requests``.
        public var burst: Int?

        public init(requests: Int, per: Duration = .seconds(1), burst: Int? = nil) {
            self.requests = requests
            perSeconds = per.inSeconds
            self.burst = burst
        }

        /// The time that the requests are for.
        public var per: Duration {
            get { Duration(inSeconds: perSeconds) }
            set { perSeconds = newValue.inSeconds }
        }
    }

    /// What shares one limit. The numbers of the request that came last count for all.
    public enum Scope: Sendable, Hashable {
        /// Requests to one origin, whichever service makes them.
        case host
        /// Requests of one service, wherever they go.
        case service
        /// All whose limits have this name.
        case named(String)
    }

    /// Requests on their way at once; nil for any number.
    public var inFlight: Int?
    /// Requests that may wait; nil: 1000. More fail with `queue_full`.
    public var queue: Int?
    package var queueSeconds: Double?
    /// Nil for any.
    public var rate: Rate?
    /// What shares this limit.
    public var scope = Scope.host

    public init(inFlight: Int? = nil, rate: Rate? = nil, scope: Scope = .host) {
        self.inFlight = inFlight
        self.rate = rate
        self.scope = scope
    }

    /// How long a request may wait; nil: ten seconds. Then it fails with `timeout`, phase `queue`.
    public var queueTimeout: Duration? {
        get { queueSeconds.map { Duration(inSeconds: $0) } }
        set { queueSeconds = newValue?.inSeconds }
    }

    static let standardQueue = 1000
    package static let standardQueueSeconds = 10.0

    var mostWaiting: Int { queue ?? Self.standardQueue }
    var longestWait: Double { queueSeconds ?? Self.standardQueueSeconds }
}

extension RequestLimits.Scope: CustomStringConvertible {
    public var description: String {
        switch self {
        case .host: "host"
        case .service: "service"
        case .named(let name): name
        }
    }
}
