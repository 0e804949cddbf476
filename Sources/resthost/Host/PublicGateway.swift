import Gateway
import RestEngine
import RestScript

/// The gateway of a run, if there is one. A reload may change it, add it or take it away.
@EngineActor
final class PublicGateway {
    /// What a script makes of the gateway, found possible: its new addresses are bound already.
    enum Change {
        case none
        case start(Gateway)
        case update(PreparedGatewayUpdate)
        case stop
    }

    private var gateway: Gateway?
    private let directory: any GatewayDirectory
    private let control: any HostControl
    private let listen: [String]
    private let threads: Int?
    private let drain: Double
    private let onShortage: @Sendable (GatewayShortage) -> Void
    private let accessLog: @Sendable (AccessRecord) -> Void
    private let spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    private let metrics: GatewayMetrics
    private let logsAlways: Bool
    private let sockets: [String: Int32]

    /// - Parameters:
    ///   - listen: addresses of the command line, which win over the script's.
    ///   - drain: seconds that requests get when the gateway stops.
    ///   - accessLog: gets the requests of a gateway that is to log them, on a network thread.
    ///   - spans: see ``GatewayConfiguration/spans``.
    ///   - logsAlways: whatever the script says.
    ///   - sockets: that listen already, by their addresses.
    init(
        directory: any GatewayDirectory, control: any HostControl, listen: [String], threads: Int?,
        drain: Double, onShortage: @escaping @Sendable (GatewayShortage) -> Void = { _ in },
        accessLog: @escaping @Sendable (AccessRecord) -> Void = { _ in },
        spans: (@Sendable (AccessRecord, TraceSpan) -> Void)? = nil, logsAlways: Bool = false,
        sockets: [String: Int32] = [:], metrics: GatewayMetrics = GatewayMetrics()
    ) {
        self.spans = spans
        self.logsAlways = logsAlways
        self.sockets = sockets
        self.metrics = metrics
        self.accessLog = accessLog
        self.directory = directory
        self.control = control
        self.listen = listen
        self.threads = threads
        self.drain = drain
        self.onShortage = onShortage
    }

    var isRunning: Bool { gateway != nil }

    /// The addresses as they were bound: a port that the system chose is there with its number.
    var listening: [String] { gateway?.listening ?? [] }

    /// Those of ``listening`` that speak TLS.
    var secured: Set<String> { gateway?.secured ?? [] }

    var certificateFiles: Set<String> { gateway?.certificateFiles ?? [] }

    /// Reads certificates and keys again. A failure leaves everything as it was.
    func renewCertificates(of host: ScriptHost) throws(Diagnostic) {
        do throws(GatewayError) { try gateway?.renewCertificates() } catch {
            throw GatewaySettings.diagnostic(error, host, listen: listen)
        }
    }

    var connections: Int { gateway?.connections ?? 0 }

    /// Of its network; 0 as long as there is none.
    var networkThreads: Int { gateway?.threads ?? 0 }

    var shortages: [GatewayShortage] { gateway?.shortages ?? [] }

    /// Everything that can fail. What follows is ``commit(_:)`` or ``discard(_:)``.
    func prepare(for host: ScriptHost) throws(Diagnostic) -> Change {
        let settings = try GatewaySettings.configuration(for: host, listen: listen, threads: threads)
        guard var configuration = settings else { return gateway == nil ? .none : .stop }
        if logsAlways || host.gateway?.logsAccess == true { configuration.accessLog = accessLog }
        configuration.spans = spans
        configuration.inheritedSockets = sockets
        do throws(GatewayError) {
            if let gateway { return .update(try gateway.prepare(configuration)) }
            configuration.onShortage = onShortage
            configuration.metrics = metrics
            let new = try Gateway(configuration, directory: directory, control: control)
            _ = try new.start()
            return .start(new)
        } catch { throw GatewaySettings.diagnostic(error, host, listen: listen) }
    }

    /// In the same turn as the script takes over, so that no request meets one without the other. Gives the
    /// addresses that are new, as they are bound.
    @discardableResult
    func commit(_ change: Change) -> [String] {
        let before = listening
        apply(change)
        return listening.filter { !before.contains($0) }
    }

    private func apply(_ change: Change) {
        switch change {
        case .none: break
        case .start(let new): gateway = new
        case .update(let prepared): gateway?.commit(prepared)
        case .stop:
            let (old, drain) = (gateway, drain)
            gateway = nil
            // On the loop to its end: the gateway may be the last that holds something of the engine.
            Task { await old?.stop(drain: drain) }
        }
    }

    func discard(_ change: Change) {
        switch change {
        case .none, .stop: break
        case .start(let new): Task { await new.stop(drain: 0) }
        case .update(let prepared): gateway?.discard(prepared)
        }
    }

    func stop() async { await gateway?.stop(drain: drain) }
}
