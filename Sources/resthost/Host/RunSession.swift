import CPlatform
import Gateway
import RestEngine
import RestScript

/// One `resthost run`, from loading the script to the end of the process.
@EngineActor
final class RunSession {
    static var current: RunSession?

    private let settings: RunCommand
    private let log: LogText
    private var generations: Generations?
    private var gateway: Gateway?
    private var isFinishing = false

    init(_ settings: RunCommand) {
        self.settings = settings
        log = LogText(isQuiet: settings.quiet)
    }

    func start() {
        let generations: Generations
        do throws(Diagnostic) {
            generations = try Generations(settings.script, log: log)
            self.generations = generations
            gateway = try gateway(for: generations)
        } catch { fail(error) }
        watch(generations)
        let host = generations.current
        if let gateway { return serve(host, gateway) }
        if !host.services.isEmpty, !host.hasWork, !host.hasStartedWork {
            log.note(
                "\(host.path): nothing to run: it starts no job and declares no gateway\n"
                    + "  hint: --listen \(GatewaySettings.defaultAddress) serves its services")
        }
        endIfIdle()
    }

    private func gateway(for generations: Generations) throws(Diagnostic) -> Gateway? {
        let host = generations.current
        guard
            let configuration = try GatewaySettings.configuration(
                for: host, listen: settings.listen, threads: settings.gatewayThreads)
        else { return nil }
        do throws(GatewayError) {
            return try Gateway(configuration, directory: ScriptDirectory(generations))
        } catch { throw GatewaySettings.diagnostic(error, host, listen: settings.listen) }
    }

    private func watch(_ generations: Generations) {
        let settings = settings
        generations.accept = { (host) throws(Diagnostic) in
            _ = try GatewaySettings.configuration(
                for: host, listen: settings.listen, threads: settings.gatewayThreads)
        }
        generations.onReload = { [self] in watchForIdleness() }
        watchForIdleness()
    }

    private func watchForIdleness() { generations?.current.onIdle { [self] in endIfIdle() } }

    /// Loads the script anew and says what came of it.
    @discardableResult
    func reload(_ trigger: ReloadTrigger) -> Result<Int, Diagnostic>? {
        guard let generations, !isFinishing else { return nil }
        let result = generations.reload(trigger)
        switch result {
        case .success(let number): log.note("reloaded \(generations.current.path): generation \(number)")
        case .failure(let diagnostic):
            Streams.error(
                DiagnosticText().text(diagnostic)
                    + "  not reloaded: generation \(generations.number) goes on\n")
        }
        return result
    }

    private func serve(_ host: ScriptHost, _ gateway: Gateway) {
        Task {
            do throws(GatewayError) {
                announce(try await gateway.start(), host)
            } catch { fail(GatewaySettings.diagnostic(error, host, listen: settings.listen)) }
        }
    }

    private func fail(_ diagnostic: Diagnostic) -> Never {
        Streams.error(DiagnosticText().text(diagnostic))
        Streams.exit(2)
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

    /// Memory is short: keeps what somebody uses, and nothing else.
    func relieveMemory() {
        guard let host = generations?.current, !isFinishing else { return }
        let dropped = host.relieveMemory()
        cplatform_give_back_freed_memory()
        log.note("memory is short: dropped \(dropped) resources that nobody uses")
    }

    private var isIdle: Bool {
        gateway == nil && generations.map { !$0.current.hasWork && $0.retiredCount == 0 } ?? false
    }

    /// Looks again two passes later: a hook that was queued by what just ended may begin something new.
    private func endIfIdle() {
        guard isIdle else { return }
        EngineLoop.shared.submit {
            EngineLoop.shared.submit { [self] in
                if isIdle { finish(generations.map { $0.failedJobs > 0 } ?? false ? 1 : 0) }
            }
        }
    }

    /// Lets what is in flight end, then ends the process.
    func finish(_ code: Int32) {
        guard !isFinishing else { return }
        isFinishing = true
        let gateway = gateway
        let drain = settings.drain
        Task {
            await gateway?.stop(drain: drain)
            await generations?.shutDown(within: drain)
            await generations?.current.outsideWorkIsDone()
            Streams.exit(code)
        }
    }
}
