import CurlTransport
import Gateway
import RestEngine
import RestScript

/// Sends spans to a collector, as OTLP over HTTP in JSON, a batch at a time
/// (https://opentelemetry.io/docs/specs/otlp/#otlphttp; rules 70).
@EngineActor
final class TraceExporter {
    /// The most spans that wait. See docs/reference/limits.md, L127.
    nonisolated static let mostWaiting = 2048
    private static let batch = 512
    private static let batchSeconds = 5.0
    private static let longestPause = 60.0

    private let collector: TraceCollector
    private let transport: any Transport
    private let complain: @EngineActor (String) -> Void
    private let scheduler: Scheduler
    private var requests = RequestSpans()
    private var waiting: [Tree] = []
    private var lost = 0
    /// The number of spans in the batch that is being sent.
    private var underWay = 0
    private var isSending: Bool { underWay > 0 }
    private var timer: EngineTimer?
    /// The seconds until the next try, while the collector can't be reached.
    private var pause = batchSeconds
    private var lastComplaint = -Double.infinity
    /// The caller that waits for the end, and the timer that ends this wait.
    private var end: (timer: EngineTimer, completion: @EngineActor () -> Void)?
    private static let endSeconds = 3.0

    /// - Parameters:
    ///   - transport: A transport of its own, whose messages cause no events.
    ///   - complain: Gets messages about the collector.
    init(
        _ collector: TraceCollector, transport: any Transport = CurlTransport(),
        scheduler: Scheduler = Scheduler(), complain: @escaping @EngineActor (String) -> Void
    ) {
        self.collector = collector
        self.transport = transport
        self.scheduler = scheduler
        self.complain = complain
    }

    /// Listens from now on. It is called before the engine's first request, because a running request would
    /// lack its messages.
    func listen(to engine: Engine) {
        engine.recordsSpans = true
        engine.onComputation = { [self] computation in
            if computation.span.context.isSampled { add(OTLPSpan.computed(computation)) }
        }
        engine.onEvent([.attempt, .response]) { [self] event in
            if let span = requests.span(for: event) { add(span) }
        }
    }

    /// Called on any thread when a client's request was answered.
    nonisolated func note(_ record: AccessRecord, as span: TraceSpan) {
        EngineLoop.shared.submit { self.add(OTLPSpan.served(record, as: span)) }
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

    /// Sends one batch at a time. The next one follows when the collector has answered.
    private func send() {
        guard !isSending, !waiting.isEmpty else { return }
        let spans = Array(waiting.prefix(Self.batch))
        waiting.removeFirst(spans.count)
        underWay = spans.count
        var request = TransportRequest(
            method: "POST", url: collector.url, headers: collector.headers,
            body: collector.document(spans).bytes,
            maxBodyBytes: 1 << 20)
        request.timeouts.total = .seconds(end == nil ? 10 : Self.endSeconds)
        _ = transport.send(request) { [self] result in
            underWay = 0
            take(TraceCollector.Reply(result), of: spans)
        }
    }

    private func take(_ reply: TraceCollector.Reply, of spans: [Tree]) {
        switch reply {
        case .taken(let rejected, let why):
            pause = Self.batchSeconds
            if rejected > 0 { complainOfLoss(rejected, "the collector of traces did not take all: \(why)") }
        case .refused(let why):
            pause = Self.batchSeconds
            complainOfLoss(spans.count, why)
        case .away(let why):
            let room = max(0, Self.mostWaiting - waiting.count)
            waiting.insert(contentsOf: spans.suffix(room), at: 0)
            pause = min(pause * 2, Self.longestPause)
            // At the end the batch is not sent again.
            let isOver = end != nil
            let gone = isOver ? waiting.count : spans.count - min(room, spans.count)
            if isOver { waiting = [] }
            complainOfLoss(gone, why)
        }
        goOn()
    }

    private func goOn() {
        if end != nil { return waiting.isEmpty ? endNow() : send() }
        guard !waiting.isEmpty else { return }
        if waiting.count >= Self.batch, pause == Self.batchSeconds { send() } else { sendLater() }
    }

    /// Logs the first failure, and then at most one a minute (70.3).
    private func complainOfLoss(_ count: Int, _ why: String) {
        lost += count
        guard scheduler.uptime - lastComplaint >= 60 || end != nil else { return }
        lastComplaint = scheduler.uptime
        let what =
            lost == 0 ? "spans wait" : "\(lost) span\(lost == 1 ? " is" : "s are") lost"
        complain("\(why); \(what)")
        lost = 0
    }

    private func endNow() {
        guard let end else { return }
        self.end = nil
        end.timer.cancel()
        end.completion()
    }

    /// The time is up, so the batch that is being sent is given up.
    private func giveUp() {
        let gone = waiting.count + underWay
        waiting = []
        if gone > 0 { complainOfLoss(gone, "the collector of traces takes too long") }
        endNow()
    }

    /// Returns when the waiting spans are delivered or given up, after a few seconds at most (70.4).
    func finish() async {
        await withCheckedContinuation { continuation in
            guard isSending || !waiting.isEmpty else { return continuation.resume() }
            let timer = scheduler.after(Self.endSeconds) { [weak self] in self?.giveUp() }
            end = (timer, { continuation.resume() })
            send()
        }
    }
}
