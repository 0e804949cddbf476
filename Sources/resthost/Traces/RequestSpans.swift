import RestEngine

/// Makes spans of events: one for a request, and below it one for each of its messages (rule 70.1).
struct RequestSpans {
    /// Requests with messages that have not ended; see docs/reference/limits.md, L132.
    static let mostOpen = 10_000

    /// The span of a request.
    private struct Open {
        let trace: String
        let span: String
        let parent: String?
        let isSampled: Bool
        var messages = 0
    }

    private var open: [UInt64: Open] = [:]

    /// The span that ends with an event; nil when there is none, or when its trace is not recorded.
    mutating func span(for event: EngineEvent) -> Tree? {
        guard let request = event.request else { return nil }
        switch event.detail {
        case .attempt(let attempt):
            var above = open[request] ?? begin(attempt.span)
            above.messages += 1
            if open.count < Self.mostOpen { open[request] = above }
            guard above.isSampled else { return nil }
            return Self.message(attempt, event, above)
        case .response(let outcome):
            let own = open.removeValue(forKey: request) ?? begin(nil)
            return own.isSampled ? Self.request(outcome, event, own) : nil
        default: return nil
        }
    }

    /// A request whose messages carry `traceparent` belongs to that trace, below the span that caused it.
    private func begin(_ sent: TraceSpan?) -> Open {
        let context = sent?.context ?? .root()
        return Open(
            trace: context.traceID, span: TraceContext.newSpanID(), parent: sent?.parentID,
            isSampled: context.isSampled)
    }

    private static func message(_ attempt: EngineEvent.Attempt, _ event: EngineEvent, _ above: Open) -> Tree {
        var span = OTLPSpan(event)
        if above.messages > 1 { span.add("http.request.resend_count", above.messages - 1) }
        if let reason = attempt.reason { span.add("resthost.reason", reason) }
        switch attempt.result {
        case .success(let response):
            span.add("http.response.status_code", response.status)
            span.add("network.protocol.version", String(response.httpVersion.drop { $0 != "/" }.dropFirst()))
            if response.status >= 400 { span.fail("\(response.status)") }
        case .failure(let error):
            span.fail(attempt.isCancelled ? "request_cancelled" : error.code.rawValue)
        }
        return span.tree(
            event.method ?? "HTTP", .client, trace: above.trace,
            span: attempt.span?.context.spanID ?? TraceContext.newSpanID(), parent: above.span,
            from: attempt.began, to: attempt.began + attempt.seconds)
    }

    private static func request(_ outcome: EngineEvent.Outcome, _ event: EngineEvent, _ own: Open) -> Tree {
        var span = OTLPSpan(event)
        if let status = outcome.status { span.add("http.response.status_code", status) }
        if let error = outcome.error { span.fail(error, outcome.message) }
        let name = [event.method ?? "HTTP", event.service].compactMap(\.self).joined(separator: " ")
        return span.tree(
            name, .internal, trace: own.trace, span: own.span, parent: own.parent,
            from: event.time - (outcome.seconds ?? 0), to: event.time)
    }
}
