import NIOCore
import RestEngine

/// Metrics and access records of answered requests.
extension ConnectionHandler {
    func logAccess(
        _ request: ClientRequest, status: Int, _ outcome: RequestSeries.Outcome, bytes: Int,
        code: String? = nil, _ context: ChannelHandlerContext
    ) {
        if loop.metrics != nil {
            loop.count(
                labels, request.method, status: status, outcome, bytes: bytes,
                since: request.startedAt ?? loop.uptime())
            labels = GatewayMetrics.noLabels
        }
        guard loop.rules.access.recordsRequests else { return }
        let access = loop.rules.access
        let span = request.span.flatMap { isRecorded($0, of: request, outcome) ? $0 : nil }
        guard access.accessLog != nil || span != nil else { return }
        var record = AccessRecord(
            client: address(of: request.fields), method: request.method,
            target: String(decoding: request.target, as: UTF8.self), status: status, bytes: bytes,
            duration: request.startedAt.map { loop.uptime() - $0 } ?? 0, endedAt: loop.clock())
        record.requestID = request.id
        if access.accessLog != nil, request.number > 0 {
            (record.name, record.outcome, record.code) = (request.client?.name, outcome.name, code)
            record.version = isHTTP2Stream ? "HTTP/2" : request.isOld ? "HTTP/1.0" : "HTTP/1.1"
            record.userAgent = request.fields.single("user-agent")
        }
        access.accessLog?(record)
        if let span { access.spans?(record, span) }
    }

    /// Notes a request whose client left before the end of its answer, or that the host cut off when it
    /// ended. Called before the machine closes.
    func logAbandoned(_ context: ChannelHandlerContext) {
        guard let request = proxied?.answer?.request ?? machine.unanswered else { return }
        if labels == GatewayMetrics.noLabels, let pendingRead { labels = pendingRead.labels }
        let status = isLeaving ? 503 : Self.clientClosedRequest
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
