import Gateway
import Platform
import RestEngine
import RestScript

/// The gateway of a run, if there is one. A reload may change, add or remove it.
@EngineActor
final class PublicGateway {
    typealias Change = ReloadedGateway.Change

    private let reloaded: ReloadedGateway
    private var gateway: Gateway? { reloaded.gateway }
    private let listen: [String]
    private let threads: Int?
    private let operators: [String]
    private let onShortage: @Sendable (GatewayShortage) -> Void
    private let onFailure: @EngineActor @Sendable (GatewayFailure) -> Void
    private let showsScriptErrors: Bool
    private let onKeyFailure: @Sendable (String) -> Void
    private let accessLog: @Sendable (AccessRecord) -> Void
    private let spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    private let metrics: GatewayMetrics
    private let logsAlways: Bool
    private let peers: (any GatewayPeers)?
    private let worker: WorkerNumber?
    private let sockets: ListeningSockets
    /// Gets all requests of clients, on a network thread; see ``record(_:for:)``.
    private var history: (@Sendable (AccessRecord) -> Void)?

    /// - Parameters:
    ///   - listen: The addresses of the command line. They replace the script's.
    ///   - operators: The operators' addresses of the command line.
    ///   - drain: The seconds that requests have when the gateway stops.
    ///   - onFailure: Gets failures that clients got.
    ///   - showsScriptErrors: True to show clients the script's errors.
    ///   - onKeyFailure: Gets the reason when the keys of tokens can't be loaded, on any thread.
    ///   - accessLog: Gets the requests if the gateway logs them, on a network thread.
    ///   - spans: See ``GatewayConfiguration/spans``.
    ///   - logsAlways: True to log requests even if the script does not.
    init(
        directory: any GatewayDirectory, control: any HostControl, listen: [String],
        operators: [String] = [], threads: Int?, drain: Double,
        onShortage: @escaping @Sendable (GatewayShortage) -> Void = { _ in },
        onFailure: @escaping @EngineActor @Sendable (GatewayFailure) -> Void = { _ in },
        showsScriptErrors: Bool = false,
        onKeyFailure: @escaping @Sendable (String) -> Void = { _ in },
        accessLog: @escaping @Sendable (AccessRecord) -> Void = { _ in },
        spans: (@Sendable (AccessRecord, TraceSpan) -> Void)? = nil, logsAlways: Bool = false,
        sockets: ListeningSockets = .own(given: [:]), worker: WorkerNumber? = nil,
        peers: (any GatewayPeers)? = nil,
        metrics: GatewayMetrics = GatewayMetrics()
    ) {
        self.spans = spans
        self.logsAlways = logsAlways
        self.sockets = sockets
        (self.peers, self.worker) = (peers, worker)
        self.metrics = metrics
        self.accessLog = accessLog
        reloaded = ReloadedGateway(directory: directory, control: control, drain: drain)
        self.listen = listen
        self.operators = operators
        self.threads = threads
        self.onShortage = onShortage
        self.onFailure = onFailure
        self.showsScriptErrors = showsScriptErrors
        self.onKeyFailure = onKeyFailure
    }

    var isRunning: Bool { gateway != nil }

    /// The bound addresses. A port that the system chose has its number.
    var listening: [String] { reloaded.listening }

    /// The addresses of ``listening`` that use TLS.
    var secured: Set<String> { gateway?.secured ?? [] }

    var certificateFiles: Set<String> { gateway?.certificateFiles ?? [] }

    var certificateEnds: [String: Double] { gateway?.certificateEnds ?? [:] }

    /// Reads certificates and keys again. On a failure nothing changes.
    func renewCertificates(of host: ScriptHost) throws(Diagnostic) {
        do throws(GatewayError) { try gateway?.renewCertificates() } catch {
            throw GatewaySettings.diagnostic(error, host, listen: listen)
        }
    }

    var connections: Int { gateway?.connections ?? 0 }

    /// The number of its network threads; 0 when there is no gateway.
    var networkThreads: Int { gateway?.threads ?? 0 }

    var shortages: [GatewayShortage] { gateway?.shortages ?? [] }

    /// Nil without an address.
    private func configuration(for host: ScriptHost) throws(Diagnostic) -> GatewayConfiguration? {
        var configuration = try GatewaySettings.configuration(
            for: host, listen: listen, operators: operators, threads: threads)
        configuration?.accessLog = recorder(writesLog: logsAlways || host.gateway?.logsAccess == true)
        configuration?.spans = spans
        configuration?.fetchKeys = KeyFetch.fetch
        configuration?.onKeyFailure = onKeyFailure
        configuration?.peers = peers
        if let worker { configuration?.limits.divide(among: worker) }
        configuration?.onShortage = onShortage
        configuration?.onFailure = onFailure
        configuration?.showsScriptErrors = showsScriptErrors
        configuration?.metrics = metrics
        return configuration
    }

    /// See ``ReloadedGateway/prepare(_:taking:)``.
    func prepare(
        for host: ScriptHost, taking left: LeftAddresses = .none
    ) throws(Diagnostic) -> Change {
        var configuration = try configuration(for: host)
        do throws(GatewayError) {
            if var given = configuration {
                try sockets.add(to: &given, role: "clients")
                configuration = given
            }
            return try reloaded.prepare(configuration, taking: left)
        } catch {
            throw GatewaySettings.diagnostic(error, host, listen: listen)
        }
    }

    /// See ``ReloadedGateway/addressesLeft(by:)``.
    func addressesLeft(for host: ScriptHost) throws(Diagnostic) -> LeftAddresses {
        reloaded.addressesLeft(by: try configuration(for: host))
    }

    /// Begins to hand all requests of clients to a function, or stops it.
    func record(_ history: (@Sendable (AccessRecord) -> Void)?, for host: ScriptHost) throws(Diagnostic) {
        self.history = history
        if gateway != nil { commit(try prepare(for: host)) }
    }

    /// Nil if nobody wants records: they cost time on a network thread.
    private func recorder(writesLog: Bool) -> (@Sendable (AccessRecord) -> Void)? {
        guard let history else { return writesLog ? accessLog : nil }
        guard writesLog else { return history }
        return { [accessLog] record in
            accessLog(record)
            history(record)
        }
    }

    /// See ``ReloadedGateway/commit(_:)``.
    @discardableResult
    func commit(_ change: Change) -> [String] { reloaded.commit(change) }

    func discard(_ change: Change) { reloaded.discard(change) }

    /// Returns what did not end by itself.
    func stop(drain seconds: Double) async -> GatewayCut { await reloaded.stop(drain: seconds) }
}
