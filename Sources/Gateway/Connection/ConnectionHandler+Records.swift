import NIOCore
import RestEngine

/// What is counted and written down of a request that was answered.
extension ConnectionHandler {
    func logAccess(
        _ request: ClientRequest, status: Int, _ outcome: RequestSeries.Outcome, bytes: Int,
        _ context: ChannelHandlerContext
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
        let record = AccessRecord(
            client: context.channel.remoteAddress?.ipAddress, method: request.method,
            target: String(decoding: request.target, as: UTF8.self), status: status, bytes: bytes,
            duration: request.startedAt.map { loop.uptime() - $0 } ?? 0, endedAt: loop.clock())
        access.accessLog?(record)
        if let span { access.spans?(record, span) }
    }

    /// Memory answers more than a collector could take, and probes come all the time.
    private func isRecorded(
        _ span: TraceSpan, of request: ClientRequest, _ outcome: RequestSeries.Outcome
    ) -> Bool {
        guard span.context.isSampled, span.parentID != nil || outcome != .hit else { return false }
        if case .host = request.target.withUnsafeBytes({ RequestTarget($0) }) { return false }
        return true
    }

    /// Of a request that begins now; nil when nobody will ask how long it took.
    var startTime: Double? {
        loop.rules.access.recordsRequests || loop.metrics != nil ? loop.uptime() : nil
    }
}
