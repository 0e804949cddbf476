import Gateway
import RestEngine
import RestScript

/// One `resthost run`, from loading the script to the end of the process.
@EngineActor
final class RunSession {
    static var current: RunSession?

    private let settings: RunCommand
    private let log: LogText
    private var host: ScriptHost?
    private var gateway: Gateway?
    private var isFinishing = false

    init(_ settings: RunCommand) {
        self.settings = settings
        log = LogText(isQuiet: settings.quiet)
    }

    func start() {
        guard let host = HostEngine.load(settings.script, log: log) else { Streams.exit(2) }
        self.host = host
        host.onIdle { [self] in endIfIdle() }
        do throws(Diagnostic) {
            let configuration = try GatewaySettings.make(
                host.gateway, listen: settings.listen, threads: settings.gatewayThreads,
                serviceNames: host.services.map(\.name))
            guard let configuration else { return endIfIdle() }
            serve(host, configuration)
        } catch {
            Streams.error(DiagnosticText().text(error))
            Streams.exit(2)
        }
    }

    private func serve(_ host: ScriptHost, _ configuration: GatewayConfiguration) {
        let directory = ScriptDirectory(host)
        Task {
            do throws(GatewayError) {
                let gateway = try Gateway(configuration, directory: directory)
                self.gateway = gateway
                announce(try await gateway.start(), host)
            } catch {
                Streams.error("resthost: \(error)\n")
                Streams.exit(2)
            }
        }
    }

    private func announce(_ addresses: [String], _ host: ScriptHost) {
        guard !settings.quiet else { return }
        var text = ""
        for address in addresses {
            text += "listening on \(address.hasPrefix("unix:") ? address : "http://\(address)")\n"
        }
        var rows = host.services.map { ("/\($0.name)/…", $0.baseURL?.url.string ?? "absolute URLs only") }
        rows.append(("/-/health", "state of the host"))
        let width = rows.map(\.0.count).max() ?? 0
        for (path, what) in rows {
            text += "  \(path)\(String(repeating: " ", count: width - path.count))  \(what)\n"
        }
        Streams.output(text)
    }

    private func endIfIdle() {
        guard gateway == nil, let host, !host.hasWork else { return }
        finish(0)
    }

    /// Lets what is in flight end, then ends the process.
    func finish(_ code: Int32) {
        guard !isFinishing else { return }
        isFinishing = true
        let gateway = gateway
        let drain = settings.drain
        Task {
            await gateway?.stop(drain: drain)
            host?.close()
            Streams.exit(code)
        }
    }
}
