import Platform
import RestEngine
import RestScript

/// The main thread of a supervisor.
extension Supervisor {
    /// Runs a host of several workers until it ends, on the main thread.
    nonisolated static func run(_ options: RunCommand, workers: Int) {
        let signals = ProcessSignals(ProcessSignals.terminating + [SIGHUP, SIGUSR1, SIGUSR2])
        let sockets = ServiceManager.takeSockets()
        let terminal = TerminalPresence()
        var settings = options
        do throws(Diagnostic) {
            settings.add(try SettingsFile.beside(options.script.config))
            try refuseRecordings(settings)
        } catch {
            settings.logText.write(error)
            Streams.exit(2)
        }
        RunEnd.times = RunEnd.Times(settings)
        EngineLoop.shared.submit { [settings] in begin(settings, workers: workers, sockets: sockets) }
        var isEnding = false
        while true {
            let signal = signals.next()
            switch signal {
            case SIGHUP where !terminal.isLost: EngineLoop.shared.submit { current?.reload(.signal) }
            case SIGUSR1, SIGUSR2: EngineLoop.shared.submit { current?.forward(signal) }
            default:
                // A second signal ends all processes at once.
                EngineLoop.shared.submit { [isEnding] in
                    if isEnding { current?.kill() }
                    current?.leave()
                }
                isEnding = true
            }
        }
    }

    /// Several processes can't write one recording.
    private nonisolated static func refuseRecordings(_ settings: RunCommand) throws(Diagnostic) {
        guard let file = settings.har ?? settings.record else { return }
        throw Diagnostic(
            .error, code: "workers", "several workers can't write the recording \(file) together",
            hint: "run one worker: --workers 1")
    }
}
