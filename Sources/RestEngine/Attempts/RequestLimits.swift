import Platform

/// How many requests may be in flight at once, and how many may start within some time (rules 42).
public struct RequestLimits: Sendable, Equatable {
    /// A number of requests in a period of time.
    public struct Rate: Sendable, Equatable {
        /// The number of requests that may start within the period.
        public var requests: Int
        package var perSeconds: Double
        /// How many requests may start at once after a pause; nil: as many as ``requests``.
        public var burst: Int?

        /// - Parameters:
        ///   - per: The period.
        ///   - burst: See ``burst``.
        ///   - requests: See ``requests``.
        public init(requests: Int, per: Duration = .seconds(1), burst: Int? = nil) {
            self.requests = requests
            perSeconds = per.inSeconds
            self.burst = burst
        }

        /// The period for the number of requests.
        public var per: Duration {
            get { Duration(inSeconds: perSeconds) }
            set { perSeconds = newValue.inSeconds }
        }
    }

    /// The requests that share one limit. The numbers of the request that came last apply to all.
    public enum Scope: Sendable, Hashable {
        /// Requests to one origin, of all services.
        case host
        /// Requests of one service, to all origins.
        case service
        /// Requests of one partition of a service (rules 77), to all origins.
        case partition
        /// All requests whose limits have this name.
        case named(String)
    }

    /// Requests in flight at once; nil for any number.
    public var inFlight: Int?
    /// Requests that may wait; nil: 1000. More fail with `queue_full`.
    public var queue: Int?
    package var queueSeconds: Double?
    /// The rate at which requests may start; nil for any rate.
    public var rate: Rate?
    /// The requests that share this limit.
    public var scope = Scope.host
    /// Whether the limit is that of all hosts with the same shared memory, together. Without such a memory it
    /// is this host's.
    public var isShared = false

    /// - Parameters are those of the properties; nil for no limit of that kind.
    public init(inFlight: Int? = nil, rate: Rate? = nil, scope: Scope = .host) {
        self.inFlight = inFlight
        self.rate = rate
        self.scope = scope
    }

    /// How long a request may wait; nil: ten seconds. After that it fails with `timeout`, phase `queue`.
    public var queueTimeout: Duration? {
        get { queueSeconds.map { Duration(inSeconds: $0) } }
        set { queueSeconds = newValue?.inSeconds }
    }

    /// The limits of this host: all, if hosts share them, or the part of this worker.
    @EngineActor
    func here(_ engine: Engine) -> RequestLimits {
        if isShared, engine.coordination != nil { return self }
        var part = part(of: engine.worker)
        part.isShared = false
        return part
    }

    /// The part of one worker. Where nothing is left for it, its requests fail at once.
    func part(of worker: WorkerNumber?) -> RequestLimits {
        guard let worker, worker.count > 1 else { return self }
        var part = self
        if let inFlight {
            let own = worker.part(of: inFlight)
            part.inFlight = own
            if own == 0 { part.queue = 0 }
        }
        if let rate {
            part.rate?.perSeconds = rate.perSeconds * Double(worker.count)
            part.rate?.burst = max(1, worker.part(of: rate.burst ?? rate.requests))
        }
        return part
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
        case .partition: "partition"
        case .named(let name): name
        }
    }
}
