/// How a gateway listens, what it shows, and to whom.
public struct GatewayConfiguration: Sendable {
    /// `127.0.0.1:8080`, `[::1]:0` (port 0: the system chooses) or `unix:/path`.
    public var listen = ["127.0.0.1:8080"]
    /// Nil: one for each core.
    public var threads: Int?
    public var limits = GatewayLimits()
    /// Which paths and methods of which services are shown; nil: all paths of every service, to GET and HEAD.
    public var expose: [String: ServiceExposure]?
    /// Clients must send it as `Authorization: Bearer …`, except to learn whether the gateway is alive.
    public var bearerToken: String?
    /// Names for the Host header beside the loopback names and the listener's address.
    public var serverNames: [String] = []
    /// It takes commands, shows no resources, and is for Unix sockets alone, which nobody else can open: mode 0600.
    public var isForAdmins = false
    /// Called on a network thread after each answer; must be quick.
    public var accessLog: (@Sendable (AccessRecord) -> Void)?
    /// Called on a network thread, once a minute at most for each kind; must be quick.
    public var onShortage: (@Sendable (GatewayShortage) -> Void)?
    /// Seconds that health waits for the engine before it reports that the engine is busy.
    var healthTimeout: Double = 0.05
    /// Seconds that other `/-/` routes wait for the engine; a reload takes as long as it takes.
    var controlTimeout: Double = 10
    /// Unix time in seconds, of the same clock as the engine's.
    public var clock: @Sendable () -> Double = { SystemTime.now }

    public init() {}

    /// Throws what is wrong with it, before anything is started.
    public func check() throws(GatewayError) {
        for text in listen { _ = try ListenAddress(text) }
        _ = try Exposure(expose)
    }
}
