import Gateway
import Platform
import RestEngine
import RestScript

/// The process of `resthost run --workers`: it starts the workers, keeps their listening sockets, watches the
/// files and leads reloads. It is not on the path of any request.
///
/// It uses the engine loop as its thread, without an engine. For each worker one thread reads its reports and
/// waits for its end, and one reads its requests for sockets.
@EngineActor
final class Supervisor {
    static var current: Supervisor?

    /// Seconds for one phase of a reload. A script has 10 s of CPU time to load.
    private static let patience = 60.0

    private var state: SupervisorState
    private var workers: [Int: WorkerProcess] = [:]
    private var sockets: SharedSockets
    /// The addresses of the service manager's sockets.
    private let addresses: [String]
    /// The names of the sockets that each worker uses.
    private var used: [Int: Set<String>] = [:]
    private var watched: [Int: Set<String>] = [:]
    private var sources: SourceSnapshot.Files?
    private var nextSources: SourceSnapshot.Files?
    private var roundBegan = 0.0
    private var lastBeats: [Int: Double] = [:]
    private var watcher: FileWatcher?
    private let settings: RunCommand
    private let log: LogText
    private let token = (0..<3).map { _ in Hex.digits(UInt64.random(in: .min ... .max)) }.joined()
    private let scheduler = Scheduler()
    private let beat: Double

    init(_ settings: RunCommand, workers: Int, sockets: [String: Int32]) {
        self.settings = settings
        log = settings.logText
        state = SupervisorState(count: workers)
        self.sockets = SharedSockets(given: sockets)
        addresses = sockets.keys.sorted()
        beat = (ServiceManager.watchdogSeconds ?? 0) / 4
    }

    /// Starts the workers of a run.
    static func begin(_ settings: RunCommand, workers: Int, sockets: [String: Int32]) {
        let supervisor = Supervisor(settings, workers: workers, sockets: sockets)
        current = supervisor
        if settings.watch ?? true {
            let log = supervisor.log
            supervisor.watcher = FileWatcher(
                warn: { log.note($0) },
                onChange: { [weak supervisor] in supervisor?.filesChanged($0) })
        }
        supervisor.perform(supervisor.state.begin(at: supervisor.scheduler.uptime))
    }

    // MARK: Signals

    func reload(_ trigger: ReloadTrigger) { perform(state.wantsReload(trigger)) }

    /// Ends all workers, and then the supervisor.
    func leave() {
        ServiceManager.notify("STOPPING=1")
        perform(state.leave())
        // Each worker ends itself when its time is over. One that can't is ended here.
        let times = RunEnd.times
        scheduler.after(times.delay + times.drain + RunEnd.longestEnd) { [self] in
            log.write(Diagnostic(.error, "\(workers.count) workers hang, and were ended by force"))
            kill()
        }
    }

    /// Ends everything at once.
    func kill() -> Never {
        for worker in workers.values { Platform.kill(worker.process, SIGKILL) }
        Streams.exit(1)
    }

    func forward(_ signal: Int32) {
        for worker in workers.values { Platform.kill(worker.process, signal) }
    }

    // MARK: Actions

    private func perform(_ actions: [SupervisorState.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: SupervisorState.Action) {
        switch action {
        case .start(let number): start(number)
        case .startLater(let number, let seconds):
            scheduler.after(seconds) { [self] in perform(state.startIsDue(number, at: scheduler.uptime)) }
        case .tryLoad(let number, let round, let readsDisk):
            if readsDisk { roundBegan = scheduler.uptime }
            send(.tryLoad(round: round, readsDisk ? nil : nextSources ?? [:]), to: number)
            limit(round)
        case .reload(let number, let round, let trigger):
            sources = nextSources
            send(.reload(round: round, trigger, sources ?? [:]), to: number)
            limit(round)
        case .roundEnded(let trigger, let failure, let clients): end(trigger, failure, clients)
        case .stop(let number): signal(number, SIGTERM)
        case .kill(let number): signal(number, SIGKILL)
        case .isUp:
            ServiceManager.notify("READY=1\nSTATUS=\(state.count) workers of \(settings.script.config)")
            log.note("\(state.count) workers serve \(settings.script.config)")
            watchWorkers()
        case .exit(let code):
            sockets.keep(only: [])
            Streams.exit(code)
        case .log(let text): log.write(ScriptLogEntry(level: .warn, text: text))
        }
    }

    private func limit(_ round: Int) {
        scheduler.after(Self.patience) { [self] in
            perform(state.roundIsLate(round, at: scheduler.uptime))
        }
    }

    private func signal(_ number: Int, _ signal: Int32) {
        if let worker = workers[number] { Platform.kill(worker.process, signal) }
    }

    private func start(_ number: Int) {
        let worker: WorkerProcess
        do throws(WorkerProcess.Fault) { worker = try WorkerProcess.start() } catch {
            log.write(Diagnostic(.error, code: "worker", "can't start worker \(number): \(error.message)"))
            return ended(number, .code(1))
        }
        let start = WorkerStart(
            worker: WorkerNumber(number: number, count: state.count), supervisor: getpid(),
            generation: state.generation, sources: sources, addresses: addresses,
            isSuccessor: state.hasRun(number), beat: beat,
            token: token)
        workers[number] = worker
        (used[number], lastBeats[number]) = ([], scheduler.uptime)
        follow(number, worker)
        send(.begin(start), to: number)
    }

    private func follow(_ number: Int, _ worker: WorkerProcess) {
        NamedThread.startOrStop(name: "worker \(number)") {
            while let message = try? worker.orders.receive() {
                guard let report = WorkerReport(message.message) else {
                    Platform.kill(worker.process, SIGKILL)
                    break
                }
                EngineLoop.shared.submit { Supervisor.current?.note(report, of: number, worker) }
            }
            let end = worker.wait()
            EngineLoop.shared.submit { Supervisor.current?.ended(number, end) }
        }
        NamedThread.startOrStop(name: "sockets \(number)") {
            while let request = try? worker.sockets.receive() {
                EngineLoop.shared.submit { Supervisor.current?.answer(request.message, of: number, worker) }
            }
        }
    }

    private func ended(_ number: Int, _ end: WorkerEnd) {
        workers[number]?.orders.shutDown()
        workers[number]?.sockets.shutDown()
        workers[number] = nil
        perform(state.ended(number, end, at: scheduler.uptime))
    }

    private func send(_ order: WorkerOrder, to number: Int) {
        guard let worker = workers[number] else { return }
        do throws(MessageSocket.Fault) { try worker.orders.send(order.message) } catch {
            // It takes nothing, so it hangs or is about to end.
            Platform.kill(worker.process, SIGKILL)
        }
    }

    // MARK: Reports

    private func note(_ report: WorkerReport, of number: Int, _ worker: WorkerProcess) {
        guard workers[number] === worker else { return }
        let now = scheduler.uptime
        switch report {
        case .ready(let files):
            if sources == nil { sources = files }
            perform(state.isReady(number, at: now))
        case .watches(let files, let start): watch(files, of: number, readFrom: start)
        case .tried(let round, let failure, let files):
            if !files.isEmpty { nextSources = files }
            perform(state.tried(number, round: round, failure: failure, at: now))
        case .reloaded(let round, let failure):
            perform(state.reloaded(number, round: round, failure: failure, at: now))
        case .wantsReload(let id):
            perform(state.wantsReload(.request, by: .init(worker: number, id: id)))
        case .alive: lastBeats[number] = now
        case .ending(let code): state.isEnding(number, code: code)
        }
    }

    private func end(_ trigger: ReloadTrigger, _ failure: Tree?, _ clients: Set<SupervisorState.Client>) {
        let path = settings.script.config
        if let failure {
            for number in state.running { send(.abandon(failure: failure, trigger), to: number) }
            let report = FailureReport(failure, message: failure["message"]?.string ?? "it failed")
            log.write(
                report.diagnostic,
                end: "not reloaded, \(trigger): generation \(state.generation) goes on in all workers")
            ServiceManager.notify("STATUS=generation \(state.generation) goes on: the last reload failed")
        } else {
            log.note("reloaded \(path), \(trigger): generation \(state.generation) in \(state.count) workers")
            ServiceManager.notify("STATUS=generation \(state.generation) of \(path)")
            closeUnusedSockets()
        }
        let seconds = scheduler.uptime - roundBegan
        for client in clients {
            send(
                .answered(
                    id: client.id, generation: state.generation, seconds: seconds, failure: failure),
                to: client.worker)
        }
    }

    // MARK: Sockets

    /// A request names the sockets that the worker uses, or one that it needs.
    private func answer(_ request: MessageSocket.Message, of number: Int, _ worker: WorkerProcess) {
        guard workers[number] === worker else { return }
        if let names = request.head["uses"]?.elements {
            used[number] = Set(names.compactMap(\.string))
            // In a reload some workers still use the addresses of the old version.
            if !state.isReloading { closeUnusedSockets() }
            return
        }
        guard let name = request.head["name"]?.string, let text = request.head["address"]?.string,
            let address = try? ListenAddress(text)
        else { return worker.sockets.shutDown() }
        let mode = request.head["mode"]?.int.flatMap { Int(exactly: $0) }
        do throws(BoundSocket.Fault) {
            let socket = try sockets.socket(name, at: address, mode: mode)
            used[number, default: []].insert(name)
            try? worker.sockets.send(.init(head: ["code": 0]), passing: socket)
        } catch { try? worker.sockets.send(.init(head: ["code": Tree(Int(error.code))])) }
    }

    private func closeUnusedSockets() {
        sockets.keep(only: used.values.reduce(into: []) { $0.formUnion($1) })
    }

    // MARK: Files

    private func watch(_ files: [String], of number: Int, readFrom start: Double) {
        watched[number] = Set(files)
        let all = watched.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        watcher?.watch(files: all, readFrom: start)
        if settings.verbose, number == 1 {
            log.note("watching \(all.sorted().joined(separator: ", "))")
        }
    }

    private func filesChanged(_ files: [String]) { reload(.files(files)) }

    // MARK: Signs of life

    /// The service manager hears of the host as long as the loops of all workers are alive.
    private func watchWorkers() {
        guard beat > 0 else { return }
        scheduler.after(beat) { [self] in
            let limit = scheduler.uptime - 3 * beat
            if state.running.allSatisfy({ lastBeats[$0] ?? 0 >= limit }) {
                ServiceManager.notify("WATCHDOG=1")
            }
            watchWorkers()
        }
    }
}
