import Platform
package import RestEngine

/// How a gateway listens, what it shows, and to whom.
public struct GatewayConfiguration: Sendable {
    /// `127.0.0.1:8080`, `[::1]:0` (port 0: the system chooses) or `unix:/path`.
    public var listen = ["127.0.0.1:8080"]
    /// Threads that serve connections; nil leaves one of the processors that this process may use to the
    /// engine, and takes one for each other.
    public var threads: Int?
    package var usedThreads: Int { max(1, threads ?? MachineProcessors.current.count - 1) }
    public var limits = GatewayLimits()
    /// Which paths and methods of which services are shown; nil: all paths of every service, to GET and HEAD.
    public var expose: [String: ExposeRule]?
    /// Clients must send it as `Authorization: Bearer …`, except to learn whether the gateway is alive.
    public var bearerToken: String?
    /// Further tokens, each with what it may reach.
    public var tokens: [GatewayToken] = []
    /// What a listener shows in place of ``expose``, by its text in ``listen``.
    public var listenerPolicy: [String: [String: ExposeRule]] = [:]
    /// Sockets that listen already, by their addresses: a service manager gave them to this process, which
    /// keeps them open.
    public var inheritedSockets: [String: Int32] = [:]
    /// Listeners whose clients are operators, by their text in ``listen``; see
    /// ``GatewayToken/isOperator``.
    public var operatorListeners: Set<String> = []
    /// Modes of the files of Unix sockets, by their text in ``listen``; else the process's umask decides.
    public var socketModes: [String: Int] = [:]
    /// Of all listeners but Unix sockets; nil: no TLS.
    public var tls: GatewayTLS?
    /// Of single listeners, by their text in ``listen``; nil: no TLS there.
    public var listenerTLS: [String: GatewayTLS?] = [:]
    /// Clients that are known by their certificate. Without tokens nobody else is let in.
    public var clientCertificates: GatewayClientCertificates?
    /// Which pages of other origins may use it; nil: none.
    public var cors: GatewayCORS?
    /// Names for the Host header beside the loopback names and the listener's address.
    public var serverNames: [String] = []
    /// It takes commands, shows no resources, and is for Unix sockets, which nobody else can open: mode 0600;
    /// with a token it may be on the loopback as well.
    public var isForAdmins = false
    /// Called on a network thread after each answer; must be quick.
    public var accessLog: (@Sendable (AccessRecord) -> Void)?
    /// Gets each request that was answered, as a span of a trace which is recorded; but not what the host was
    /// asked of itself, nor what came from memory for clients that trace nothing. Called on a network thread;
    /// must be quick. Nil: no spans are made.
    package var spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    /// Called on a network thread, once a minute at most for each kind; must be quick.
    public var onShortage: (@Sendable (GatewayShortage) -> Void)?
    /// What the gateway counts; those of one host may share it. Nil: its own.
    public var metrics: GatewayMetrics?
    /// Seconds that health waits for the engine before it reports that the engine is busy.
    var healthTimeout: Double = 0.05
    /// Seconds that other `/-/` routes wait for the engine; a reload takes as long as it takes.
    var controlTimeout: Double = 10
    /// Unix time in seconds, for dates.
    public var clock: @Sendable () -> Double = { ClockReading.timeOfDay }
    /// Seconds on a clock that nobody sets, the same as the engine's, for durations and ages.
    var uptime: @Sendable () -> Double = { ClockReading.timeSinceBoot }

    /// Names of clients' headers that go to the API, beside what always does: what is said of a body, and
    /// preconditions of what is no read. A read that has one is a request of its own: nobody else gets its
    /// answer, and it is kept nowhere.
    public var forwardedHeaders: [String] = []
    /// Names of the API's headers that go to clients, beside ``ForwardedHeaders/usual``.
    public var keptHeaders: [String] = []

    /// What the gateway answers by itself, before it looks for services.
    package var routes: [GatewayRoute] = []

    public init() {}

    /// What a running gateway can be changed by, see ``Gateway/prepare(_:)``: the other members say how it
    /// was started.
    public init(listen: [String], expose: [String: ExposeRule]? = nil, bearerToken: String? = nil) {
        self.listen = listen
        self.expose = expose
        self.bearerToken = bearerToken
    }

    func mayTakeCommands(at address: ListenAddress) -> Bool {
        switch address {
        case .unix: true
        case .ip(let host, _): bearerToken != nil && (host == "127.0.0.1" || host == "::1")
        }
    }

    /// Throws what is wrong with it, before anything is started.
    public func check() throws(GatewayError) {
        _ = try ListenAddress.list(listen)
        _ = try AccessPolicy(expose)
        _ = try RouteTable(routes)
        if let validationError = cors?.validationError { throw .badCORS(validationError) }
        for rules in listenerPolicy.values { _ = try AccessPolicy(rules) }
        for token in tokens { _ = try AccessPolicy(token.expose) }
        for client in clientCertificates?.clients ?? [] { _ = try AccessPolicy(client.expose) }
        _ = try ListenerSecrets(self)
        for name in forwardedHeaders {
            if let why = ForwardedHeaders.validationError(toForwarding: name) { throw .badHeader(why) }
        }
        for name in keptHeaders {
            if let why = ForwardedHeaders.validationError(toKeeping: name) { throw .badHeader(why) }
        }
    }
}

/// What one client, and all of them together, may use. Times are in seconds.
public struct GatewayLimits: Sendable, Equatable {
    /// Request line and header fields together.
    public var maxHeaderBytes = 16 << 10
    public var maxTargetBytes = 8 << 10
    var maxHeaderFields = 128
    /// Of a request's body, as it comes; a longer one is refused with 413.
    public var maxBodyBytes = 16 << 20
    /// The same of a body that goes to an API as it comes, which is one that is longer than ``maxBodyBytes``
    /// (rules 69). 0: none is longer.
    public var maxStreamedBodyBytes = 0
    var longestBody: Int { max(maxBodyBytes, maxStreamedBodyBytes) }
    /// Bytes each second, on average beyond ``idleTimeout``, that a client sends of its request's body.
    var minBodyRate = 1 << 10
    /// How often one client, by its token or else its address, may ask; more is 429. Nil: as often as it
    /// wants.
    public var perClient: GatewayRate?
    /// Requests that one client has under way at once, but what is answered from memory; more is 429. Nil: as
    /// many as it wants.
    public var requestsPerClient: Int?
    /// The same for streams of events; nil: a quarter of the connections that there may be, so that no client
    /// has all of them.
    public var streamsPerClient: Int?
    var usualStreams: Int {
        max(1, min(maxConnections, ConnectionRoom.share(of: DescriptorLimit.current)) / 4)
    }
    /// Fewer where the process may not have the descriptors for them: three quarters of those beyond 64. One
    /// more closes the clients that have been idle longest; when none is, it gets 503, but an answer to
    /// `/-/health`.
    public var maxConnections = 10_000
    /// A connection between two requests, or whose client doesn't take its answer.
    public var idleTimeout: Double = 60
    /// Bytes each second, on average over ``idleTimeout``, that a client takes of its answer: one that takes
    /// less holds its memory for nothing.
    var minAnswerRate = 8 << 10
    /// From the first byte of a request to the last of its head, and from a connection to the end of its
    /// handshake of TLS.
    public var headerTimeout: Double = 10
    /// From a request to its answer, in place of twice the total time of its resource's configuration
    /// (``RestEngine/Timeouts/total``); then it is answered with 504, and the load goes on for whoever asks
    /// next.
    public var requestTimeout: Double?

    public init() {}
}

/// One answered request, for an access log or a trace.
public struct AccessRecord: Sendable {
    /// Address of the other end, which may be a proxy; nil on a Unix socket.
    public var client: String?
    /// `-` for bytes that were no request.
    public var method: String
    /// As the client sent it, query included.
    public var target: String
    public var status: Int
    /// Bytes of the body as they were sent, without the head.
    public var bytes: Int
    /// Seconds from the end of the request's head to the hand-over of the answer to the socket.
    public var duration: Double
    /// Unix time of that hand-over.
    public var endedAt: Double

    package init(
        client: String?, method: String, target: String, status: Int, bytes: Int, duration: Double,
        endedAt: Double
    ) {
        self.client = client
        self.method = method
        self.target = target
        self.status = status
        self.bytes = bytes
        self.duration = duration
        self.endedAt = endedAt
    }
}
