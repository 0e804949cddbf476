import Gateway
import RestEngine
import RestScript

/// The gateway of a run, if there is one. A reload may change, add or remove it.
@EngineActor
final class PublicGateway {
    /// A checked change of the gateway. New addresses are already bound.
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
    private let onFailure: @EngineActor @Sendable (GatewayFailure) -> Void
    private let showsScriptErrors: Bool
    private let onKeyFailure: @Sendable (String) -> Void
    private let accessLog: @Sendable (AccessRecord) -> Void
    private let spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    private let metrics: GatewayMetrics
    private let logsAlways: Bool
    private let sockets: [String: Int32]
    /// Gets all requests of clients, on a network thread; see ``record(_:for:)``.
    private var history: (@Sendable (AccessRecord) -> Void)?

    /// - Parameters:
    ///   - listen: The addresses of the command line. They replace the script's.
    ///   - drain: The seconds that requests have when the gateway stops.
    ///   - onFailure: Gets failures that clients got.
    ///   - showsScriptErrors: True to show clients the script's errors.
    ///   - onKeyFailure: Gets the reason when the keys of tokens can't be loaded, on any thread.
    ///   - accessLog: Gets the requests if the gateway logs them, on a network thread.
    ///   - spans: See ``GatewayConfiguration/spans``.
    ///   - logsAlways: True to log requests even if the script does not.
    ///   - sockets: Sockets that listen already, by their addresses.
    init(
        directory: any GatewayDirectory, control: any HostControl, listen: [String], threads: Int?,
        drain: Double, onShortage: @escaping @Sendable (GatewayShortage) -> Void = { _ in },
        onFailure: @escaping @EngineActor @Sendable (GatewayFailure) -> Void = { _ in },
        showsScriptErrors: Bool = false,
        onKeyFailure: @escaping @Sendable (String) -> Void = { _ in },
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
        self.onFailure = onFailure
        self.showsScriptErrors = showsScriptErrors
        self.onKeyFailure = onKeyFailure
    }

    var isRunning: Bool { gateway != nil }

    /// The bound addresses. A port that the system chose has its number.
    var listening: [String] { gateway?.listening ?? [] }

    /// The addresses of ``listening`` that use TLS.
    var secured: Set<String> { gateway?.secured ?? [] }

    var certificateFiles: Set<String> { gateway?.certificateFiles ?? [] }

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

    /// Does everything that can fail. The caller then calls ``commit(_:)`` or ``discard(_:)``.
    func prepare(for host: ScriptHost) throws(Diagnostic) -> Change {
        let settings = try GatewaySettings.configuration(for: host, listen: listen, threads: threads)
        guard var configuration = settings else { return gateway == nil ? .none : .stop }
        configuration.accessLog = recorder(
            writesLog: logsAlways || host.gateway?.logsAccess == true)
        configuration.spans = spans
        configuration.fetchKeys = KeyFetch.fetch
        configuration.onKeyFailure = onKeyFailure
        configuration.inheritedSockets = sockets
        do throws(GatewayError) {
            if let gateway { return .update(try gateway.prepare(configuration)) }
            configuration.onShortage = onShortage
            configuration.onFailure = onFailure
            configuration.showsScriptErrors = showsScriptErrors
            configuration.metrics = metrics
            let new = try Gateway(configuration, directory: directory, control: control)
            _ = try new.start()
            return .start(new)
        } catch { throw GatewaySettings.diagnostic(error, host, listen: listen) }
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

    /// Applies a change. It is called in the tick in which the script takes over, so that each request meets
    /// a matching script and gateway. Returns the new addresses as they are bound.
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
            // The stop ends on the loop, because the gateway may hold the last reference to an object of the
            // engine.
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
