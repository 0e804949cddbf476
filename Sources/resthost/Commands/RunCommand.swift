import ArgumentParser
import Gateway
import Platform
import RestEngine

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a script: its jobs, its timers, and its gateway.",
        discussion: """
            The gateway is served when the script declares one with rest.gateway, or when --listen is given. \
            The program ends when nothing is left to do, or at SIGINT or SIGTERM, after the requests in flight. It exits \
            with 1 when a job failed that no function waited for, or a timer's function failed.

            The script is loaded again when one of its files changes, at SIGHUP, and at 'resthost reload'. The host takes \
            commands at a socket that only its user can open; 'resthost status' shows its path.

            The output of the script goes to standard output. The log goes to standard error, with a line for each entry and \
            its time in UTC.

            When the kernel reports that memory is short, and at SIGUSR1, the host drops resources that are not in use.

            Examples:
              resthost run config.lua
              resthost run config.lua --listen 127.0.0.1:8080 --listen unix:/run/resthost.sock
              resthost run config.lua --listen 127.0.0.1:8080 --log network --log-format json
              resthost run config.lua --listen 127.0.0.1:8080 --inspect
              resthost run config.lua --listen 0.0.0.0:8080 --workers auto
              resthost run config.lua --record session.har
              resthost run config.lua --replay session.har
              resthost run config.lua --traces http://127.0.0.1:4318
              curl http://127.0.0.1:8080/github/users/octocat
            """)

    @OptionGroup var script: ScriptArguments

    @Option(
        help: ArgumentHelp(
            "Serve the gateway here; may be repeated. Port 0 is chosen by the system.",
            valueName: "host:port | unix:path"))
    var listen: [String] = []

    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp(
            "Serve operators here alone, with metrics and events; may be repeated.",
            valueName: "host:port | unix:path"))
    var operators: [String] = []

    @Option(
        help: ArgumentHelp(
            "Processes that serve the script; auto: one for each processor; default: 1.",
            valueName: "count | auto"))
    var workers: WorkerCount?

    @Option(
        help: ArgumentHelp(
            "Threads that serve the gateway; default: as many as processors, less one for the engine.",
            valueName: "count"))
    var gatewayThreads: Int?

    @Option(
        help: ArgumentHelp(
            "Seconds that requests and jobs in flight get at the end; default: 5.", valueName: "seconds"))
    var drain: Double?

    @Option(
        help: ArgumentHelp(
            "Seconds before that in which the host isn't ready, while it serves requests; default: 0.",
            valueName: "seconds"))
    var drainDelay: Double?

    @Option(
        help: ArgumentHelp(
            "Take commands at this Unix socket; default: $XDG_RUNTIME_DIR/resthost/PID.sock, or below /tmp.",
            valueName: "path | off"), completion: .file())
    var admin: String?

    @Flag(help: "Count for /-/metrics from the start; default: from the first time that it is asked for.")
    var metrics = false

    @Flag(help: "Show the host in a browser: the inspector's address is printed, with a token that opens it.")
    var inspect = false

    @Flag(inversion: .prefixedNo, help: "Reload the script when one of its files changes; default: it does.")
    var watch: Bool?

    @Flag(help: "For development: show clients the message and the line of an error of the script.")
    var dev = false

    @Flag(help: "Write only the errors of the log; the output of the script stays.")
    var quiet = false

    @Option(help: ArgumentHelp("How log lines are written: text (default) or json.", valueName: "format"))
    var logFormat: LogText.Format?

    @Option(
        help: ArgumentHelp(
            "Write a line for each response of the gateway into this file; SIGUSR2 opens it again.",
            valueName: "file"), completion: .file())
    var accessLog: String?

    @Option(help: ArgumentHelp("How these lines are written: text or json.", valueName: "format"))
    var accessLogFormat: LogText.Format?

    @Option(
        help: ArgumentHelp(
            "Send a span for each request, and each of its messages, to this collector (OTLP over HTTP).",
            valueName: "url"))
    var traces: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Begin log lines with the time; default: unless they go to systemd's journal, which adds it.")
    var logTime: Bool?

    @Flag(help: "Send nothing: serve data of any age from the caches, and fail for all else.")
    var offline = false

    @Flag(help: "Print the path of the admin socket, and the files that are watched.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Write requests and responses to a HAR file, for a browser's developer tools.",
            valueName: "file"), completion: Completions.recording)
    var har: String?

    @Option(
        help: ArgumentHelp("Write a recording (HAR) that --replay and tests answer from.", valueName: "file"),
        completion: Completions.recording)
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Send nothing: answer requests from a recording (HAR), of --record or a browser.",
            valueName: "file"), completion: Completions.recording)
    var replay: String?

    var logText: LogText {
        var log = LogText(isQuiet: quiet, prints: .output, format: logFormat ?? .text)
        if logTime ?? !ServiceManager.notesTimes { log.clock = { ClockReading.timeOfDay } }
        return log
    }

    func validate() throws {
        if let gatewayThreads, gatewayThreads < 1 {
            throw ValidationError("--gateway-threads must be 1 or more")
        }
        if let admin, admin.isEmpty { throw ValidationError("--admin must be the path of a socket, or off") }
        let files = [har, record, replay].compactMap(\.self)
        guard Set(files).count == files.count else {
            throw ValidationError("--har, --record and --replay must be different files")
        }
        if let traces {
            do { _ = try TraceCollector(traces) } catch {
                throw ValidationError("--traces: \(error.message)")
            }
        }
        for (name, seconds) in [("drain", drain), ("drain-delay", drainDelay)] {
            guard seconds.map({ $0 >= 0 && $0.isFinite }) ?? true else {
                throw ValidationError("--\(name) must be a number of seconds")
            }
        }
    }

    /// The number of workers. A file of settings that can't be read counts as none here; the run reports it.
    private var workerCount: Int {
        let file = try? SettingsFile.beside(script.config)
        return (workers ?? file?.workers ?? .count(1)).number
    }

    func run() throws {
        let link = WorkerLink.ofThisProcess()
        let workers = link == nil ? workerCount : 1
        if workers > 1 { return Supervisor.run(self, workers: workers) }
        ProcessLimits.requireForHost(threads: gatewayThreads ?? max(1, MachineProcessors.current.count - 1))
        let signals = ProcessSignals(ProcessSignals.terminating + [SIGHUP, SIGUSR1, SIGUSR2])
        let sockets = ServiceManager.takeSockets()
        let terminal = TerminalPresence()
        MemoryReturn.begin()
        MemoryPressure()?.watch { RunSession.current?.relieveMemory() }
        let settings = self
        EngineLoop.shared.submit { RunSession.begin(settings, sockets: sockets, link: link) }
        // The main thread waits for signals. The session ends the process when no work is left.
        while true {
            switch signals.next() {
            case SIGHUP where !terminal.isLost:
                EngineLoop.shared.submit { RunSession.current?.reload(.signal) }
            case SIGUSR2: EngineLoop.shared.submit { RunSession.current?.reopenLogs() }
            case SIGUSR1: EngineLoop.shared.submit { RunSession.current?.relieveMemory() }
            default:
                // A second signal ends the process at once.
                signals.stopCatchingTermination()
                EngineLoop.shared.submit { RunSession.current?.leave() }
                RunEnd.enforce()
            }
        }
    }
}

extension LogText.Format: ExpressibleByArgument {}
