import NIOCore
import RestEngine

/// Metrics and access records of answered requests.
extension ConnectionHandler {
    func logAccess(
        _ request: ClientRequest, status: Int, _ outcome: RequestSeries.Outcome, bytes: Int,
        code: String? = nil, _ context: ChannelHandlerContext
    ) {
        count(request, status: status, outcome, bytes: bytes)
        if let begun = record(request, status: status, outcome, code: code) { note(begun, bytes: bytes) }
    }

    private func count(
        _ request: ClientRequest, status: Int, _ outcome: RequestSeries.Outcome, bytes: Int
    ) {
        guard loop.metrics != nil else { return }
        loop.count(
            labels, request.method, status: status, outcome, bytes: bytes,
            since: request.startedAt ?? loop.uptime())
        labels = GatewayMetrics.noLabels
    }

    /// An answer's record, without the data of its end.
    struct BegunRecord {
        fileprivate var record: AccessRecord
        fileprivate let span: TraceSpan?
        fileprivate let startedAt: Double?
    }

    /// Nil if neither the log nor the collector wants it.
    private func record(
        _ request: ClientRequest, status: Int, _ outcome: RequestSeries.Outcome, code: String?
    ) -> BegunRecord? {
        guard loop.rules.access.recordsRequests else { return nil }
        let access = loop.rules.access
        let span = request.span.flatMap { isRecorded($0, of: request, outcome) ? $0 : nil }
        guard access.accessLog != nil || span != nil else { return nil }
        var record = AccessRecord(
            client: address(of: request.fields), method: request.method,
            target: String(decoding: request.target, as: UTF8.self), status: status, bytes: 0, duration: 0,
            endedAt: 0)
        record.requestID = request.id
        if access.accessLog != nil, request.number > 0 {
            (record.name, record.outcome, record.code) = (request.client?.name, outcome.name, code)
            record.version = isHTTP2Stream ? "HTTP/2" : request.isOld ? "HTTP/1.0" : "HTTP/1.1"
            record.userAgent = request.fields.single("user-agent")
        }
        if span != nil { (record.route, record.isSecure) = (route(of: request, outcome), secure != nil) }
        return BegunRecord(record: record, span: span, startedAt: request.startedAt)
    }

    private func note(_ begun: BegunRecord, bytes: Int) {
        var record = begun.record
        (record.bytes, record.endedAt) = (bytes, loop.clock())
        record.duration = begun.startedAt.map { loop.uptime() - $0 } ?? 0
        loop.rules.access.accessLog?(record)
        if let span = begun.span { loop.rules.access.spans?(record, span) }
    }

    /// The route or the service that answered. It is one of a few, whatever clients ask for.
    private func route(of request: ClientRequest, _ outcome: RequestSeries.Outcome) -> String? {
        if case .route(let entry, _) = loop.rules.access.routes.match(request.method, request.target) {
            return entry.route.template
        }
        if let service = request.service { return "/\(service)/**" }
        // Memory has answers of services that exist.
        guard outcome == .hit,
            case .resource(let path) = request.target.withUnsafeBytes({ RequestTarget($0) })
        else { return nil }
        return "/\(path.service)/**"
    }

    // MARK: Streams of events

    /// A stream of events that has begun.
    struct BegunStream {
        /// Nil if neither the log nor the collector wants it.
        fileprivate let record: BegunRecord?
        var sentBytes = 0
    }

    /// Counts a stream of events, which is in the log at its end.
    func beginStream(_ request: ClientRequest) {
        count(request, status: 200, .answered, bytes: 0)
        begunStream = BegunStream(record: record(request, status: 200, .answered, code: nil))
    }

    private func concludeStream() {
        guard let begun = begunStream else { return }
        begunStream = nil
        if let record = begun.record { note(record, bytes: begun.sentBytes) }
    }

    // MARK: The end

    /// Notes a stream of events, a request whose client left before the end of its answer, and one that the
    /// host cut off when it ended. Called before the machine closes.
    func logAbandoned(_ context: ChannelHandlerContext) {
        concludeStream()
        guard let request = proxied?.answer?.request ?? machine.unanswered else { return }
        if labels == GatewayMetrics.noLabels, let pendingRead { labels = pendingRead.labels }
        // A stream of events has no other end.
        let isOfEvents = proxied?.answer?.streamed.isEventStream ?? false
        let status =
            isOfEvents ? proxied?.answer?.streamed.status ?? 200 : isLeaving ? 503 : Self.clientClosedRequest
        logAccess(
            request, status: status, .init(status: status), bytes: proxied?.answer?.sentBytes ?? 0, context)
    }

    /// The status in logs and metrics for a request whose client left. No registered status means this; other
    /// servers use the same number.
    private static let clientClosedRequest = 499

    /// Whether the span is recorded. Answers from memory that belong to no trace are too many for a
    /// collector, and so are the probes of the host.
    private func isRecorded(
        _ span: TraceSpan, of request: ClientRequest, _ outcome: RequestSeries.Outcome
    ) -> Bool {
        guard span.context.isSampled, span.parentID != nil || outcome != .hit else { return false }
        if case .host = request.target.withUnsafeBytes({ RequestTarget($0) }) { return false }
        return true
    }

    /// The start of a request that begins now; nil if its duration isn't recorded.
    var startTime: Double? {
        loop.rules.access.recordsRequests || loop.metrics != nil ? loop.uptime() : nil
    }
}
