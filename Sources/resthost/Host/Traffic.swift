import CurlTransport
import RestEngine
import RestScript

/// Where the requests of a command go, and where they are recorded: `--har`, `--record`, `--replay`,
/// `--traces`.
@EngineActor
final class Traffic {
    private var recorders: [TrafficRecorder] = []
    private var replay: (transport: ReplayTransport, scheduler: Scheduler)?
    private(set) var traces: TraceExporter?
    private let log: LogText

    /// Requests go over the network and are not recorded.
    init(log: LogText) { self.log = log }

    /// - Parameters:
    ///   - har: A file for people and their tools, with the beginnings of bodies.
    ///   - record: A file that can be replayed.
    ///   - source: A recording that takes the place of the network.
    ///   - collector: Gets a span for each request and each of its messages.
    convenience init(
        har: String? = nil, record: String? = nil, replay source: String? = nil,
        traces collector: TraceCollector? = nil, log: LogText
    ) throws(Diagnostic) {
        self.init(log: log)
        traces = collector.map { collector in
            TraceExporter(collector) { log.write(ScriptLogEntry(level: .error, text: $0)) }
        }
        // The file is read first, because it may be one of those that are written.
        if let source { replay = try Self.replay(source) }
        try write(to: har, TrafficRecorder.shownBytes, isReplayed: false)
        try write(to: record, TrafficRecorder.replayedBytes, isReplayed: true)
    }

    private static func replay(_ path: String) throws(Diagnostic) -> (ReplayTransport, Scheduler) {
        let scheduler = Scheduler()
        do throws(RecordingError) {
            let answers = RecordedAnswers(try HARReader.read(path), path: path)
            return (ReplayTransport(answers, scheduler: scheduler), scheduler)
        } catch { throw Diagnostic(.error, code: "recording", "\(error)") }
    }

    private func write(to path: String?, _ bodyLimit: Int, isReplayed: Bool) throws(Diagnostic) {
        guard let path else { return }
        do throws(FileError) {
            recorders.append(
                try TrafficRecorder(
                    path, version: Version.text, bodyLimit: bodyLimit, isReplayed: isReplayed
                ) { [log] error in
                    log.write(ScriptLogEntry(level: .error, text: "the recording ends here: \(error)"))
                })
        } catch { throw Diagnostic(.error, code: "recording", "\(error)") }
    }

    /// An engine that sends its requests to this destination.
    func makeEngine() -> Engine {
        let engine: Engine
        if let replay {
            engine = Engine(transport: replay.transport, scheduler: replay.scheduler)
        } else {
            engine = Engine(transport: HostEngine.transport())
        }
        engine.log.handler = { [log] category, text in log.write(category, text) }
        listen(to: engine)
        return engine
    }

    /// Records the requests of an engine.
    func listen(to engine: Engine) {
        for recorder in recorders { recorder.listen(to: engine) }
        traces?.listen(to: engine)
    }

    /// Applies the same to services with transports of their own.
    func apply(to options: inout ScriptOptions) {
        guard let transport = replay?.transport else { return }
        options.makeTransport = { _ in transport }
    }

    /// The command has failed, so existing files stay as they are.
    func abandon() {
        for recorder in recorders { recorder.abandon() }
        recorders = []
    }

    /// Returns when the collector has received the waiting spans, or can't be reached.
    func deliverTraces() async { await traces?.finish() }

    /// Moves the files to their places. False when one could not be moved.
    @discardableResult
    func finish() -> Bool {
        var isDone = true
        for recorder in recorders {
            do throws(FileError) {
                try recorder.finish()
                log.note("wrote \(recorder.entries) entries to \(recorder.path)")
            } catch {
                isDone = false
                log.write(ScriptLogEntry(level: .error, text: "\(recorder.path) is not complete: \(error)"))
            }
        }
        recorders = []
        return isDone
    }
}
