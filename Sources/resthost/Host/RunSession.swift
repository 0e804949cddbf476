import CPlatform
import Gateway
import RestEngine
import RestScript

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One `resthost run`, from loading the script to the end of the process.
@EngineActor
final class RunSession {
    static var current: RunSession?

    private let settings: RunCommand
    private let log: LogText
    private var host: ScriptHost?
    private var gateway: PublicGateway?
    private var watcher: FileWatcher?
    private var admin: (gateway: Gateway, path: String)?
    private var isFinishing = false
    private let startedAt = SystemTime.now

    init(_ settings: RunCommand) {
        self.settings = settings
        log = LogText(isQuiet: settings.quiet)
    }

    func start() {
        guard let host = HostEngine.load(settings.script, log: log) else { Streams.exit(2) }
        self.host = host
        host.onIdle { [self] in endIfIdle() }
        listen(for: host)
        watch()
        if let gateway, gateway.isRunning { return announce(gateway.listening, host) }
        if !host.services.isEmpty, !host.hasWork {
            log.note(
                "\(host.path): nothing to run: it starts no job and declares no gateway\n"
                    + "  hint: --listen \(GatewaySettings.defaultAddress) serves its services")
        }
        endIfIdle()
    }

    /// For clients, then for commands.
    private func listen(for host: ScriptHost) {
        let (directory, control) = (ScriptDirectory(host), makeControl())
        let gateway = PublicGateway(
            directory: directory, control: control, listen: settings.listen,
            threads: settings.gatewayThreads, drain: settings.drain)
        self.gateway = gateway
        do throws(Diagnostic) { gateway.commit(try gateway.prepare(for: host)) } catch { fail(error) }
        do throws(AdminListener.Failure) {
            admin = try AdminListener.start(
                AdminListener.Place(settings.admin), directory: directory, control: control)
        } catch {
            // Nobody asked for the standard one, which may be impossible in a container.
            guard settings.admin == nil else { fail(Diagnostic(.error, error.message)) }
            log.note("no admin socket, so 'resthost status' can't find this host: \(error.message)")
        }
        if settings.verbose, let admin { log.note("commands are taken at \(admin.path)") }
    }

    private func watch() {
        guard settings.watch else { return }
        let log = log
        watcher = FileWatcher(
            warn: { log.note($0) }, onChange: { [weak self] files in self?.reload(.files(files)) })
        watchFiles()
    }

    /// Again whenever the script has reached other files.
    private func watchFiles() {
        let files: Set = [settings.script.config]
        watcher?.watch(files: files)
        if settings.verbose { log.note("watching \(files.sorted().joined(separator: ", "))") }
    }

    private func makeControl() -> RunControl {
        RunControl(
            load: { [self] in
                let start = SystemTime.now
                return reload(.request).map { .init(generation: $0, seconds: SystemTime.now - start) }
                    .mapError { .init(report: FailureReport($0), generation: 1) }
            }, facts: { [self] in facts })
    }

    /// Loads the script anew, and says what came of it.
    @discardableResult
    func reload(_ trigger: ReloadTrigger) -> Result<Int, Diagnostic> {
        let diagnostic = Diagnostic(.error, "this host can't load its script anew")
        Streams.error(DiagnosticText().text(diagnostic))
        return .failure(diagnostic)
    }

    private var facts: HostFacts {
        let uptime = SystemTime.now - startedAt
        var facts = HostFacts(
            process: getpid(), uptime: uptime, script: settings.script.config, folder: WorkingFolder.path,
            generationAge: uptime)
        if let host {
            facts.add(host)
        }
        facts.listening = gateway?.listening ?? []
        facts.connections = gateway?.connections ?? 0
        facts.admin = admin?.path
        return facts
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
        guard let host, !isFinishing else { return }
        let dropped = host.relieveMemory()
        cplatform_give_back_freed_memory()
        log.note("memory is short: dropped \(dropped) resources that nobody uses")
    }

    private var isIdle: Bool { gateway?.isRunning != true && host.map { !$0.hasWork } ?? false }

    /// Looks again two passes later: a hook that was queued by what just ended may begin something new.
    private func endIfIdle() {
        guard isIdle else { return }
        EngineLoop.shared.submit {
            EngineLoop.shared.submit { [self] in
                if isIdle { finish(host.map { $0.failedJobs > 0 } ?? false ? 1 : 0) }
            }
        }
    }

    /// Lets what is in flight end, then ends the process.
    func finish(_ code: Int32) {
        guard !isFinishing else { return }
        isFinishing = true
        Task {
            await gateway?.stop()
            await admin?.gateway.stop(drain: 0)
            host?.close()
            await host?.outsideWorkIsDone()
            Streams.exit(code)
        }
    }
}
