import Gateway
import RestEngine

/// The inspector for a browser, which can't open a Unix socket: the routes of the admin socket on the
/// loopback address, for clients with the token.
enum InspectorListener {
    /// Listens on a port that the system chooses. The token is behind a `#` in the address, which browsers do
    /// not send.
    @EngineActor
    static func start(
        directory: any GatewayDirectory, control: any HostControl, token: String? = nil,
        sockets: ListeningSockets = .own(given: [:]), peers: (any GatewayPeers)? = nil,
        metrics: GatewayMetrics
    ) throws(AdminListener.ListenError) -> (gateway: Gateway, address: String) {
        let token = token ?? (0..<3).map { _ in Hex.digits(UInt64.random(in: .min ... .max)) }.joined()
        var configuration = GatewayConfiguration(listen: ["127.0.0.1:0"], bearerToken: token)
        configuration.audience = .admins
        configuration.threads = 1
        configuration.limits.maxConnections = 64
        configuration.metrics = metrics
        configuration.peers = peers
        do throws(GatewayError) {
            try sockets.add(to: &configuration, role: "inspector")
            let gateway = try Gateway(configuration, directory: directory, control: control)
            let address = try gateway.start().first ?? ""
            return (gateway, "http://\(address)/-/#\(token)")
        } catch { throw AdminListener.ListenError(message: "\(error)") }
    }
}
