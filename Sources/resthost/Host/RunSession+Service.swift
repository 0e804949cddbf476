import Gateway
import Platform
import RestEngine
import RestScript

/// The parts of a run that concern its operator: log files, and the service manager.
extension RunSession {
    /// Given sockets replace the script's addresses, as `--listen` does.
    var addresses: [String] {
        settings.listen.isEmpty ? link?.start.addresses ?? sockets.keys.sorted() : settings.listen
    }

    private var listening: ListeningSockets { link.map { .shared($0) } ?? .own(given: sockets) }

    /// The access log. The second value is true when it is written even if the script does not ask for it.
    /// Ends the program when its file can't be written.
    func openAccessLog() -> (AccessLog, Bool) {
        do throws(Diagnostic) {
            let file = try SettingsFile.beside(settings.script.config)
            guard let path = settings.accessLog ?? file.accessLog else { return (AccessLog(log), false) }
            let format = settings.accessLogFormat ?? file.accessLogFormat ?? .text
            do throws(FileError) { return (AccessLog(log, to: try AccessFile(path), as: format), true) } catch
            {
                throw Diagnostic(.error, code: "access_log", "\(error)")
            }
        } catch { fail(error) }
    }

    /// The collector for spans, if there is one.
    func traceCollector() throws(Diagnostic) -> TraceCollector? {
        let file = try SettingsFile.beside(settings.script.config)
        guard let address = settings.traces ?? file.traces else { return nil }
        do throws(TraceCollector.Fault) {
            return try TraceCollector(address) { name in getenv(name).map { String(cString: $0) } }
        } catch { throw Diagnostic(.error, code: "traces", error.message) }
    }

    /// Listens for commands. The addresses of clients and operators follow with the script.
    func makeListeners(_ generations: Generations, _ control: RunControl) -> RunListeners {
        let condition = HostCondition()
        let directory = ScriptDirectory(generations, condition)
        let (accessLog, writesAccess) = openAccessLog()
        self.accessLog = accessLog
        let log = log
        let admin = AdminListener.Address(settings.admin)
        let folder = AdminFolder.standard()
        var peers: WorkerPeers?
        if let link {
            let path = WorkerPeers.path(admin, folder, link.start.supervisor)
            peers = WorkerPeers(link.worker, generations.engine.scheduler, path: path)
            // Sockets without a path of their own are in the folder, also where the host has none there.
            let problem: String? = if case .path = admin { nil } else { folder.make() }
            if let problem {
                log.note("other workers can't ask this one: \(problem)")
            } else {
                own = startOwnSocket(at: path(link.worker.number), directory, control)
            }
        }
        let clients = PublicGateway(
            directory: directory, control: control, listen: addresses,
            operators: settings.operators,
            threads: settings.gatewayThreads ?? (link == nil ? nil : 1), drain: RunEnd.times.drain,
            onShortage: { log.shortage($0, of: "gateway") }, onFailure: { log.failure($0) },
            showsScriptErrors: settings.dev, onKeyFailure: { log.note($0) }, accessLog: accessLog.note,
            spans: traffic?.traces?.note, logsAlways: writesAccess, sockets: listening, worker: link?.worker,
            peers: peers, metrics: metrics)
        let operators = OperatorGateway(
            directory: directory, control: control, listen: settings.operators,
            metrics: metrics, sockets: listening, peers: peers,
            onShortage: { log.shortage($0, of: "operators' gateway") }, onKeyFailure: { log.note($0) })
        var commands: (gateway: Gateway, path: String)?
        do throws(AdminListener.ListenError) {
            commands = try AdminListener.start(
                admin, directory: directory, control: control, folder: folder,
                process: link?.start.supervisor ?? getpid(), sockets: listening, peers: peers,
                metrics: metrics, onShortage: { log.shortage($0, of: "admin socket") })
        } catch {
            // The default socket was not asked for, and a container may not allow it.
            guard settings.admin == nil else { fail(Diagnostic(.error, error.message)) }
            log.note("no admin socket, so 'resthost status' can't find this host: \(error.message)")
        }
        if settings.verbose, link?.worker.isFirst ?? true, let commands {
            log.note("commands are taken at \(commands.path)")
        }
        var inspector: (gateway: Gateway, address: String)?
        do throws(AdminListener.ListenError) {
            // One page for all workers.
            if settings.inspect, link?.worker.isFirst ?? true {
                inspector = try InspectorListener.start(
                    directory: directory, control: control, token: link?.start.token, sockets: listening,
                    peers: peers, metrics: metrics)
            }
        } catch { fail(Diagnostic(.error, error.message)) }
        return RunListeners(
            clients: clients, operators: operators, condition: condition, admin: commands,
            inspector: inspector)
    }

    /// The socket at which other workers ask this one.
    private func startOwnSocket(
        at path: String, _ directory: ScriptDirectory, _ control: RunControl
    ) -> Gateway? {
        // A worker with this number that was killed has left its file.
        if LocalSocket.isAbandoned(path) { unlink(path) }
        do throws(AdminListener.ListenError) {
            return try AdminListener.start(
                .path(path), directory: directory, control: control, metrics: metrics)?.gateway
        } catch {
            log.note("other workers can't ask this one: \(error.message)")
            return nil
        }
    }

    func warnOfOpenAddress(_ host: ScriptHost) {
        guard !settings.quiet, let warning = GatewaySettings.openAddress(of: host, listen: addresses)
        else { return }
        log.write(warning)
    }

    func routes(of host: ScriptHost) -> String {
        var rows = host.services.filter { ServedPaths.isExposed($0.name, host) }.map { service in
            ("/\(service.name)/…", ServedPaths.summary(of: service))
        }
        rows += (host.gateway?.routes ?? []).filter { !$0.isForAllMethods || $0.method == "GET" }.map {
            ($0.path, "\($0.isForAllMethods ? "all methods" : $0.method), a route of the script")
        }
        rows.append(("/-/health", "state of the host"))
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { path, what in
            "  \(path)\(String(repeating: " ", count: width - path.count))  \(what)\n"
        }.joined()
    }

    /// With `--inspect` requests are kept from the start, otherwise from the first look at them.
    func keep(_ history: HostHistory, of gateway: PublicGateway, _ generations: Generations) {
        let note: @Sendable (AccessRecord) -> Void = { record in history.note(record) }
        history.onChange { [log] isWanted in
            do throws(Diagnostic) {
                try gateway.record(isWanted ? note : nil, for: generations.current)
            } catch { log.write(error, end: "the inspector doesn't see requests of clients") }
        }
        if settings.inspect { history.begin(generations.engine) }
    }

    /// Called at SIGUSR2, after the file was renamed.
    func reopenLogs() {
        accessLog?.reopen()
        log.note("the access log was opened anew")
    }

    /// Reports that the host runs, and from then on that its loop is alive.
    func notifyServiceManager(_ generations: Generations) {
        ServiceManager.notify(
            "READY=1\nSTATUS=generation \(generations.number) of \(generations.current.path)")
        guard let seconds = ServiceManager.watchdogSeconds else { return }
        beat(every: seconds / 2, generations.engine.scheduler)
    }

    private func beat(every seconds: Double, _ scheduler: Scheduler) {
        scheduler.after(seconds) { [weak self] in
            ServiceManager.notify("WATCHDOG=1")
            self?.beat(every: seconds, scheduler)
        }
    }
}
