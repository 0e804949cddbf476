import CurlTransport
import RestEngine
import RestScript

/// Sends spans to a collector, as OTLP over HTTP in JSON, a batch at a time
/// (https://opentelemetry.io/docs/specs/otlp/#otlphttp; rules 70).
@EngineActor
final class TraceExporter {
    /// See docs/limits.md, L127.
    nonisolated static let mostWaiting = 2048
    private static let batch = 512
    private static let batchSeconds = 5.0
    private static let longestPause = 60.0

    private let collector: TraceCollector
    private let transport: any Transport
    private let complain: @EngineActor (String) -> Void
    private let scheduler: Scheduler
    private var trees = TraceTrees()
    private var waiting: [Tree] = []
    private var lost = 0
    private var isSending = false
    private var timer: EngineTimer?
    /// Until the next try, while the collector is away.
    private var pause = batchSeconds
    private var lastComplaint = -Double.infinity
    /// Who waits for the end, and until when, by the scheduler's uptime.
    private var end: (deadline: Double, completion: @EngineActor () -> Void)?

    /// - Parameters:
    ///   - transport: One of its own, whose messages nobody is told of.
    ///   - complain: Gets what has to be said of the collector.
    init(
        _ collector: TraceCollector, transport: any Transport = CurlTransport(),
        scheduler: Scheduler = Scheduler(), complain: @escaping @EngineActor (String) -> Void
    ) {
        self.collector = collector
        self.transport = transport
        self.scheduler = scheduler
        self.complain = complain
    }

    /// From now on, before the engine's first request: one that is under way already has no messages here.
    func listen(to engine: Engine) {
        engine.onEvent([.attempt, .response]) { [self] event in
            if let span = trees.span(for: event) { add(span) }
        }
    }

    private func add(_ span: Tree) {
        guard waiting.count < Self.mostWaiting else {
            lost += 1
            return
        }
        waiting.append(span)
        if waiting.count >= Self.batch, pause == Self.batchSeconds { return send() }
        sendLater()
    }

    private func sendLater() {
        guard timer == nil else { return }
        timer = scheduler.after(pause) { [weak self] in
            self?.timer = nil
            self?.send()
        }
    }

    /// One batch is under way at a time: the next follows when the collector has answered.
    private func send() {
        guard !isSending, !waiting.isEmpty else { return }
        let spans = Array(waiting.prefix(Self.batch))
        guard let body = try? collector.document(spans).json() else { return }
        isSending = true
        waiting.removeFirst(spans.count)
        var request = TransportRequest(
            method: "POST", url: collector.url, headers: collector.headers, body: body, maxBodyBytes: 1 << 20)
        request.timeouts.total = .seconds(end == nil ? 10 : 3)
        _ = transport.send(request) { [self] result in
            isSending = false
            take(TraceCollector.Reply(result), of: spans)
        }
    }

    private func take(_ reply: TraceCollector.Reply, of spans: [Tree]) {
        switch reply {
        case .taken(let rejected, let why):
            pause = Self.batchSeconds
            if rejected > 0 { complainOfLoss(rejected, "the collector of traces takes not all: \(why)") }
        case .refused(let why):
            pause = Self.batchSeconds
            complainOfLoss(spans.count, why)
        case .away(let why):
            let room = max(0, Self.mostWaiting - waiting.count)
            waiting.insert(contentsOf: spans.suffix(room), at: 0)
            pause = min(pause * 2, Self.longestPause)
            // At the end there is no later.
            let isOver = end != nil
            let gone = isOver ? waiting.count : spans.count - min(room, spans.count)
            if isOver { waiting = [] }
            complainOfLoss(gone, why)
        }
        if let end {
            if waiting.isEmpty || scheduler.uptime > end.deadline { return over(end.completion) }
            return send()
        }
        guard !waiting.isEmpty else { return }
        if waiting.count >= Self.batch, pause == Self.batchSeconds { send() } else { sendLater() }
    }

    /// Told at the first trouble, and then once a minute (70.3).
    private func complainOfLoss(_ count: Int, _ why: String) {
        lost += count
        guard scheduler.uptime - lastComplaint >= 60 || end != nil else { return }
        lastComplaint = scheduler.uptime
        let what =
            lost == 0 ? "spans wait" : "\(lost) span\(lost == 1 ? " is" : "s are") lost"
        complain("\(why); \(what)")
        lost = 0
    }

    private func over(_ completion: @EngineActor () -> Void) {
        end = nil
        completion()
    }

    /// Returns when what waits is delivered or given up, after some seconds at most.
    func finish() async {
        await withCheckedContinuation { continuation in
            guard isSending || !waiting.isEmpty else { return continuation.resume() }
            end = (scheduler.uptime + 3, { continuation.resume() })
            send()
        }
    }
}
