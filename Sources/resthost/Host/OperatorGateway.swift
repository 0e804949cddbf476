import Gateway
import Platform
import RestEngine
import RestScript

/// The gateway for operators, if `[operator]` of `resthost.toml` or `--operator` has an address (66.10). It
/// has connections and a thread of its own, so it answers while the one of clients is full.
@EngineActor
final class OperatorGateway {
    /// See docs/reference/limits.md, L350.
    static let mostConnections = 64

    private let reloaded: ReloadedGateway
    private let listen: [String]
    private let metrics: GatewayMetrics
    private let sockets: ListeningSockets
    private let peers: (any GatewayPeers)?
    private let onShortage: @Sendable (GatewayShortage) -> Void
    private let onKeyFailure: @Sendable (String) -> Void

    /// - Parameters:
    ///   - listen: The addresses of the command line. They replace those of the file.
    ///   - onKeyFailure: Gets the reason when the keys of tokens can't be loaded, on any thread.
    init(
        directory: any GatewayDirectory, control: any HostControl, listen: [String],
        metrics: GatewayMetrics, sockets: ListeningSockets, peers: (any GatewayPeers)?,
        onShortage: @escaping @Sendable (GatewayShortage) -> Void = { _ in },
        onKeyFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.sockets, self.peers) = (sockets, peers)
        // Only streams of events take long, and their clients come again.
        reloaded = ReloadedGateway(directory: directory, control: control, drain: 0)
        (self.listen, self.metrics) = (listen, metrics)
        (self.onShortage, self.onKeyFailure) = (onShortage, onKeyFailure)
    }

    var isRunning: Bool { reloaded.gateway != nil }

    /// The bound addresses.
    var listening: [String] { reloaded.listening }

    /// The addresses of ``listening`` that use TLS.
    var secured: Set<String> { reloaded.gateway?.secured ?? [] }

    var connections: Int { reloaded.gateway?.connections ?? 0 }

    var certificateFiles: Set<String> { reloaded.gateway?.certificateFiles ?? [] }

    var certificateEnds: [String: Double] { reloaded.gateway?.certificateEnds ?? [:] }

    /// Reads certificates and keys again. On a failure nothing changes.
    func renewCertificates(of host: ScriptHost) throws(Diagnostic) {
        do throws(GatewayError) { try reloaded.gateway?.renewCertificates() } catch {
            throw OperatorSettings.diagnostic(error, host, listen: listen)
        }
    }

    /// Nil without an address.
    private func configuration(for host: ScriptHost) throws(Diagnostic) -> GatewayConfiguration? {
        var configuration = try OperatorSettings.configuration(for: host, listen: listen)
        configuration?.metrics = metrics
        configuration?.peers = peers
        configuration?.onShortage = onShortage
        configuration?.fetchKeys = KeyFetch.fetch
        configuration?.onKeyFailure = onKeyFailure
        return configuration
    }

    /// See ``ReloadedGateway/prepare(_:taking:)``.
    func prepare(
        for host: ScriptHost, taking left: LeftAddresses = .none
    ) throws(Diagnostic) -> ReloadedGateway.Change {
        var configuration = try configuration(for: host)
        do throws(GatewayError) {
            if var given = configuration {
                try sockets.add(to: &given, role: "operators")
                configuration = given
            }
            return try reloaded.prepare(configuration, taking: left)
        } catch {
            throw OperatorSettings.diagnostic(error, host, listen: listen)
        }
    }

    /// See ``ReloadedGateway/addressesLeft(by:)``.
    func addressesLeft(for host: ScriptHost) throws(Diagnostic) -> LeftAddresses {
        reloaded.addressesLeft(by: try configuration(for: host))
    }

    /// See ``ReloadedGateway/commit(_:)``.
    func commit(_ change: ReloadedGateway.Change) -> [String] { reloaded.commit(change) }

    func discard(_ change: ReloadedGateway.Change) { reloaded.discard(change) }

    func stop() async { await reloaded.stop() }
}

/// Makes the configuration of the operators' gateway from `resthost.toml`, the command line, and the clients
/// that the script makes operators.
@EngineActor
enum OperatorSettings {
    /// Nil without an address. Throws the fault of `resthost.toml`.
    static func configuration(
        for host: ScriptHost, listen asked: [String]
    ) throws(Diagnostic) -> GatewayConfiguration? {
        let file = try SettingsFile.beside(host.path).operators
        let listen = asked.isEmpty ? file.listen : asked
        guard !listen.isEmpty else { return nil }
        var settings = GatewayConfiguration(listen: listen)
        settings.audience = .operators
        settings.threads = 1
        settings.limits.maxConnections = OperatorGateway.mostConnections
        settings.serverNames = file.serverNames + (host.gateway?.serverNames ?? [])
        for text in listen where text.hasPrefix("unix:") { settings.socketModes[text] = 0o660 }
        do throws(OptionFault) { settings.tls = try file.tls } catch {
            throw Diagnostic(
                .error, code: "settings", error.message(of: "key", kind: ""),
                file: SettingsFile.path(beside: host.path), line: file.listenLine)
        }
        let areLocal = listen.allSatisfy { (try? ListenAddress($0).isLocal) ?? true }
        if file.wantsCredentials || !areLocal { try addCredentials(file, host, to: &settings) }
        do throws(GatewayError) { try settings.check() } catch {
            throw diagnostic(error, host, listen: asked)
        }
        return settings
    }

    /// Adds the file's own, and those of the script's clients that are operators.
    private static func addCredentials(
        _ file: OperatorAddresses, _ host: ScriptHost, to settings: inout GatewayConfiguration
    ) throws(Diagnostic) {
        if let declaration = host.gateway {
            var all = GatewayConfiguration()
            try GatewaySettings.addAccessPolicy(declaration, host.services.map(\.name), to: &all)
            settings.tokens = all.tokens.filter(\.isOperator)
            settings.users = all.users.filter(\.isOperator)
            settings.jwt = all.jwt?.isOperator == true ? all.jwt : nil
            if var keys = all.apiKeys {
                keys.keys.removeAll { !$0.isOperator }
                if !keys.keys.isEmpty { settings.apiKeys = keys }
            }
            if settings.tls != nil, var certificates = all.clientCertificates,
                let known = certificates.clients?.filter(\.isOperator), !known.isEmpty
            {
                certificates.clients = known
                settings.clientCertificates = certificates
            }
        }
        if let token = file.token {
            settings.tokens.append(GatewayToken(name: "operator", secret: .sha256(token), isOperator: true))
        }
        if let authority = file.authority {
            settings.clientCertificates = GatewayClientCertificates(authority: authority)
        }
    }

    /// Names the file's line, unless the fault is in the command line.
    static func diagnostic(_ error: GatewayError, _ host: ScriptHost, listen: [String]) -> Diagnostic {
        var hint = GatewaySettings.hint(error)
        switch error {
        case .openToOperators:
            hint =
                "[operator] token-sha256 = …, or certificate, key and client-ca; or a token of rest.gateway with "
                + "operator = true; or listen on 127.0.0.1"
        case .addressInUse:
            hint = "stop it, or choose another address: port 0 lets the system choose one"
        case .badTLS: hint = "certificate and key of [operator] are for all its addresses but Unix sockets"
        default: break
        }
        var diagnostic = Diagnostic(.error, code: "operator", "operators: \(error)", hint: hint)
        guard listen.isEmpty else { return diagnostic }
        diagnostic.file = SettingsFile.path(beside: host.path)
        diagnostic.line = (try? SettingsFile.beside(host.path))?.operators.listenLine
        return diagnostic
    }
}
