import Platform
package import RestEngine

/// The configuration of a gateway: addresses, resources and clients.
public struct GatewayConfiguration: Sendable {
    /// `127.0.0.1:8080`, `[::1]:0` (port 0: the system chooses) or `unix:/path`.
    public var listen = ["127.0.0.1:8080"]
    /// Threads that serve connections. Nil takes one for each processor that the process may use, and leaves
    /// one processor to the engine.
    public var threads: Int?
    package var usedThreads: Int { max(1, threads ?? MachineProcessors.current.count - 1) }
    public var limits = GatewayLimits()
    /// The paths and methods of services that clients may use; nil: all paths of every service, with GET and
    /// HEAD.
    public var expose: [String: ExposeRule]?
    /// The token that clients must send as `Authorization: Bearer …`. Liveness checks need none.
    public var bearerToken: String?
    /// Further tokens, each with its own access.
    public var tokens: [GatewayToken] = []
    /// Where streams of events may have their token; nil: in `Authorization` only.
    public var eventCredentials: EventCredentials?
    /// API keys in a header of their own; nil: none.
    public var apiKeys: GatewayKeys?
    /// Proxies whose statements about their clients count: addresses, networks such as `10.0.0.0/8`, and
    /// `unix` for Unix sockets.
    public var trustedProxies: [String] = []
    /// Listeners whose connections begin with a header of the PROXY protocol, by their text in ``listen``.
    /// Only ``trustedProxies`` may connect there.
    public var proxyProtocolListeners: Set<String> = []
    /// Clients that show a name and a password.
    public var users: [GatewayUser] = []
    /// Tokens of an issuer; nil: none.
    public var jwt: GatewayJWT?
    /// Fetches the keys of the tokens' issuer, if they are at a URL.
    public var fetchKeys: GatewayKeyFetch?
    /// Called on any thread when the keys could not be loaded, once in 10 seconds at most.
    public var onKeyFailure: (@Sendable (String) -> Void)?
    /// Clients may show something that they know. Otherwise only a certificate can identify them.
    var takesSecrets: Bool {
        bearerToken != nil || !tokens.isEmpty || apiKeys != nil || jwt != nil || !users.isEmpty
    }
    /// Rules of a listener in place of ``expose``, by its text in ``listen``.
    public var listenerPolicy: [String: [String: ExposeRule]] = [:]
    /// Sockets that already listen, by their addresses. A service manager gave them to this process, and
    /// keeps them open.
    public var inheritedSockets: [String: Int32] = [:]
    /// Sockets that several processes listen on, by their addresses. They are open as long as this process
    /// uses their address.
    package var sharedSockets: [String: SharedSocket] = [:]
    /// The other workers of the host, for which the routes under `/-/` answer, too; nil if there are none.
    package var peers: (any GatewayPeers)?
    /// Listeners whose clients are operators, by their text in ``listen``; see ``GatewayToken/isOperator``.
    public var operatorListeners: Set<String> = []
    /// Modes of Unix sockets' files, by their text in ``listen``. Without one the process's umask decides.
    public var socketModes: [String: Int] = [:]
    /// TLS of all listeners except Unix sockets; nil: no TLS.
    public var tls: GatewayTLS?
    /// TLS of single listeners, by their text in ``listen``; nil: no TLS there.
    public var listenerTLS: [String: GatewayTLS?] = [:]
    /// Clients that are identified by their certificate. Without tokens no other clients are accepted.
    public var clientCertificates: GatewayClientCertificates?
    /// The pages of other origins that may use the gateway; nil: none.
    public var cors: GatewayCORS?
    /// Accepted names in Host besides the loopback names and the listener's address.
    public var serverNames: [String] = []
    public var audience = Audience.clients
    /// Operators ask elsewhere, so this gateway keeps `/-/health` and `/-/ready` of the routes below `/-/`.
    public var hasOperatorsElsewhere = false
    /// Called on a network thread after each answer. It must be quick.
    public var accessLog: (@Sendable (AccessRecord) -> Void)?
    /// Gets the span of each answered request whose trace is recorded. Requests about the host get no span,
    /// nor do answers from memory to clients without a trace. Called on a network thread; must be quick. Nil:
    /// no spans are made.
    package var spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    /// Called on a network thread, once a minute at most for each kind. It must be quick.
    public var onShortage: (@Sendable (GatewayShortage) -> Void)?
    /// Gets failures that clients got: of the script, of the host and of APIs (rules 73).
    public var onFailure: (@EngineActor @Sendable (GatewayFailure) -> Void)?
    /// Clients get the message and the line of an error of the script.
    public var showsScriptErrors = false
    /// The gateway's metrics. Gateways of one host may share them. Nil: its own.
    public var metrics: GatewayMetrics?
    /// Seconds that health waits for the engine before it reports that the engine is busy.
    var healthTimeout: Double = 0.05
    /// Seconds that other `/-/` routes wait for the engine. A reload has no such limit.
    var controlTimeout: Double = 10
    /// Unix time in seconds, for dates.
    public var clock: @Sendable () -> Double = { ClockReading.timeOfDay }
    /// Seconds on a monotonic clock, the same as the engine's, for durations and ages.
    var uptime: @Sendable () -> Double = { ClockReading.timeSinceBoot }

    /// Names of clients' headers that go to the API, besides the fields that describe a body and the
    /// preconditions of changes. A read with such a header is a request of its own: no other client gets its
    /// answer, and it isn't cached.
    public var forwardedHeaders: [String] = []
    /// Those of them that are a client's own credentials for the API: each combination of their values has a
    /// partition of its own (rules 77).
    public var forwardedCredentials: [String] = []
    /// Names of the API's headers that go to clients, besides ``ForwardedHeaders/usual``.
    public var keptHeaders: [String] = []

    /// Routes that the gateway answers by itself, before it looks for services.
    package var routes: [GatewayRoute] = []
    /// Functions that run before or after requests are answered.
    package var hooks: [GatewayHook] = []

    public init() {}

    /// The options that a running gateway can change, see ``Gateway/prepare(_:)``. The other members are
    /// fixed at its start.
    public init(listen: [String], expose: [String: ExposeRule]? = nil, bearerToken: String? = nil) {
        self.listen = listen
        self.expose = expose
        self.bearerToken = bearerToken
    }

    /// The clients that a gateway is for.
    public enum Audience: Sendable {
        /// Those of services, and operators among them.
        case clients
        /// Operators alone: the gateway serves no resources.
        case operators
        /// Those who may give commands: the gateway serves no resources. It is for Unix sockets of mode 0600,
        /// which other users can't open. With a token it may also listen on the loopback.
        case admins
    }

    /// Other machines reach the address, so operators have to show something there.
    private func checkOperators() throws(GatewayError) {
        guard !takesSecrets, clientCertificates == nil else { return }
        for (text, address) in try ListenAddress.list(listen)
        where !address.isLocal && (audience == .operators || operatorListeners.contains(text)) {
            throw .openToOperators(text)
        }
    }

    func mayTakeCommands(at address: ListenAddress) -> Bool {
        switch address {
        case .unix: true
        case .ip(let host, _): bearerToken != nil && (host == "127.0.0.1" || host == "::1")
        }
    }

    func proxies() throws(GatewayError) -> TrustedProxies {
        if trustedProxies.isEmpty, let text = proxyProtocolListeners.sorted().first {
            throw .badProxies("the address '\(text)' takes the PROXY protocol, but no proxy is trusted")
        }
        do throws(TrustedProxies.Fault) { return try TrustedProxies(trustedProxies) } catch {
            throw .badProxies("'\(error.text)' \(error.message)")
        }
    }

    /// Throws the first error in the configuration, before anything is started.
    public func check() throws(GatewayError) {
        _ = try ListenAddress.list(listen)
        try checkOperators()
        _ = try AccessPolicy(expose)
        _ = try RouteTable(routes)
        _ = try HookTable(hooks)
        if let validationError = cors?.validationError { throw .badCORS(validationError) }
        for rules in listenerPolicy.values { _ = try AccessPolicy(rules) }
        for token in tokens + (apiKeys?.keys ?? []) { _ = try AccessPolicy(token.expose) }
        _ = try AccessPolicy(jwt?.expose)
        for user in users { _ = try AccessPolicy(user.expose) }
        if let why = apiKeys?.validationError ?? jwt?.validationError
            ?? users.lazy.compactMap(\.validationError).first
        {
            throw .badCredentials(why)
        }
        for client in clientCertificates?.clients ?? [] { _ = try AccessPolicy(client.expose) }
        _ = try ListenerSecrets(self)
        _ = try proxies()
        for name in forwardedHeaders {
            if let why = ForwardedHeaders.validationError(toForwarding: name) { throw .badHeader(why) }
            let isCredential = forwardedCredentials.contains { $0.lowercased() == name.lowercased() }
            guard isCredential || !SecretMask.standard.hides(name) else { throw .secretHeader(name) }
            if name.lowercased() == apiKeys?.header.lowercased() {
                throw .badHeader("'\(name)' carries the gateway's own API keys")
            }
        }
        for name in forwardedCredentials
        where !forwardedHeaders.contains(where: { $0.lowercased() == name.lowercased() }) {
            throw .unforwardedCredential(name)
        }
        for name in keptHeaders {
            if let why = ForwardedHeaders.validationError(toKeeping: name) { throw .badHeader(why) }
        }
    }
}

/// Limits of one client, and of all clients together. Times are in seconds.
public struct GatewayLimits: Sendable, Equatable {
    /// Request line and header fields together.
    public var maxHeaderBytes = 16 << 10
    public var maxTargetBytes = 8 << 10
    var maxHeaderFields = 128
    /// Bytes of a request's body. A longer one gets 413.
    public var maxBodyBytes = 16 << 20
    /// Bytes of a body that is forwarded to an API as it arrives, which happens above ``maxBodyBytes`` (rules
    /// 69). 0: no longer bodies are accepted.
    public var maxStreamedBodyBytes = 0
    var longestBody: Int { max(maxBodyBytes, maxStreamedBodyBytes) }
    /// Bytes a second that a client must send of its request's body, on average, after ``idleTimeout``.
    var minBodyRate = 1 << 10
    /// How often one client may send requests, by its token or else its address. More requests get 429. Nil:
    /// no limit.
    public var perClient: GatewayRate?
    /// Requests that one client may have under way, except those that are answered from memory. More requests
    /// get 429. Nil: no limit.
    public var requestsPerClient: Int?
    /// Event streams of one client. Nil: a quarter of the connections, so that no client can take all of
    /// them.
    public var streamsPerClient: Int?
    var usualStreams: Int {
        max(1, min(maxConnections, ConnectionRoom.share(of: DescriptorLimit.current)) / 4)
    }
    /// The limit of connections. It is lower if the process may not have the descriptors: three quarters of
    /// those beyond 64. One more connection closes those that have been idle longest. If none is idle, the
    /// new one gets 503, except for `/-/health`.
    public var maxConnections = 10_000
    /// The time that a connection may be idle between two requests, or while its client doesn't take an
    /// answer.
    public var idleTimeout: Double = 60
    /// Bytes a second that a client must take of its answer, on average over ``idleTimeout``. A slower client
    /// would hold its memory for no use.
    var minAnswerRate = 8 << 10
    /// The time from the first byte of a request to the end of its head, and from a connection to the end of
    /// its TLS handshake.
    public var headerTimeout: Double = 10
    /// The time from a request to its answer; nil: twice the total time of the resource's configuration
    /// (``RestEngine/Timeouts/total``). After it the client gets 504, and the load goes on for the next
    /// client.
    public var requestTimeout: Double?

    public init() {}
}

/// One answered request, for an access log or a trace.
public struct AccessRecord: Sendable {
    /// The address of the client, or of a proxy that isn't trusted; nil on a Unix socket.
    public var client: String?
    /// `-` for bytes that were no request.
    public var method: String
    /// As the client sent it, query included.
    public var target: String
    public var status: Int
    /// Bytes of the body as they were sent, without the head.
    public var bytes: Int
    /// Seconds from the end of the request's head until the answer was handed to the socket.
    public var duration: Double
    /// The Unix time at which the answer was handed to the socket.
    public var endedAt: Double
    /// The name of the client's token, key or certificate; nil without one.
    public var name: String?
    /// How it was answered: `hit`, `fetched`, `collapsed`, `stale`, `answered`, `refused`, `failed`.
    public var outcome: String?
    /// The code of the problem that was the answer; nil for another answer.
    public var code: String?
    /// `HTTP/1.1` or `HTTP/2`.
    public var version: String?
    /// User-Agent, as the client sent it.
    public var userAgent: String?
    /// The ID of the request (rules 74).
    public var requestID: String?
    /// The template of the route that matches, or `/service/**`, for spans.
    package var route: String?
    /// For spans.
    package var isSecure = false

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
