import CPlatform
import Gateway
import LuaRuntime
import Platform
import RestEngine
import RestScript

/// One `resthost run`, from loading the script to the end of the process.
@EngineActor
final class RunSession {
    static var current: RunSession?

    let settings: RunCommand
    let log: LogText
    private let hostLog = HostLog()
    private let history = HostHistory()
    private let failures = HostLog()
    private(set) var generations: Generations?
    private(set) var listeners: RunListeners?
    /// The connection to the supervisor; nil in a host of one process.
    let link: WorkerLink?
    /// The admin socket of this worker alone.
    var own: Gateway?
    private var watcher: FileWatcher?
    private var watched: Set<String> = []
    private(set) var traffic: Traffic?
    var isFinishing = false
    let sockets: [String: Int32]
    var accessLog: AccessLog?
    let metrics = GatewayMetrics()
    private let startedAt = ClockReading.timeSinceBoot
    /// The time at which the last load began, on the clock of files.
    var loadBegan = FileView.now

    /// - Parameter sockets: The sockets from the service manager, by their addresses.
    init(_ settings: RunCommand, sockets: [String: Int32] = [:], link: WorkerLink? = nil) {
        (self.sockets, self.link) = (sockets, link)
        self.settings = settings
        var log = settings.logText
        log.tap = hostLog
        log.failures = failures
        log.worker = link?.worker.number
        self.log = log
    }

    /// Begins a run with the options of the command line and of `resthost.toml`.
    static func begin(_ options: RunCommand, sockets: [String: Int32], link: WorkerLink? = nil) {
        var options = options
        if let link { SourceSnapshot.current = SourceSnapshot(link.start.sources ?? [:]) }
        var fault: Diagnostic?
        do throws(Diagnostic) { options.add(try SettingsFile.beside(options.script.config)) } catch {
            fault = error
        }
        RunEnd.times = RunEnd.Times(options)
        let session = RunSession(options, sockets: sockets, link: link)
        current = session
        if let fault { session.fail(fault) }
        session.start()
    }

    private func start() {
        let generations: Generations
        do throws(Diagnostic) {
            let traffic = try Traffic(
                har: settings.har, record: settings.record, replay: settings.replay,
                traces: try traceCollector(), log: log)
            self.traffic = traffic
            generations = try Generations(
                settings.script.values, log: log, traffic: traffic, isOffline: settings.offline,
                worker: link?.worker, number: link?.start.generation ?? 1)
        } catch {
            fail(error)
        }
        self.generations = generations
        for warning in SystemFiles.warnings() { log.note(warning) }
        if settings.metrics { metrics.begin(generations.engine) }
        let listeners = makeListeners(generations, makeControl(generations))
        self.listeners = listeners
        keep(history, of: listeners.clients, generations)
        do throws(Diagnostic) { listeners.commit(try listeners.prepare(for: generations.current)) } catch {
            fail(error)
        }
        link?.useWantedSockets()
        follow(generations)
        notifyServiceManager(generations)
        let host = generations.current
        if listeners.clients.isRunning { Streams.neverWait(log: log) }
        if let link { obey(link) }
        guard speaks else { return }
        if listeners.clients.isRunning {
            announce(listeners.listening, host)
            return warnOfOpenAddress(host)
        }
        announce(listeners.listening)
        if !host.services.isEmpty, !host.hasWork, !host.hasStartedWork {
            notify(
                "\(host.path): nothing to run: it starts no job and declares no gateway\n"
                    + "  hint: --listen \(GatewaySettings.defaultAddress) serves its services")
        }
        endIfIdle()
    }

    /// Sets what happens at each later load of a script.
    private func follow(_ generations: Generations) {
        generations.prepare = { [self] (host) throws(Diagnostic) in
            guard let listeners else { return .none }
            let change = try listeners.prepare(for: host)
            return Generations.Surroundings(
                change: { [self] in
                    let new = listeners.commit(change)
                    link?.useWantedSockets()
                    if listeners.clients.isRunning { Streams.neverWait(log: self.log) }
                    guard link?.worker.isFirst ?? true else { return }
                    announce(new)
                    if !new.clients.isEmpty { warnOfOpenAddress(host) }
                }, discard: { listeners.discard(change) })
        }
        generations.onReload = { [self] in watchForIdleness() }
        watchForIdleness()
        guard settings.watch ?? true else { return }
        let log = log
        // A supervisor watches the files for all workers.
        if link == nil {
            watcher = FileWatcher(
                warn: { log.note($0) }, onChange: { [weak self] files in self?.reload(.files(files)) })
        }
        generations.onFilesChange = { [self] in watchFiles() }
        watchFiles()
    }

    private func watchForIdleness() { generations?.current.onIdle { [self] in endIfIdle() } }

    /// Updates the watched files. It is called whenever the script has read other files.
    private func watchFiles() {
        guard let files = generations?.files.union(listeners?.certificateFiles ?? []), files != watched
        else { return }
        watched = files
        watcher?.watch(files: files, readFrom: loadBegan)
        if let link { return link.report(.watches(files.sorted(), readFrom: loadBegan)) }
        if settings.verbose { log.note("watching \(files.sorted().joined(separator: ", "))") }
    }

    private func makeControl(_ generations: Generations) -> RunControl {
        RunControl(
            load: { [self] completion in
                if let link { return link.reload(completion) }
                let start = ClockReading.timeSinceBoot
                completion(
                    reload(.request)
                        .map { _ in
                            .init(
                                generation: generations.number, seconds: ClockReading.timeSinceBoot - start)
                        }
                        .mapError { .init(report: FailureReport($0), generation: generations.number) })
            }, facts: { [self] in facts }, files: { generations.files },
            operations: { generations.current.operations }, log: hostLog, history: history,
            failures: failures)
    }

    /// Reloads the script and logs the result.
    @discardableResult
    func reload(_ trigger: ReloadTrigger) -> Result<Generations.Outcome, Diagnostic> {
        guard let generations, !isFinishing else {
            return .failure(Diagnostic(.error, "the host is about to end"))
        }
        loadBegan = FileView.now
        if case .files(let files) = trigger, generations.lastFailure == nil,
            let result = renewCertificates(files, generations)
        {
            return result
        }
        let result = generations.reload(trigger)
        switch result {
        case .success(.script(let number)):
            log.note("reloaded \(generations.current.path), \(trigger): generation \(number)")
            ServiceManager.notify("STATUS=generation \(number) of \(generations.current.path)")
        case .success(.modules(let names)):
            log.note("reloaded \(names.joined(separator: ", ")), \(trigger)")
        case .failure(let diagnostic):
            ServiceManager.notify("STATUS=generation \(generations.number) goes on: the last reload failed")
            log.write(
                diagnostic, end: "not reloaded, \(trigger): generation \(generations.number) goes on")
        }
        return result
    }

    /// When only certificate files have changed, they are read again and the script stays. Nil when other
    /// files have changed, too.
    private func renewCertificates(
        _ changed: [String], _ generations: Generations
    ) -> Result<Generations.Outcome, Diagnostic>? {
        guard let listeners, listeners.certificateFiles.isSuperset(of: changed) else { return nil }
        let names = changed.sorted().joined(separator: ", ")
        do throws(Diagnostic) {
            try listeners.renewCertificates(of: generations.current)
            log.note("new connections get what \(names) has now")
            return .success(.modules([]))
        } catch {
            log.write(error, end: "the gateway goes on with the certificates that it has")
            return .failure(error)
        }
    }

    private var facts: HostFacts {
        let uptime = ClockReading.timeSinceBoot - startedAt
        var facts = HostFacts(
            process: getpid(), uptime: uptime, script: settings.script.config, folder: WorkingFolder.path,
            generationAge: uptime)
        facts.supervisor = link?.start.supervisor
        if let generations { facts.add(generations) }
        if let listeners { facts.add(listeners) }
        facts.warnings += SystemFiles.warnings()
        let hangs = LuaWatchdog.shared.hangs
        if hangs > 0 {
            facts.warnings.append(
                "\(hangs) run\(hangs == 1 ? "" : "s") of Lua hung in a call that no limit can end: see the log"
            )
        }
        return facts
    }

    /// Writes a message for the person who started the program.
    private func notify(_ text: String) {
        var log = log
        log.clock = nil
        log.note(text)
    }

    func fail(_ diagnostic: Diagnostic) -> Never {
        traffic?.abandon()
        var log = log
        // This message appears before the log, so it has no time.
        log.clock = nil
        log.write(diagnostic)
        Streams.exit(2)
    }

    /// The text is written in one piece, because a program that waits for the first line may stop reading
    /// after it.
    private func announce(_ addresses: RunListeners.Addresses, _ host: ScriptHost? = nil) {
        guard !settings.quiet else { return }
        let secured = listeners?.secured ?? []
        func line(_ what: String, _ address: String) -> String {
            let scheme = address.hasPrefix("unix:") ? "" : secured.contains(address) ? "https://" : "http://"
            return "\(what) \(scheme)\(address)\n"
        }
        var text = addresses.clients.map { line("listening on", $0) }.joined()
        if let host { text += routes(of: host) }
        text += addresses.operators.map { line("operators at", $0) }.joined()
        if host != nil, let address = listeners?.inspectorAddress { text += "inspector at \(address)\n" }
        Streams.output(text)
    }

    /// Memory is short, so unused resources are dropped.
    func relieveMemory() {
        guard let host = generations?.current, !isFinishing else { return }
        let dropped = host.relieveMemory()
        cplatform_give_back_freed_memory()
        log.note("memory is short: dropped \(dropped) resources that nobody uses")
    }

    private var isIdle: Bool {
        // The jobs of a script run in the first worker, so that one decides.
        (link?.worker.isFirst ?? true) && listeners?.clients.isRunning != true
            && generations.map { !$0.current.hasWork && $0.retiredCount == 0 } ?? false
    }

    /// Checks again two passes of the loop later, because a queued hook may begin new work.
    private func endIfIdle() {
        guard isIdle else { return }
        EngineLoop.shared.submit {
            EngineLoop.shared.submit { [self] in
                guard isIdle else { return }
                let code: Int32 = generations.map { $0.failedJobs > 0 } ?? false ? 1 : 0
                link?.report(.ending(code: code))
                finish(code)
            }
        }
    }
}
